import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

@testable import CocoaAsyncSocket

/// What is done with a connection that the machine has given up.
@Suite struct LingeringCloseTests {
  @Test("TLS's last bytes reach a peer that has ended its stream and reads slowly (TLS-42, DIS-24)")
  func lastBytesAreHandedOver() throws {
    let (own, peer) = try RawPeer.pair()
    let number = own.release()
    let filled = try fill(number)
    peer.finish()
    LingeringClose.begin(OpenSocket(Descriptor(adopting: number)), finalBytes: [21, 3, 3])
    let received = try peer.receiveToEnd(pausing: 0.002)
    #expect(received.count == filled + 3)
    #expect(received.suffix(3) == [21, 3, 3])
  }

  @Test(
    "a time to linger does not keep `close` waiting, and a reset stays one (THR-04, THR-08)",
    arguments: [0, 5] as [Int32])
  func closeDoesNotWait(_ seconds: Int32) throws {
    let listener = try RawListener()
    let peer = try RawPeer.connect(port: listener.port, receiveBuffer: 1 << 12)
    let number = try listener.accept().release()
    _ = try fill(number)
    try SocketCall.setLinger(number, seconds: seconds)
    let began = ContinuousClock.now
    OpenSocket(Descriptor(adopting: number)).close()
    #expect(ContinuousClock.now - began < .seconds(2))
    #expect(try peer.ending() == (seconds == 0 ? .broken(ECONNRESET) : .endOfStream))
  }

  @Test(
    "connections that have lingered leave nothing behind (INV-08)",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func nothingIsLeft() async {
    // In a process of its own: memory and descriptors are counted.
    await #expect(processExitsWith: .success) {
      func linger(times: Int, before: Int) throws {
        var peers: [RawPeer] = []
        for _ in 0..<times {
          let (own, peer) = try RawPeer.pair()
          // The peer has not read them yet.
          LingeringClose.begin(OpenSocket(Descriptor(adopting: own.release())), finalBytes: [21, 3, 3])
          peers.append(peer)
        }
        peers = []
        try eventually("all are closed") { ProcessFacts.openDescriptors() <= before }
      }
      // The loops' own descriptors come with the first ones.
      try linger(times: 100, before: .max)
      let before = try ProcessFacts.settledDescriptors()
      for _ in 0..<4 { try linger(times: 100, before: before) }
      let base = try #require(ProcessFacts.allocatedBytes())
      for _ in 0..<20 { try linger(times: 100, before: before) }
      let growth = try #require(ProcessFacts.allocatedBytes()) - base
      #expect(growth < 150_000, "\(growth) bytes")
    }
  }

  /// Sends until the kernel takes no more: how many bytes that were.
  private func fill(_ number: Int32) throws -> Int {
    try SocketCall.setNonBlocking(number)
    var bytes = [UInt8](repeating: 7, count: 1 << 16)[...]
    var sent = 0
    while true {
      #expect(LingeringClose.send(&bytes, on: number))
      guard bytes.isEmpty else { return sent + (1 << 16) - bytes.count }
      sent += 1 << 16
      bytes = [UInt8](repeating: 7, count: 1 << 16)[...]
    }
  }
}
