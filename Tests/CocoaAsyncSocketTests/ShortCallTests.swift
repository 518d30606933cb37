import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// The short forms of calls pass on what they are given.
@Suite struct ShortCallTests {
  @Test("a read to a delimiter with a limit and no buffer has its limit (RD-MAX-02)")
  func limit() throws {
    let link = try SocketAndPeer()
    link.socket.readData(to: data("\r\n"), withTimeout: -1, maxLength: 4, tag: 1)
    try link.peer.send("abcdef")
    try link.delegate.waitForDisconnect(of: link.socket)
    #expect(link.delegate.disconnectError(of: link.socket)?.isLibrary(.readMaxedOutError) == true)
  }

  @Test("a connect with a timeout and no interface has its timeout (CON-08)")
  func timeout() throws {
    let hole = try BlackHole()
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    try socket.connect(toHost: "127.0.0.1", onPort: hole.port, withTimeout: 0.2)
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket)?.isLibrary(.connectTimeoutError) == true)
    withExtendedLifetime(hole) {}
  }

  @Test("startTLS with typed settings has these settings (TLS-12)")
  func typedSettings() throws {
    let pair = try SecureConnectionTests.Pair(server: SecureConnectionTests.server())
    var settings = try TLSSettings(SecureConnectionTests.client())
    settings.peerName = "bad.example"
    pair.client.startTLS(settings: settings)
    try pair.clientSide.waitForDisconnect(of: pair.client)
    #expect(pair.clientSide.disconnectError(of: pair.client)?.code == -9843)
  }
}
