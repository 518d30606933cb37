import Dispatch
import Foundation

/// Notices ctrl-C, so that what was found so far is reported. A second ctrl-C ends at once.
package final class InterruptWatch {
  private let interrupted: StopFlag
  private let signals: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// - Parameters:
  ///   - signals: those that interrupt: ctrl-C, and what else asks to end, such as a runner's time limit.
  ///   - flag: is set by the first of them.
  package init(
    signals: [Int32] = [SIGINT, SIGTERM], flag: StopFlag = StopFlag(),
    onInterrupt: @escaping @Sendable () -> Void = {}
  ) {
    self.signals = signals
    interrupted = flag
    let queue = DispatchQueue(label: "socketlab.interrupt")
    sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
    let registered = DispatchGroup()
    for (number, source) in zip(signals, sources) {
      signal(number, SIG_IGN)
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.setEventHandler { [interrupted] in
        if interrupted.set() { _exit(128 + number) }
        onInterrupt()
      }
      source.resume()
    }
    // Until then a signal would be lost.
    registered.wait()
  }

  /// Whether a signal has come, or the flag was set otherwise.
  package var isInterrupted: Bool { interrupted.isSet }

  /// Gives the signals back their default action.
  package func end() {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}
