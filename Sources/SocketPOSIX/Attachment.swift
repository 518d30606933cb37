import SocketValues

/// A handler's registration with an event loop. The handler keeps it; when it is released, the handler is detached.
///
/// Every method may be called from every thread, and on the loop's thread inside a call of the handler.
package final class Attachment: Sendable {
  /// The loop it belongs to.
  package let loop: EventLoop
  private let id: UInt64

  init(loop: EventLoop, id: UInt64) {
    self.loop = loop
    self.id = id
  }

  deinit {
    detach()
  }

  /// Starts to watch a descriptor, edge-triggered; what is ready now is reported at once. Events carry `key`.
  ///
  /// Errors, hang-ups and the peer's end of stream are reported whatever the interest. The descriptor stays watched
  /// until `unwatch` or until it is closed; detaching only silences it.
  package func watch(
    _ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]
  ) throws(SystemCallFailure) {
    try loop.watch(descriptor, id: id, key: key, interest: interest)
  }

  /// Has the present readiness of a watched descriptor reported again, and replaces its key and its interest.
  package func rearm(_ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]) {
    loop.rearm(descriptor, id: id, key: key, interest: interest)
  }

  /// Stops watching a descriptor, before it is closed; harmless if it is not watched. An event that the loop has
  /// fetched already may still be reported: a descriptor that replaces another should have another key.
  package func unwatch(_ descriptor: Int32) {
    loop.unwatch(descriptor)
  }

  /// Sets the one deadline, in place of the last; nil cancels it. Moving it later is cheap.
  package func setDeadline(_ instant: Instant?) {
    loop.setDeadline(id, to: instant)
  }

  /// Has `handleReadiness([], key:)` called on the loop's thread soon: once for all requests made before that call.
  package func requestWakeup(key: UInt16) {
    loop.requestWakeup(id, key: key)
  }

  /// Sets the group in whose loans calls of the handler can be made (`EventLoop.lend`); nil: none.
  package func join(_ group: (any LoanGroup)?) {
    loop.setGroup(id, to: group.map { ObjectIdentifier($0) })
  }

  /// On the loop's thread: has it do the work when it has left the present call and the queue it is on. If that takes
  /// long, the loop goes on with another thread, and calls the handler as after `requestWakeup(key:)`. Returns false if
  /// this is not the loop's thread, or not any more.
  package func doNext(_ work: any LentWork, key: UInt16) -> Bool {
    loop.doNext(work, for: id, key: key)
  }

  /// Detaches the handler: no call starts for it after this, and its deadline is cancelled.
  package func detach() {
    loop.detach(id)
  }
}
