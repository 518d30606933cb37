import Dispatch
import Foundation
import Synchronization

/// Notices ctrl-C, so that what was found so far is reported. A second ctrl-C ends at once.
final class InterruptWatch {
  private let interrupted = Flag()
  private let source: any DispatchSourceSignal

  /// What the signal's handler and the run share.
  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  init(onInterrupt: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: DispatchQueue(label: "socketlab.interrupt"))
    source.setEventHandler { [interrupted] in
      let isSecond = interrupted.value.withLock { value in
        defer { value = true }
        return value
      }
      if isSecond { _exit(130) }
      onInterrupt()
    }
    source.resume()
  }

  var isInterrupted: Bool { interrupted.value.withLock { $0 } }

  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}
