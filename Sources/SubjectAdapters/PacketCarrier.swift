import Foundation
import NetworkNamespaces
import PacketRelay
import ScenarioModel
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// The thread that carries the packets of a case's network: it hands each one that comes to the relay, and each one
/// that leaves to the kernel.
///
/// Laws
/// - Whatever is seen or done gets the instant of the case's clock. What leaves late counts as the lab's lateness.
/// - It makes no sockets and no threads. `end` returns when it has ended and the interfaces are gone: the next case has
///   some of the same names.
final class PacketCarrier: Sendable {
  /// The two ends of one link.
  struct Wire: Sendable {
    var subject: TunnelInterface
    var peer: TunnelInterface

    subscript(side: NetworkSide) -> TunnelInterface { side == .subject ? subject : peer }
  }

  private struct State {
    var relay: RelayMachine<SplitMix64>
    /// None once it has ended.
    var wires: [Wire]
    var isEnding = false
    var sights = 0
  }

  /// Packets in a row from one interface before the others are looked at.
  private static let maxConsecutive = 32
  /// A trace has no more packets than these; further ones are counted.
  private static let maxSights = 4_000
  /// Leaving so much after its instant is nothing that a case could notice.
  private static let unnoticed = Duration.milliseconds(1)

  private let state: LockedValue<State>
  private let wakeupPair: DescriptorPair
  private let log: WorldEventLog
  private let ended = DispatchSemaphore(value: 0)

  init(_ wires: [Wire], _ setup: NetworkSetup, seed: UInt64, log: WorldEventLog) throws(SystemCallFailure) {
    self.log = log
    wakeupPair = try SocketCall.pair()
    state = LockedValue(
      State(
        relay: RelayMachine(
          links: setup.links.map(\.name), names: setup.resolver, generator: SplitMix64(seed: seed)),
        wires: wires))
    let thread = Thread { [self] in loop() }
    thread.name = "lab-relay"
    thread.start()
  }

  /// Has the relay do something, with the instant of now.
  func tell<Result>(_ body: (inout RelayMachine<SplitMix64>, Duration) -> Result) -> Result {
    defer { wakeUp() }
    return state.withLock { state in
      let result = body(&state.relay, log.now)
      note(&state)
      return result
    }
  }

  /// No packet is carried any more once it returns.
  func end() {
    state.withLock { $0.isEnding = true }
    wakeUp()
    ended.wait()
    let left = state.withLock { state in
      state.wires = []
      return state.sights - Self.maxSights
    }
    if left > 0 { log.append(.note("\(QuantityText.count(left, "more packet")) came by")) }
  }

  private func wakeUp() { withUnsafeBytes(of: UInt8(1)) { _ = SocketCall.send(wakeupPair.first.rawValue, $0) } }

  private func loop() {
    SignalStack.install()
    carry(between: state.withLock { $0.wires })
    ended.signal()
  }

  private func carry(between wires: [Wire]) {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: TunnelInterface.maxBytes, alignment: 16)
    defer { room.deallocate() }
    var readiness = ReadinessSet()
    while let wake = deliver(to: wires) {
      readiness.removeAll()
      readiness.add(wakeupPair.second.rawValue, reading: true, writing: false)
      for wire in wires {
        for side in NetworkSide.allCases { readiness.add(wire[side].rawValue, reading: true, writing: false) }
      }
      guard readiness.wait(until: wake.map { log.instant(of: $0) } ?? .distantFuture) > 0 else { continue }
      if readiness.isReady(0) { _ = SocketCall.receive(wakeupPair.second.rawValue, into: room) }
      for place in wires.indices {
        for side in NetworkSide.allCases {
          let index = 1 + place * NetworkSide.allCases.count + (side == .subject ? 0 : 1)
          if readiness.isReady(index) { collect(from: wires[place][side], on: side, link: place, room) }
        }
      }
    }
  }

  /// Takes what a host has sent.
  private func collect(
    from end: TunnelInterface, on side: NetworkSide, link place: Int, _ room: UnsafeMutableRawBufferPointer
  ) {
    for _ in 0..<Self.maxConsecutive {
      guard let packet = end.read(into: room) else { return }
      state.withLock { state in
        state.relay.take(Array(packet), link: place, to: side.other, at: log.now)
        note(&state)
      }
    }
  }

  /// Hands over what leaves by now. Returns when the next packet leaves, if one waits; nil: it is over.
  private func deliver(to wires: [Wire]) -> Duration?? {
    while true {
      let now = log.now
      let next = state.withLock { state -> RelayMachine<SplitMix64>.Departure? in
        if let instant = state.relay.nextInstant, now - instant > Self.unnoticed {
          log.noteLateness((now - instant).nanoseconds)
        }
        return state.isEnding ? nil : state.relay.nextDeparture(at: now)
      }
      guard let next else { break }
      wires[next.link][next.to].write(next.bytes)
    }
    return state.withLock { $0.isEnding ? nil : .some($0.relay.nextInstant) }
  }

  /// Writes down what the relay saw. Below the lock, so that sights stand in their order.
  private func note(_ state: inout State) {
    for sight in state.relay.takeSights() {
      state.sights += 1
      if state.sights <= Self.maxSights { log.append(.packet(sight)) }
    }
  }
}
