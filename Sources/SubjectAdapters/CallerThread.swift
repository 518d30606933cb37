import Dispatch
import Foundation
import SocketPOSIX
import SocketValues

/// The thread from which the lab calls the subject, so that a call that never returns costs the lab a thread and not
/// the run.
///
/// Laws
/// - One call at a time, in the order they are made; made and awaited by one thread, the runner's.
/// - After a call that was given up the thread is lost: nothing else may be run on it. It ends when the call returns.
final class CallerThread: Sendable {
  private struct State {
    var job: (@Sendable () -> Void)?
    var isEnding = false
  }

  private let state = LockedValue(State())
  private let work = DispatchSemaphore(value: 0)

  init() {
    let thread = Thread { [self] in loop() }
    thread.name = "lab-caller"
    thread.start()
  }

  /// What the body returned and how long it waited for the thread (nanoseconds); nil when it did not return in time,
  /// which is `limit` once more for as long as `goesOn` says so.
  func run<Result: Sendable>(
    within limit: DispatchTimeInterval, _ body: @escaping @Sendable () -> Result, goesOn: () -> Bool = { false }
  ) -> (result: Result, delay: Int64)? {
    let answer = Answer<Result>()
    let asked = Instant.now()
    state.withLock {
      $0.job = {
        let delay = asked.nanoseconds(until: .now())
        answer.give(body(), delay)
      }
    }
    work.signal()
    while true {
      if let given = answer.wait(within: limit) { return given }
      guard goesOn() else { return nil }
    }
  }

  /// Lets the thread end, once it has nothing to do.
  func end() {
    state.withLock { $0.isEnding = true }
    work.signal()
  }

  private func loop() {
    SignalStack.install()
    while true {
      work.wait()
      let (job, isEnding) = state.withLock { state in
        defer { state.job = nil }
        return (state.job, state.isEnding)
      }
      job?()
      if isEnding { return }
    }
  }
}

/// A result on its way from one thread to another.
private final class Answer<Result: Sendable>: Sendable {
  private let value = LockedValue<(result: Result, delay: Int64)?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ result: Result, _ delay: Int64) {
    value.withLock { $0 = (result, delay) }
    isThere.signal()
  }

  func wait(within limit: DispatchTimeInterval) -> (result: Result, delay: Int64)? {
    guard isThere.wait(timeout: .now() + limit) == .success else { return nil }
    return value.withLock { $0 }
  }
}
