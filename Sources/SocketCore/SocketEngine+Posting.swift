import SocketValues

// Puts events into the mailbox, schedules its lanes on their queues, and has them delivered there.
extension SocketEngine {
  // MARK: Posting

  /// In nanoseconds. A peer on the same host answers within microseconds, and may preempt the thread that is connecting
  /// to it; so the outcome of a start is not reported within this time after it.
  private static let minTimeToConnect: Int64 = 1_000_000

  /// Puts the machine's events into the mailbox for this delegate and queue. `isConcurrent`: the queue runs blocks side
  /// by side.
  package func post(to delegate: AnyObject, on queue: AnyObject, isConcurrent: Bool) {
    isDelegateUnchanged = true
    machine.drainEvents { post($0, to: delegate, on: queue, isConcurrent: isConcurrent) }
  }

  /// Hands out the machine's events where there is no delegate or no queue: no callback is made (CFG-11), but the bytes
  /// of a read still belong into the caller's buffer (RD-BUF-02), and an accepted client is to be closed (ACC-32).
  package func discardEvents(_ body: (SocketEvent) -> Void) { machine.drainEvents(body) }

  private func post(_ event: SocketEvent, to delegate: AnyObject, on queue: AnyObject, isConcurrent: Bool) {
    let start = unreportedStart
    unreportedStart = nil
    let asksForBlock = entry == .disconnecting && !isConcurrent
    guard
      let scheduled = mailbox.post(
        event, to: delegate, on: queue, isTerminal: event.isTerminal,
        behindBlocks: start != nil || mustStandBehindCaller(event), withBlock: asksForBlock)
    else { return }
    schedule(scheduled.block, on: scheduled.queue, startedAt: start)
  }

  /// Whether the event is to be delivered only after the blocks that the caller is about to enqueue. Completions of
  /// operations that a callback has queued are delivered as soon as it has returned; a disconnection that a call causes
  /// never overtakes the caller's blocks.
  private func mustStandBehindCaller(_ event: SocketEvent) -> Bool {
    switch entry {
    case .call(let inCallback, _): event.isTerminal || !inCallback
    case .disconnecting: true
    case .turn(let forCalls): forCalls
    case .loop, .betweenCallbacks: false
    }
  }

  /// Has a lane drained that has got its first event.
  private func schedule(_ block: Box.Block, on queue: AnyObject, startedAt start: Instant?) {
    let manner: Service.Manner =
      switch entry {
      case _ where start != nil:
        .behindCaller(notBefore: start.map { Instant(nanoseconds: $0.nanoseconds + Self.minTimeToConnect) })
      case .call: .behindCaller(notBefore: nil)
      case .turn(forCalls: true): isSocketQueue(queue) ? .handOver : .behindCaller(notBefore: nil)
      case .turn(forCalls: false):
        if !isSocketQueue(queue) {
          shortcuts.contains(.lending) ? .byLoop : .handOver
        } else {
          shortcuts.contains(.inlineDelivery) ? .inline : .handOver
        }
      case .loop(mayServe: true): shortcuts.contains(.lending) ? .byLoop : .handOver
      case .loop, .disconnecting, .betweenCallbacks: .handOver
      }
    switch manner {
    case .behindCaller, .byLoop: delayedBlocks.append((block, queue))
    case .inline, .handOver: break
    }
    services.append(Service(block: block, queue: queue, manner: manner))
  }

  private func isSocketQueue(_ queue: AnyObject) -> Bool {
    socketQueue.map { mailbox.isSameQueue($0, queue) } ?? false
  }

  /// Takes up a block that was to be put on its queue, or run by the loop's thread, a while after it was asked for.
  /// Returns whether that is to be done now; false if `scheduleDelayedLanes` has put it on its queue meanwhile.
  package func takeDelayed(_ block: Box.Block) -> Bool {
    guard let index = delayedBlocks.firstIndex(where: { $0.block == block }) else { return false }
    delayedBlocks.remove(at: index)
    return true
  }
}

extension SocketEvent {
  /// Whether it is didDisconnect: nothing of its generation may follow (INV-02).
  package var isTerminal: Bool {
    if case .didDisconnect = self { return true }
    return false
  }
}
