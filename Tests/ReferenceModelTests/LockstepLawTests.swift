import FuzzHarness
import ReferenceModel
import SocketCore
import Testing

@testable import CoreFuzzing

/// Each law of lockstep can fail: socket and model are brought apart behind its back, and the law that is broken is
/// named.
@Suite("Laws of lockstep")
struct LockstepLawTests {
  typealias Deed = (inout Lockstep<PassThrough>) throws(Violation) -> Void

  /// What lockstep finds wrong after a deed on a connection; nil: nothing.
  private static func law(room: Int? = nil, onRunLoop: Bool = false, _ deed: Deed) -> String? {
    var lockstep = Lockstep(livesOnRunLoop: onRunLoop, room: room, filter: PassThrough())
    do throws(Violation) {
      try lockstep.begin()
      try deed(&lockstep)
      try lockstep.perform(.wake)
    } catch { return error.invariant }
    return nil
  }

  private static func write(_ bytes: [UInt8], on lockstep: inout Lockstep<PassThrough>) {
    let block = bytes.withUnsafeBytes { ByteBlock(copying: $0) }
    if let write = WriteRequest(bytes: block, timeout: -1, tag: 0) { lockstep.machine.write(write) }
  }

  @Test("without a deed nothing is wrong") func nothing() {
    #expect(Self.law { _ in } == nil)
  }

