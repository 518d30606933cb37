import CoreFoundation
import Dispatch
import Foundation
import SocketPOSIX

/// A thread with a run loop, which lives as long as the process.
final class LifecycleLoop: Sendable {
  private struct Home: @unchecked Sendable {
    // Unchecked: both may be asked from every thread what is asked of them here.
    var runLoop: RunLoop
    var loop: CFRunLoop
  }

  private static let key = "lifecycle.loop"
  /// A mode that the loop runs in only where a step says so.
  static let innerMode = RunLoop.Mode("lifecycle.inner")

  let number: Int
  private let home = LockedValue<Home?>(nil)

  init(_ number: Int) {
    self.number = number
    let isThere = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      Thread.current.threadDictionary[Self.key] = number
      guard let loop = CFRunLoopGetCurrent() else { preconditionFailure("a thread without a run loop") }
      home.withLock { $0 = Home(runLoop: .current, loop: loop) }
      // A run loop returns at once if it has nothing to wait for.
      RunLoop.current.add(Timer(timeInterval: 1_000_000, repeats: true) { _ in }, forMode: .default)
      isThere.signal()
      while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    thread.name = "lifecycle \(number)"
    thread.start()
    isThere.wait()
  }

  var runLoop: RunLoop? { home.withLock { $0?.runLoop } }

  /// The number of the loop on whose thread the caller is; nil: on none of them.
  static var current: Int? { Thread.current.threadDictionary[key] as? Int }

  /// On a loop's thread: runs it once, in the midst of what it does. The run takes the wake-up that belongs to a block
  /// of another mode with it, without which the outer one would sleep beside that block.
  static func runInside(_ mode: RunLoop.Mode) {
    _ = RunLoop.current.run(mode: mode, before: .distantPast)
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
  }

  /// Has the body run on the loop's thread, in the default mode.
  func perform(_ body: @escaping @Sendable () -> Void) {
    guard let home = home.withLock({ $0 }) else { return }
    home.runLoop.perform(inModes: [.default], block: body)
    CFRunLoopWakeUp(home.loop)
  }
}
