import ScenarioModel
import Testing

@testable import CocoaAsyncSocket
@testable import SocketCore

/// Which callbacks run, where several lanes are delivered at the same time, or one inside of another.
@Suite struct RunningCallbacksTests {
  private static func callback(_ lane: UInt64, on thread: UInt) -> RunningCallbacks.Callback {
    .init(lane: .init(number: lane), thread: thread, isOnSocketQueue: false, isLent: false)
  }

  @Test(arguments: [1, 2] as [UInt]) func theOneBeforeIsLastAgainWhenTheLaterOneHasEnded(thread: UInt) {
    var running = RunningCallbacks()
    running.begin(Self.callback(1, on: 1))
    running.begin(Self.callback(2, on: thread))
    #expect(running.last?.lane.number == 2 && running.callback(on: thread)?.lane.number == 2)
    #expect(running.thread(of: .init(number: 1)) == 1 && running.thread(of: .init(number: 2)) == thread)
    running.end(.init(number: 2))
    #expect(running.last?.lane.number == 1 && running.callback(on: 1)?.lane.number == 1)
    #expect(running.thread(of: .init(number: 2)) == nil)
  }

  @Test func oneThatEndsBeforeTheLaterOneIsForgotten() {
    var running = RunningCallbacks()
    running.begin(Self.callback(1, on: 1))
    running.begin(Self.callback(2, on: 2))
    running.end(.init(number: 1))
    #expect(running.last?.lane.number == 2 && running.callback(on: 1) == nil)
    running.end(.init(number: 2))
    #expect(running.last == nil && running.callback(on: 2) == nil)
  }

  /// Callbacks that a callback delivers itself, of its own lane and of others.
  @Test func oneInsideAnotherOfTheSameLaneEndsBeforeIt() {
    var running = RunningCallbacks()
    for lane in [1, 2, 1] as [UInt64] { running.begin(Self.callback(lane, on: 1)) }
    running.begin(Self.callback(3, on: 2))
    #expect(running.lanes(on: 1).map(\.number) == [1, 2, 1] && running.lanes(on: 2).map(\.number) == [3])
    running.end(.init(number: 1))
    #expect(running.callback(on: 1)?.lane.number == 2 && running.thread(of: .init(number: 1)) == 1)
    running.end(.init(number: 2))
    running.end(.init(number: 3))
    #expect(running.callback(on: 1)?.lane.number == 1 && running.last?.lane.number == 1)
    running.end(.init(number: 1))
    #expect(running.last == nil && running.lanes(on: 1).isEmpty)
  }

  // MARK: Delivering before disconnect() returns

  @Test func aQueueIsHeldUntilTheDeliveryHasEnded() {
    var running = RunningCallbacks()
    running.deliveryBegins(on: 1, holding: [10])
    running.deliveryBegins(on: 1, holding: [10, 11])
    running.deliveryBegins(on: 2, holding: [20])
    #expect([10, 11, 20].allSatisfy { running.isHeld($0) } && !running.isHeld(12))
    running.deliveryEnds(on: 1)
    #expect(running.isHeld(10) && !running.isHeld(11) && running.isHeld(20))
    running.deliveryEnds(on: 1)
    #expect(!running.isHeld(10) && running.isHeld(20))
    running.deliveryEnds(on: 2)
    #expect(!running.isHeld(20))
  }

  /// Each thread runs on a queue of its own, and some begin to deliver on others' queues (INV-12). If each waits only
  /// for what nobody holds who delivers, somebody can always go on, also if one who is waited for begins later.
  @Test(arguments: 0..<500) func noCircleOfThreadsWaits(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var running = RunningCallbacks()
    let count = UInt.random(in: 2...5, using: &random)
    var waits: [UInt: [UInt]] = [:]
    for thread in (0..<count).shuffled(using: &random) {
      let wanted = (0..<count).filter { $0 != thread && !running.isHeld($0) && Bool.random(using: &random) }
      running.deliveryBegins(on: thread, holding: [thread])
      waits[thread] = wanted
    }
    while let free = waits.first(where: { $0.value.isEmpty })?.key {
      waits[free] = nil
      for thread in waits.keys { waits[thread]?.removeAll { $0 == free } }
    }
    #expect(waits.isEmpty)
  }
}