  @Test("other bytes on the wire, an operation more, another length, a byte that is not there") func data() {
    let other = Self.law { lockstep in
      [UInt8(1)].withUnsafeBytes { lockstep.model.write($0, timeout: nil) }
      lockstep.model.events = []
      [UInt8(2)].withUnsafeBytes { bytes in
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 1) { pieces in
          pieces.initializeElement(at: 0, to: bytes)
          _ = lockstep.transport.send(UnsafeBufferPointer(pieces))
        }
      }
    }
    #expect(other == "INV-06")
    #expect(Self.law(room: 0) { Self.write([1], on: &$0) } == "INV-07")
    let longerWrite = Self.law(room: 0) { lockstep in
      Self.write([1, 2], on: &lockstep)
      [UInt8(1)].withUnsafeBytes { lockstep.model.write($0, timeout: nil) }
    }
    #expect(longerWrite == "WR-17")
    let longerRead = Self.law { lockstep in
      if let read = ReadRequest.exactly(4, timeout: -1, tag: 0) { lockstep.machine.read(read) }
      lockstep.model.read(.exactly(3), timeout: nil)
    }
    #expect(longerRead == "DIAG-11")
    let otherRead = Self.law { lockstep in
      if let read = ReadRequest.exactly(3, timeout: -1, tag: 7) { lockstep.machine.read(read) }
      lockstep.model.read(.exactly(3), timeout: nil)
    }
    #expect(otherRead == "DIAG-11")
    let otherWrite = Self.law(room: 0) { lockstep in
      for _ in 0..<2 { [UInt8]().withUnsafeBytes { lockstep.model.write($0, timeout: nil) } }
      [UInt8(1)].withUnsafeBytes { lockstep.model.write($0, timeout: nil) }
      Self.write([1], on: &lockstep)
    }
    #expect(otherWrite == "WR-17")
    #expect(Self.law { lockstep in [UInt8(1)].withUnsafeBytes { lockstep.model.arrive($0) } } == "RDQ-05")
    let unread = Self.law(onRunLoop: true) { lockstep throws(Violation) in
      [UInt8(1)].withUnsafeBytes { lockstep.model.arrive($0) }
      try lockstep.perform(.peerFinishes)
    }
    #expect(unread == "RL-03")
  }

  @Test("bytes taken from the kernel although nobody reads") func backPressure() throws {
    var lockstep = Lockstep(filter: PassThrough())
    try lockstep.begin()
    let before = lockstep.quietBuffer
    lockstep.buffered += 1
    #expect(throws: Violation.self) { try lockstep.checkBackPressure(before) }
    lockstep.buffered = before ?? 0
    try lockstep.checkBackPressure(before)
  }

  @Test("an end in another manner, and a life that only one of them leads") func ends() {
    let graceful = Self.law { lockstep in
      lockstep.machine.disconnect(afterReads: true, afterWrites: true)
      lockstep.model.disconnect()
    }
    #expect(graceful == "DIS-22")
    let listens = Self.law { lockstep throws(Violation) in
      try lockstep.perform(.disconnect)
      lockstep.model.startListening()
    }
    #expect(listens == "LIFE-02")
  }

  @Test("a reason is told by its own error and by no other")
  func reasons() {
    let reset = SocketFailure.posix(code: 104, call: "read")
    let pipe = SocketFailure.posix(code: 32, call: "write")
    let rows: [(reason: ModelEvent.Reason, told: [SocketFailure?])] = [
      (.wish, [nil]), (.closedByPeer, [.closedByPeer]), (.broken, [reset, pipe]),
      (.closedOrBroken, [.closedByPeer, reset, pipe]), (.readMaxedOut, [.readMaxedOut]), (.readTimeout, [.readTimeout]),
      (.writeTimeout, [.writeTimeout]), (.connectTimeout, [.connectTimeout]),
    ]
    let all: [SocketFailure?] = [
      nil, .closedByPeer, reset, pipe, .readMaxedOut, .readTimeout, .writeTimeout, .connectTimeout, .other("else"),
      .posix(code: 32, call: "read"), .posix(code: 5, call: "read"),
    ]
    for (reason, told) in rows { #expect(all.filter { reason.allows($0) } == told, "\(reason)") }
  }

  // MARK: Connecting

  /// What lockstep says of commands that a machine at its start might utter.
  private static func lawOf(_ commands: SocketCommand..., prepare: Deed = { _ in }) -> String? {
    law { lockstep throws(Violation) in
      try prepare(&lockstep)
      for command in commands { try lockstep.obey(command) }
      try lockstep.checkConnecting()
    }
  }

  /// Of the life that `law` begins.
  private static let generation: UInt64 = {
    var lockstep = Lockstep(filter: PassThrough())
    try? lockstep.begin()
    return lockstep.machine.generation
  }()

  @Test("a lookup or an attempt of another life, one that nobody asked for, one that goes on afterwards")
  func attempts() {
    let (now, before) = (Self.generation, Self.generation &- 1)
    let (own, old) = (LookupID(generation: now), LookupID(generation: before))
    let attempt = AttemptID(generation: now, index: 0)
    let alternate = AttemptID(generation: now, index: 1)
    #expect(Self.lawOf(.lookUp(old, host: "name", port: 1)) == "INV-18")
    let twice = Self.lawOf(.lookUp(own, host: "name", port: 1), .lookUp(own, host: "name", port: 1))
    #expect(twice == "INV-18")
    #expect(Self.lawOf(.forgetLookup(own)) == "INV-18")
    #expect(Self.lawOf(.establish(attempt)) == "INV-18")
    let late = AttemptID(generation: before, index: 0)
    #expect(Self.lawOf(.attempt(late, remote: Addresses.ipv4, local: nil)) == "INV-18")
    // The connection is there: nothing may be under way any more.
    #expect(Self.lawOf(.lookUp(own, host: "name", port: 1)) == "INV-08")
    #expect(Self.lawOf(.attempt(attempt, remote: Addresses.ipv4, local: nil)) == "INV-08")
    #expect(Self.lawOf(.attempt(attempt, remote: Addresses.ipv4, local: nil), .abandon(attempt)) == nil)
    let ahead = Self.lawOf(.attempt(alternate, remote: Addresses.ipv4, local: nil)) {
      $0.connecting.alternateAt = 300
    }
    #expect(ahead == "CON-17")
  }

  @Test("a family that is off, an interface that is left out, a pause that is none or has no end")
  func conditions() {
    let attempt = AttemptID(generation: Self.generation, index: 0)
    let off = Self.lawOf(.attempt(attempt, remote: Addresses.ipv6, local: nil)) {
      $0.machine.configuration.isIPv6Enabled = false
    }
    #expect(off == "CFG-04")
    let unbound = Self.lawOf(.attempt(attempt, remote: Addresses.ipv4, local: nil)) { $0.connecting.isBound = true }
    #expect(unbound == "CON-28")
    #expect(Self.lawOf(.retry(attempt, remote: nil)) == "INV-10")
    let early = Self.lawOf(.retry(attempt, remote: nil)) { lockstep in
      lockstep.connecting.retries[attempt] = lockstep.now.after(seconds: 0.001)
    }
    #expect(early == "INV-10")
    let forgotten = Self.lawOf(.attempt(attempt, remote: Addresses.ipv4, local: nil)) { lockstep in
      lockstep.connecting.retries[attempt] = lockstep.now
      lockstep.now = lockstep.now.after(seconds: 0.005) ?? lockstep.now
    }
    #expect(forgotten == "CON-08")
  }
}
