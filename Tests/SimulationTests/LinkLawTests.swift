import ScenarioModel
import Testing

@testable import Simulation

/// What a link promises under every mix of faults, held against the plainest model there is: a list of bytes.
@Suite struct LinkLawTests {
  static let mixes: [(name: String, faults: LinkFaults)] = [
    ("none", .none), ("standard", .standard), ("harsh", .harsh),
  ]

  /// Both sides send and receive random amounts at random moments; everything arrives, in order, once.
  @Test(arguments: mixes.map(\.name), 0..<40 as Range<UInt64>)
  func bytesAreConserved(mix: String, seed: UInt64) throws {
    let faults = try #require(Self.mixes.first { $0.name == mix }?.faults)
    var random = SeededRandom(seed: seed)
    let rig = LinkRig(faults, seed: seed, isLocal: random.chance(0.3), window: Int(random.pick(1...4000)))
    let total = 6000
    let script = [PatternBytes.make(seed: seed, count: total), PatternBytes.make(seed: seed + 1, count: total)]
    var sent = [0, 0]
    var received = [0, 0]
    var rounds = 0
    while received != [total, total] {
      rounds += 1
      try #require(rounds < 200_000, "the link came to a halt")
      for side in [LinkSide.client, .server] {
        let (own, other) = (side.rawValue, side.other.rawValue)
        if sent[own] < total, random.chance(0.4) {
          let end = min(total, sent[own] + Int(random.pick(1...900)))
          sent[own] += rig.send(side, Array(script[own][sent[own]..<end]))
        }
        if random.chance(0.4) {
          let bytes = rig.receive(side, room: Int(random.pick(1...700)))
          try #require(bytes.elementsEqual(script[other][received[own]..<received[own] + bytes.count]))
          received[own] += bytes.count
        }
      }
      rig.step()
    }
    #expect(rig.receive(.client, room: 9).isEmpty && rig.receive(.server, room: 9).isEmpty)
  }

  /// A sender that waits for room is told of it, and a receiver of every arrival: driving only by readiness suffices.
  @Test(arguments: mixes.map(\.name), 0..<20 as Range<UInt64>)
  func readinessSuffices(mix: String, seed: UInt64) throws {
    let faults = try #require(Self.mixes.first { $0.name == mix }?.faults)
    let rig = LinkRig(faults, seed: seed, isLocal: seed % 3 == 0, window: 1000 + Int(seed) * 97)
    let bytes = PatternBytes.make(seed: seed, count: 300_000)
    var sent = 0
    var received: [UInt8] = []
    var mayWrite = true
    var mayRead = false
    while received.count < bytes.count {
      while mayWrite, sent < bytes.count {
        let count = rig.send(.client, Array(bytes[sent..<min(sent + 50_000, bytes.count)]))
        sent += count
        mayWrite = count > 0
      }
      while mayRead {
        let chunk = rig.receive(.server, room: 4096, announced: true)
        received += chunk
        mayRead = !chunk.isEmpty
      }
      guard received.count < bytes.count else { break }
      let changes = try #require(rig.step(), "nothing will ever happen, after \(received.count) bytes")
      if changes.writable == .client { mayWrite = true }
      if changes.readable == .server { mayRead = true }
    }
    #expect(received == bytes)
  }

  @Test func differentConcernsDrawFromDifferentStreams() {
    var one = SeededRandom(seed: DrawSource(seed: 1), concern: .delivery, index: 0)
    var two = SeededRandom(seed: DrawSource(seed: 1), concern: .sending, index: 0)
    var three = SeededRandom(seed: DrawSource(seed: 1), concern: .delivery, index: 1)
    let firsts = [one.next(), two.next(), three.next()]
    #expect(Set(firsts).count == 3)
    var again = SeededRandom(seed: DrawSource(seed: 1), concern: .delivery, index: 0)
    #expect(again.next() == firsts[0])
    for _ in 0..<1000 { #expect((-5...5).contains(one.pick(-5...5))) }
    #expect((0..<1000).contains { _ in two.chance(0.5) })
  }
}

/// A link and the time it lives in, with nobody but the test at its ends.
final class LinkRig {
  let timeline: VirtualTimeline
  let link: SimulatedLink

  struct News {
    var readable: LinkSide?
    var writable: LinkSide?
  }

  init(_ faults: LinkFaults, seed: UInt64 = 0, isLocal: Bool = false, window: Int? = nil) {
    timeline = VirtualTimeline(ties: nil)
    link = SimulatedLink(id: 0, isLocal: isLocal, seed: DrawSource(seed: seed), timeline: timeline, faults: faults)
    guard let window else { return }
    link.limitReceiving(on: .client, to: window)
    link.limitReceiving(on: .server, to: window)
  }

  /// Sends; how many bytes were taken (0: would block or failed).
  func send(_ side: LinkSide, _ bytes: [UInt8]) -> Int {
    if case .bytes(let count) = attemptSend(side, bytes) { return count }
    return 0
  }

  /// Receives; `announced`: after the readiness event, so that what has arrived is there.
  func receive(_ side: LinkSide, room: Int, announced: Bool = false) -> [UInt8] {
    if announced { link[side].hasUnannounced = false }
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      if case .bytes(let received) = link.receive(side, into: UnsafeMutableRawBufferPointer(buffer)) {
        count = received
      }
    }
  }

  /// Lets the next thing happen; nil if nothing will.
  @discardableResult
  func step() -> News? {
    switch timeline.next(before: .max) {
    case .deliver(_, let side):
      let changes = link.deliver(to: side)
      return News(
        readable: changes.isDisjoint(with: [.bytes, .fin, .reset, .spurious]) ? nil : side,
        writable: changes.contains(.room) ? side.other : nil)
    case .wake(_, let side):
      link[side].isWakeScheduled = false
      return News(readable: nil, writable: side)
    case .linger(_, let side):
      link.lookAtLingering(side)
      return News(readable: nil, writable: nil)
    default: return nil
    }
  }

  func settle() { while step() != nil {} }
}
