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
}
