import Dispatch
import Foundation
import Synchronization

/// Notices ctrl-C, so that what was found so far is reported. A second ctrl-C ends at once.
package final class InterruptWatch {
  private let interrupted = Flag()
  private let signals: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// What the signal's handler and the run share.
  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  /// - Parameter signals: those that interrupt: ctrl-C, and what else asks to end, such as a runner's time limit.
  package init(signals: [Int32] = [SIGINT, SIGTERM], onInterrupt: @escaping @Sendable () -> Void) {
    self.signals = signals
    let queue = DispatchQueue(label: "socketlab.interrupt")
    sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
    for (number, source) in zip(signals, sources) {
      signal(number, SIG_IGN)
      source.setEventHandler { [interrupted] in
        let isSecond = interrupted.value.withLock { value in
          defer { value = true }
          return value
        }
        if isSecond { _exit(128 + number) }
        onInterrupt()
      }
      source.resume()
    }
  }

  package var isInterrupted: Bool { interrupted.value.withLock { $0 } }

  package func end() {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}
