import CoreFoundation
import Dispatch
import Foundation
import Glibc
import ScenarioModel
import SocketPOSIX

/// A run loop with a thread of its own, on which sockets of the run-loop class live, by the name that a scenario gives
/// it.
///
/// Laws
/// - It runs in one mode at a time: the default one, or for a time the one that `run(in:for:)` says. Work for it is
///   done in any mode, in the order in which it was asked for.
/// - It goes on until `end`; work that is asked for afterwards is never done.
final class LabRunLoop: Sendable {
  /// The name that the scenario gives it.
  let name: String
  private let state = LockedValue(State())
  private let isThere = DispatchSemaphore(value: 0)

  private struct State {
    var home: Home?
    var work: [@Sendable () -> Void] = []
    var modes: Set<RunLoop.Mode> = [.default]
    /// The mode that runs instead of the default one, and until when; `distantFuture`: its time begins when it runs.
    var override: (mode: RunLoop.Mode, until: Date)?
    var isEnding = false
  }

  private struct Home: @unchecked Sendable {
    // Unchecked: all may be asked from every thread what is asked of them here.
    var runLoop: RunLoop
    var loop: CFRunLoop
    var thread = pthread_self()
  }

  init(name: String) {
    self.name = name
    let thread = Thread { [self] in go() }
    thread.name = "lab-\(name)"
    thread.start()
    isThere.wait()
  }

  /// The case is over: the thread ends when it has come back from what it does.
  func end() {
    state.withLock { $0.isEnding = true }
    perform {}
  }

  /// The run loop itself.
  var runLoop: RunLoop? { state.withLock { $0.home?.runLoop } }

  /// Whether the caller is on its thread. To ask for the caller's run loop would make one for every thread that asks,
  /// with descriptors that stay as long as the thread.
  var isCurrent: Bool {
    state.withLock { $0.home.map { pthread_equal($0.thread, pthread_self()) != 0 } ?? false }
  }

  private func go() {
    SignalStack.install()
    Thread.current.threadDictionary[Self.key] = name
    guard let loop = CFRunLoopGetCurrent() else { preconditionFailure("a thread without a run loop") }
    state.withLock { $0.home = Home(runLoop: .current, loop: loop) }
    prepare(.default)
    isThere.signal()
    while true {
      let (mode, until, isEnding) = state.withLock { state -> (RunLoop.Mode, Date, Bool) in
        if let override = state.override {
          if override.until.timeIntervalSinceNow > 0 { return (override.mode, override.until, state.isEnding) }
          state.override = nil
        }
        return (.default, .distantFuture, state.isEnding)
      }
      if isEnding { break }
      _ = RunLoop.current.run(mode: mode, before: until)
    }
    // The run loop ends with its thread, unless there is another reference to it.
    state.withLock { $0.home = nil }
  }

  /// A run loop returns at once from a mode in which it has nothing to wait for.
  private func prepare(_ mode: RunLoop.Mode) {
    RunLoop.current.add(Timer(timeInterval: 1_000_000, repeats: true) { _ in }, forMode: mode)
  }

  // MARK: Names

  private static let key = "lab.runLoop"

  /// The name of the run loop on whose thread the caller is; nil: on none of the lab's.
  static var currentName: String? {
    Thread.current.threadDictionary[key] as? String
  }

  /// The mode that scenarios call by this name.
  static func mode(named name: String) -> RunLoop.Mode {
    switch name {
    case RunLoopName.defaultMode: .default
    case RunLoopName.commonModes: .common
    default: RunLoop.Mode(name)
    }
  }

  /// The name that scenarios give the mode.
  static func name(of mode: RunLoop.Mode) -> String {
    switch mode {
    case .default: RunLoopName.defaultMode
    case .common: RunLoopName.commonModes
    default: mode.rawValue
    }
  }

  // MARK: Work

  /// Has the body run on the loop's thread, in whatever mode it is.
  func perform(_ body: @escaping @Sendable () -> Void) {
    let (home, modes) = state.withLock { state in
      state.work.append(body)
      return (state.home, state.modes)
    }
    guard let home else { return }
    let block: @Sendable () -> Void = { [self] in
      state.withLock { $0.work.isEmpty ? nil : $0.work.removeFirst() }?()
      // A block alone does not make the run loop return, and only after that does the thread check the mode and the
      // end.
      CFRunLoopStop(CFRunLoopGetCurrent())
    }
    for mode in modes { home.runLoop.perform(inModes: [mode], block: block) }
    CFRunLoopWakeUp(home.loop)
  }

  /// Runs the body on the loop's thread and waits for it; directly if the caller is on it.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    if isCurrent { return body() }
    let answer = LockedValue<Result?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    perform {
      let result = body()
      answer.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    guard let result = answer.withLock({ $0 }) else { preconditionFailure("an answer without a result") }
    return result
  }

  /// Waits until the loop runs in the mode.
  private func waitUntilRunning(in mode: RunLoop.Mode) {
    guard let home = state.withLock({ $0.home }) else { return }
    let isThere = DispatchSemaphore(value: 0)
    home.runLoop.perform(inModes: [mode]) { isThere.signal() }
    CFRunLoopWakeUp(home.loop)
    isThere.wait()
  }

  /// Runs it in this mode only for so long, from when the call returns. Inside a callback of its own: nested, until
  /// then.
  func run(in mode: RunLoop.Mode, for seconds: TimeInterval, nested: Bool) {
    let isNew = state.withLock { $0.modes.insert(mode).inserted }
    if isNew { run { [self] in prepare(mode) } }
    guard nested else {
      // On a busy machine the time may be over before the thread has come to this mode, which nobody would see then.
      state.withLock { $0.override = (mode, .distantFuture) }
      perform {}
      waitUntilRunning(in: mode)
      state.withLock { $0.override = (mode, Date(timeIntervalSinceNow: seconds)) }
      perform {}
      return
    }
    let until = Date(timeIntervalSinceNow: seconds)
    while until.timeIntervalSinceNow > 0 { _ = RunLoop.current.run(mode: mode, before: until) }
    // It may have taken the wake-up that belongs to a block of another mode with it.
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
  }
}
