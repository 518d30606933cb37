import Dispatch
import Foundation
import SocketCore
import SocketTLS

extension SocketDriver {
  /// Calls the delegate for one event, on the delegate queue, without the lock.
  func deliver(_ letter: Box.Letter, of socket: GCDAsyncSocket) {
    let delegate = letter.delegate
    CallerBuffer.fill(for: letter.event)
    switch letter.event {
    case .didConnect(let address):
      delegate.socket(socket, didConnectToHost: address.host, port: address.port)
    case .didConnectToPath(let path):
      delegate.socket(socket, didConnectTo: URL(fileURLWithPath: path))
    case .didAccept(let handle):
      if let connection = handle as? AcceptedConnection { deliver(connection, to: delegate, of: socket) }
    case .didRead(let block, let tag, _):
      delegate.socket(socket, didRead: Data(taking: block), withTag: tag)
    case .didReadPartial(let count, let tag, _):
      delegate.socket(socket, didReadPartialDataOfLength: UInt(count), tag: tag)
    case .didWrite(let tag):
      delegate.socket(socket, didWriteDataWithTag: tag)
    case .didWritePartial(let count, let tag):
      delegate.socket(socket, didWritePartialDataOfLength: UInt(count), tag: tag)
    case .shouldTimeoutRead(let question, let tag, let elapsed, let bytesDone):
      let seconds = delegate.socket(
        socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))
      answer(question, extension: seconds)
    case .shouldTimeoutWrite(let question, let tag, let elapsed, let bytesDone):
      let seconds = delegate.socket(
        socket, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))
      answer(question, extension: seconds)
    case .didCloseRead: delegate.socketDidCloseReadStream(socket)
    case .didSecure: delegate.socketDidSecure(socket)
    case .didReceiveTrust(let question, let shown):
      guard let shown = shown as? PeerTrust else { return }
      let trust = SecTrust(core: shown)
      // The handler may outlive the socket, which it does not keep.
      delegate.socket(socket, didReceive: trust) { [weak self] isTrusted in
        self?.answer(question, trust.isUnhandled ? .notHandled : isTrusted ? .trusted : .distrusted)
      }
    case .didDisconnect(let reason): delegate.socketDidDisconnect(socket, withError: reason?.error)
    }
  }

  private func answer(_ question: TimeoutQuestion, extension seconds: Double) {
    enterWhenFree { driver in
      driver.machine.answer(question, extension: seconds, now: Self.now)
      driver.pass()
    }
  }

  private func answer(_ question: TrustQuestion, _ answer: TrustAnswer) {
    enterWhenFree { driver in
      driver.machine.answer(question, answer)
      driver.pass()
    }
  }

  /// A client: first its queue is asked for, then it is handed over, then it comes to life (ACC-18, ACC-23, ACC-24).
  private func deliver(_ connection: AcceptedConnection, to delegate: Delegate, of socket: GCDAsyncSocket) {
    let queue = delegate.newSocketQueueForConnection(fromAddress: Data(connection.address), on: socket)
    let child = type(of: socket).makeAccepted(delegate, connection.delegateQueue, queue)
    child.driver.isNoDelayEnabled = connection.isNoDelayEnabled
    child.driver.adopt(connection.socket, corked: true, announcing: nil)
    delegate.socket(socket, didAcceptNewSocket: child)
    child.driver.uncork()
  }

  // MARK: notifiesDisconnectBeforeReturning

  /// Delivers everything that waits, ending with didDisconnect, before returning: inline on the delegate queue,
  /// otherwise by a synchronous hop. Inside `perform(_:)`, and on the socket queue unless it is the delegate queue too,
  /// nothing is done, because the hop could wait for the caller (D-01).
  func deliverBeforeReturning() {
    let (lanes, holder, isInside) = look {
      mailbox.forgetBlocks()
      return (mailbox.waitingLanes, socket, lock.isOwned)
    }
    guard let holder, !isInside else { return }
    let here = DispatchQueue.getSpecific(key: delegateQueueKey)
    for (lane, queue) in lanes {
      if here == ObjectIdentifier(queue) {
        drain(lane, of: holder)
      } else if !isOnSocketQueue {
        queue.sync { drain(lane, of: holder) }
      }
    }
  }

  /// Lets `deliverBeforeReturning` recognise the queues that callbacks wait on: the delegate queue, and former ones
  /// that are not done. Global queues carry no marks; a hop to one can't wait for its caller, so they need none.
  func markDelegateQueues() {
    let candidates = [delegateQueue].compactMap(\.self) + mailbox.waitingLanes.map(\.queue)
    let wanted = notifiesDisconnectBeforeReturning ? candidates.filter { !$0.isGlobal } : []
    for queue in markedQueues where !wanted.contains(where: { $0 === queue }) {
      queue.setSpecific(key: delegateQueueKey, value: nil)
    }
    for queue in wanted { queue.setSpecific(key: delegateQueueKey, value: ObjectIdentifier(queue)) }
    markedQueues = wanted
  }
}
