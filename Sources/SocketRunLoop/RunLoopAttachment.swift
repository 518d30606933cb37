import Foundation
import SocketPOSIX
import SocketValues
import Synchronization

/// A handler's registration with a run loop, in certain modes. When it is released, the handler is detached.
///
/// Every method may be called from every thread; calls of the handler come on the run loop's thread only.
package final class RunLoopAttachment: Sendable {
  /// The run loop.
  package var runLoop: RunLoop { hub.runLoop }
  /// The modes in which the handler is called.
  package let modes: [RunLoop.Mode]
  private let hub: RunLoopHub
  private let ports: [RunLoopPort]
  private let id: UInt64
  private let isDetached = Atomic(false)

  /// Attaches a handler, which is held weakly. Throws where the process has no descriptors left.
  package init(
    _ handler: any RunLoopHandler, to runLoop: RunLoop, modes: [RunLoop.Mode]
  ) throws(SystemCallFailure) {
    hub = RunLoopHub.of(runLoop)
    self.modes = modes
    (id, ports) = try hub.attach(handler, in: modes)
  }

  deinit { detach() }

  /// Ends it before it is released: the handler is not called any more. Once is enough.
  package func detach() {
    guard !isDetached.exchange(true, ordering: .relaxed) else { return }
    hub.detach(id, from: ports)
  }

  /// Whether the caller is on the run loop's thread.
  package var isCurrentThread: Bool { hub.isCurrentThread }

  /// Whether the run loop's thread is over: the handler will not be called any more.
  package var hasEnded: Bool { hub.hasEnded }

  /// Starts to watch a descriptor, edge-triggered; what is ready now is reported at once. Events carry `key`.
  package func watch(
    _ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]
  ) throws(SystemCallFailure) {
    for port in ports { try port.watch(descriptor, token: id << 16 | UInt64(key), interest: interest) }
  }

  /// Stops watching a descriptor, before it is closed.
  package func unwatch(_ descriptor: Int32) {
    for port in ports { port.unwatch(descriptor) }
  }

  /// Sets the one deadline, in place of the last; nil cancels it. Moving it later costs no system call.
  package func setDeadline(_ instant: Instant?) {
    for port in ports { port.setDeadline(id, to: instant) }
  }

  /// Has `runLoopTakesTurn` called in a later iteration of the run loop, once for all requests made before that call.
  package func requestTurn() {
    for port in ports { port.requestTurn(id) }
    hub.wake()
  }
}
