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

  /// Of a lane one callback runs at a time: what begins in it has taken the place of what ran before.
  @Test func aLaneHasOne() {
    var running = RunningCallbacks()
    for (lane, thread) in [(1, 1), (2, 2), (1, 3)] as [(UInt64, UInt)] {
      running.begin(Self.callback(lane, on: thread))
    }
    #expect(running.thread(of: .init(number: 1)) == 3 && running.callback(on: 1) == nil)
    running.end(.init(number: 1))
    #expect(running.thread(of: .init(number: 1)) == nil && running.last?.lane.number == 2)
  }
}
