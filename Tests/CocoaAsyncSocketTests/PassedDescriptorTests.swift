import CocoaAsyncSocket
import Dispatch
import Foundation
import Glibc
import TestSupport
import Testing

/// A peer that sends file descriptors along with its bytes, as any process may over a Unix-domain connection: the
/// kernel ends a receive behind such bytes whatever else is there.
@Suite struct PassedDescriptorTests {
  @Test("what follows bytes that came with a descriptor is read, though the receive before it was short (INV-17)")
  func readsOnBehindADescriptor() throws {
    let path = freshSocketPath()
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(on: URL(fileURLWithPath: path))
    let peer = try RawPeer.connect(path: path)
    let child = try delegate.child()
    // All of it is there before the read is queued: no event comes later.
    for word in ["with ", "every ", "word "] { try peer.send(Array(word.utf8), with: STDIN_FILENO) }
    try peer.send("one")
    child.readData(toLength: 19, withTimeout: 30, tag: 1)
    #expect(try delegate.bytes(ofRead: 1, of: child) == Data("with every word one".utf8))
    try peer.send(Array("li".utf8), with: STDIN_FILENO)
    try peer.send("ne\r\n")
    child.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 30, tag: 2)
    #expect(try delegate.bytes(ofRead: 2, of: child) == Data("line\r\n".utf8))
  }
}
