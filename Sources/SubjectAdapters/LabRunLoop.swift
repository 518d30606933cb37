import CoreFoundation
import Dispatch
import Foundation
import ScenarioModel
import SocketPOSIX

/// A run loop with a thread of its own, on which sockets of the run-loop class live, by the name that a scenario gives it.
///
/// Laws
/// - It runs in one mode at a time: the default one, or for a time the one that `run(in:for:)` says. Work for it is done
///   in any mode, in the order in which it was asked for.
/// - One case has it at a time, from `take` to `giveBack`.
final class LabRunLoop: Sendable {
  private let state = LockedValue(State())
  private let isThere = DispatchSemaphore(value: 0)

  private struct State {
    var name = ""
    var home: Home?
    var work: [@Sendable () -> Void] = []
    var modes: Set<RunLoop.Mode> = [.default]
    /// The mode that runs instead of the default one, and until when.
    var override: (mode: RunLoop.Mode, until: Date)?
    var isEnding = false
  }

  private struct Home: @unchecked Sendable {
    // Unchecked: both may be asked from every thread what is asked of them here.
    var runLoop: RunLoop
    var loop: CFRunLoop
  }

  private init() {
    let thread = Thread { [self] in go() }
    thread.name = "lab-run-loop"
    thread.start()
    isThere.wait()
  }

  /// Those that no case uses. What a run loop takes of the process is given back late when its thread ends, so threads
  /// are kept.
  private static let spare = LockedValue<[LabRunLoop]>([])

  /// A run loop of that name, for one case.
  static func take(name: String) -> LabRunLoop {
    let loop = spare.withLock { $0.popLast() } ?? LabRunLoop()
    loop.state.withLock { $0.name = name }
    return loop
  }

  /// The case is over. `isDrained`: the thread has come back from all that it did; otherwise it is not used again.
  func giveBack(isDrained: Bool) {
    state.withLock { state in
      state.override = nil
      state.isEnding = !isDrained
    }
    if isDrained { Self.spare.withLock { $0.append(self) } }
  }

  /// The run loop itself.
  var runLoop: RunLoop? { state.withLock { $0.home?.runLoop } }

  /// Whether the caller is on its thread.
  var isCurrent: Bool { runLoop === RunLoop.current }

  private func go() {
    SignalStack.install()
    Thread.current.threadDictionary[Self.key] = self
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
      if isEnding { return }
      _ = RunLoop.current.run(mode: mode, before: until)
    }
  }

  /// A run loop returns at once from a mode in which it has nothing to wait for.
  private func prepare(_ mode: RunLoop.Mode) {
    RunLoop.current.add(Timer(timeInterval: 1_000_000, repeats: true) { _ in }, forMode: mode)
  }

  // MARK: Names

  private static let key = "lab.runLoop"

  /// The name of the run loop on whose thread the caller is; nil: on none of the lab's.
  static var currentName: String? {
    (Thread.current.threadDictionary[key] as? LabRunLoop).map { loop in loop.state.withLock { $0.name } }
  }

  /// The mode that scenarios call by this name.
  static func mode(named name: String) -> RunLoop.Mode {
    name == RunLoopName.defaultMode ? .default : RunLoop.Mode(name)
  }

  /// The name that scenarios give the mode.
  static func name(of mode: RunLoop.Mode) -> String { mode == .default ? RunLoopName.defaultMode : mode.rawValue }

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
      // A block alone does not bring the thread back to where it looks for the mode and the end.
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

  /// On the loop's thread: runs it in this mode only for so long. Inside a callback: nested, before it returns.
  func run(in mode: RunLoop.Mode, for seconds: TimeInterval, nested: Bool) {
    let isNew = state.withLock { $0.modes.insert(mode).inserted }
    if isNew { prepare(mode) }
    let until = Date(timeIntervalSinceNow: seconds)
    guard nested else { return state.withLock { $0.override = (mode, until) } }
    while until.timeIntervalSinceNow > 0 { _ = RunLoop.current.run(mode: mode, before: until) }
  }
}
