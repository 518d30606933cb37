import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// As many sockets as a server has. They take a process of their own, for its descriptors.
@Suite struct ManySocketsTests {
  @Test(
    "four thousand sockets are connected at the same time, and each gets its own answer (THR-15)",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers take several times the memory and time"))
  func thousands() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.allowMostDescriptors()
      let count = 2000
      let serverDelegate = RecorderDelegate(
        onAccept: { $0.readData(toLength: 4, withTimeout: -1, tag: 1) },
        reaction: { child, kind in
          if case .read(let data, _) = kind { child.write(data, withTimeout: -1, tag: 2) }
        })
      let listener = GCDAsyncSocket(delegate: serverDelegate, delegateQueue: DispatchQueue(label: "server"))
      try listener.accept(onInterface: "127.0.0.1", port: 0)
      let clientDelegate = RecorderDelegate()
      let queue = DispatchQueue(label: "clients")
      var clients: [GCDAsyncSocket] = []
      for _ in 0..<count {
        let client = GCDAsyncSocket(delegate: clientDelegate, delegateQueue: queue)
        try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
        clients.append(client)
      }
      try serverDelegate.wait("all are accepted", count: count) { $0.kind == .accepted }
      // Nobody speaks before everybody is connected.
      let bytes = countingBytes(4 * count)
      for (number, client) in clients.enumerated() {
        client.write(Data(bytes[4 * number..<4 * number + 4]), withTimeout: -1, tag: number)
        client.readData(toLength: 4, withTimeout: -1, tag: number)
      }
      try clientDelegate.wait("all are answered", count: count) { $0.isRead }
      var answers = [Data](repeating: Data(), count: count)
      for case .read(let data, let tag) in clientDelegate.occurrences.map(\.kind) { answers[tag] = data }
      #expect(Array(answers.joined()) == bytes)
      #expect(clients.allSatisfy(\.isConnected) && serverDelegate.children.allSatisfy(\.isConnected))
      #expect(serverDelegate.children.count == count)
    }
  }

  @Test(
    "a read of a quarter of a gibibyte has every byte in its place (RD-LEN-09)",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers take several times the memory and time"))
  func quarterOfAGibibyte() async {
    await #expect(processExitsWith: .success) {
      let (piece, count) = (1 << 20, 256)
      let link = try SocketAndPeer()
      link.socket.readData(toLength: UInt(piece * count), withTimeout: -1, tag: 1)
      // Each piece begins with its number.
      var bytesOfPiece = countingBytes(piece)
      for number in 0..<count {
        bytesOfPiece[0] = UInt8(number)
        try link.peer.send(bytesOfPiece)
      }
      let bytes = try link.delegate.bytes(ofRead: 1, of: link.socket)
      #expect(bytes.count == piece * count)
      for number in 0..<count {
        bytesOfPiece[0] = UInt8(number)
        #expect(bytes[piece * number..<piece * (number + 1)] == Data(bytesOfPiece), "piece \(number)")
      }
    }
  }
}
