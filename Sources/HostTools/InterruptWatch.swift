import Dispatch
import Foundation
import Synchronization

/// Notices ctrl-C, so that what was found so far is reported. A second ctrl-C ends at once.
///
/// Two signals right behind each other are one: `timeout` sends its signal to the program and then to the program's
/// group.
///
/// A terminal that goes away ends the work like ctrl-C. What is to go on without one (`nohup`) began with that signal
/// ignored, and it stays so.
package final class InterruptWatch {
  private let interrupted: StopFlag
  private let signals: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// - Parameters:
  ///   - signals: those that interrupt: ctrl-C, and what else asks to end, such as a runner's time limit or a terminal
  ///     that is closed.
  ///   - flag: is set by the first of them.
  package init(
    signals: [Int32] = [SIGINT, SIGTERM, SIGHUP], flag: StopFlag = StopFlag(),
    onInterrupt: @escaping @Sendable () -> Void = {}
  ) {
    let signals = signals.filter { $0 != SIGHUP || !Self.ignoresHangup }
    self.signals = signals
    interrupted = flag
    let queue = DispatchQueue(label: "socketlab.interrupt")
    let history = InterruptHistory()
    sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
    let registered = DispatchGroup()
    for (number, source) in zip(signals, sources) {
      signal(number, SIG_IGN)
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.setEventHandler { [interrupted] in
        switch history.take(at: .now, wasSet: interrupted.set()) {
        case .first: onInterrupt()
        case .echo: break
        case .second: _exit(128 + number)
        }
      }
      source.resume()
    }
    // Until then a signal would be lost.
    registered.wait()
  }

  /// Whether the process began so. The first watch asks: later ones would see what an earlier one has set.
  private static let ignoresHangup: Bool = {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }()

  /// Whether a signal has come, or the flag was set otherwise.
  package var isInterrupted: Bool { interrupted.isSet }

  /// Gives the signals back their default action.
  package func end() {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}

/// What a signal means after those before it.
final class InterruptHistory: Sendable {
  enum Meaning { case first, echo, second }

  /// Shorter than it takes a person to press the keys again.
  static let echo = Duration.milliseconds(100)

  private let first = Mutex<ContinuousClock.Instant?>(nil)

  /// - Parameter wasSet: the end has been asked for before, by a signal or otherwise.
  func take(at now: ContinuousClock.Instant, wasSet: Bool) -> Meaning {
    first.withLock { first in
      guard wasSet else {
        first = now
        return .first
      }
      return first.map { now - $0 < Self.echo } == true ? .echo : .second
    }
  }
}
