import CocoaAsyncSocket
import Foundation

final class Client: NSObject, GCDAsyncSocketDelegate {
  private var socket: GCDAsyncSocket!

  func start() throws {
    socket = GCDAsyncSocket(delegate: self, delegateQueue: DispatchQueue(label: "client"))
    try socket.connect(toHost: "localhost", onPort: 7777, withTimeout: 5)
    socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 10, maxLength: 1024, tag: 1)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    print(String(decoding: data, as: UTF8.self))
  }
}

// The code of README.md, as in GuideCode.swift.
private func secure(_ socket: GCDAsyncSocket) {
  socket.startTLS([GCDAsyncSocketSSLPeerName: "example.org" as NSString])
}
