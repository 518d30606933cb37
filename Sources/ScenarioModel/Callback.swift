/// The delegate callbacks of a stream-socket subject, with what they carried.
package enum Callback: Hashable, Sendable, Codable {
  case didConnect(host: String, port: UInt16)
  case didConnectToURL(path: String)
  /// The listener asked which queue an accepted child shall use.
  case newSocketQueue
  /// `child` is the name the lab gave the new socket: `child`, `child2`, `child3`…
  case didAccept(child: String)
  case didRead(bytes: [UInt8], tag: Int)
  /// `count` is the increment since the last report, in bytes.
  case didReadPartial(count: Int, tag: Int)
  case didWrite(tag: Int)
  case didWritePartial(count: Int, tag: Int)
  /// `elapsed` in seconds, `bytesDone` in bytes.
  case shouldTimeoutRead(tag: Int, elapsed: Double, bytesDone: Int)
  case shouldTimeoutWrite(tag: Int, elapsed: Double, bytesDone: Int)
  case didCloseRead
  case didDisconnect(SubjectError?)
  case didSecure
  case didReceiveTrust
  /// Of the run-loop class: the connection is about to be made, and the delegate may say no.
  case willConnect
  /// Of the run-loop class: the connection ends without having been told to; nil: the peer closed it in order.
  case willDisconnect(SubjectError?)
  /// Of the run-loop class: the listener asked which run loop an accepted child shall live on.
  case wantsRunLoop

  /// Which callback it is, without what it carried.
  package var kind: CallbackKind {
    switch self {
    case .didConnect: .didConnect
    case .didConnectToURL: .didConnectToURL
    case .newSocketQueue: .newSocketQueue
    case .didAccept: .didAccept
    case .didRead: .didRead
    case .didReadPartial: .didReadPartial
    case .didWrite: .didWrite
    case .didWritePartial: .didWritePartial
    case .shouldTimeoutRead: .shouldTimeoutRead
    case .shouldTimeoutWrite: .shouldTimeoutWrite
    case .didCloseRead: .didCloseRead
    case .didDisconnect: .didDisconnect
    case .didSecure: .didSecure
    case .didReceiveTrust: .didReceiveTrust
    case .willConnect: .willConnect
    case .willDisconnect: .willDisconnect
    case .wantsRunLoop: .wantsRunLoop
    }
  }

  /// The tag of the read or write it is about; nil for callbacks that carry none.
  package var tag: Int? {
    switch self {
    case .didRead(_, let tag), .didReadPartial(_, let tag), .didWrite(let tag), .didWritePartial(_, let tag),
      .shouldTimeoutRead(let tag, _, _), .shouldTimeoutWrite(let tag, _, _):
      tag
    default: nil
    }
  }
}

/// The callbacks' names, as scenario files write them.
package enum CallbackKind: String, CaseIterable, Hashable, Sendable, Codable {
  case didConnect, didConnectToURL, newSocketQueue, didAccept, didRead, didReadPartial, didWrite, didWritePartial
  case shouldTimeoutRead, shouldTimeoutWrite, didCloseRead, didDisconnect, didSecure, didReceiveTrust
  case willConnect, willDisconnect, wantsRunLoop

  /// Progress reports, questions about queues and run loops, and what one class tells beforehand, which a scenario may
  /// leave out of its expectations: unless some expectation of the scenario names the kind, its callbacks are recorded
  /// but not judged for order.
  package var isIncidental: Bool {
    switch self {
    case .didReadPartial, .didWritePartial, .newSocketQueue, .willConnect, .willDisconnect, .wantsRunLoop: true
    default: false
    }
  }
}

/// A callback as it was delivered: by which socket, to which delegate.
package struct DeliveredCallback: Hashable, Sendable, Codable {
  /// The lab's name of the socket.
  package var socket: String
  /// The lab's name of the delegate object that received it: `delegate` unless the scenario swaps delegates.
  package var delegate: String
  /// Which callback it was, with what it carried.
  package var callback: Callback
  /// The lab's name of the run loop it came on; nil: it came on a queue.
  package var runLoop: String?
  /// The mode that the run loop was in; nil: it came on a queue.
  package var mode: String?
  /// The lab's name of the queue it came on, empty for a queue that is none of the case's; nil: nobody looked.
  package var queue: String?

  package init(
    socket: String, delegate: String, callback: Callback, runLoop: String? = nil, mode: String? = nil,
    queue: String? = nil
  ) {
    self.socket = socket
    self.delegate = delegate
    self.callback = callback
    self.runLoop = runLoop
    self.mode = mode
    self.queue = queue
  }
}

/// What must hold for a callback to be the expected one; nil fields are not looked at.
package struct CallbackPattern: Hashable, Sendable, Codable {
  /// Always compared.
  package var kind: CallbackKind
  /// The tag of the read or write; a callback without one does not match.
  package var tag: Int?
  /// The exact bytes of a didRead.
  package var bytes: Payload?
  /// The number of bytes of a didRead, or the increment of a partial.
  package var count: ClosedRange<Int>?
  /// `ContentHash.text` of a didRead's bytes.
  package var hash: String?
  /// Of a didConnect: the peer's numeric host.
  package var host: String?
  /// Of a didConnect: the peer's port.
  package var port: UInt16?
  /// Of a didConnectToURL: the path.
  package var path: String?
  /// Of a didDisconnect or willDisconnect: the errors that may have ended the connection.
  package var error: ErrorPattern?
  /// Seconds; compared within 1e-9 (TMO-06).
  package var elapsed: Double?
  /// Of a shouldTimeout: the bytes done so far.
  package var bytesDone: ClosedRange<Int>?
  /// Of a didAccept: the lab's name of the new socket.
  package var child: String?
  /// The lab's name of the delegate that must receive it.
  package var delegate: String?
  /// The lab's name of the run loop it must come on; a callback on a queue does not match.
  package var runLoop: String?
  /// The mode that the run loop must be in.
  package var mode: String?

  package init(kind: CallbackKind) { self.kind = kind }
}
