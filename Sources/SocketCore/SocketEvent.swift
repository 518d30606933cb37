import SocketValues

/// An event for the delegate. Events are delivered in the order in which they were produced (INV-03).
package enum SocketEvent: Sendable {
  case didConnect(SocketAddress)
  case didConnectToPath(String)
  /// A connection was accepted; the handle is the driver's.
  case didAccept(any AnyObject & Sendable)
  case didRead(ByteBlock, tag: Int, destination: (any AnyObject & Sendable)?)
  /// For a read with a destination the bytes come along.
  case didReadPartial(count: Int, tag: Int, shown: ReadExcerpt?)
  case didWrite(tag: Int)
  case didWritePartial(count: Int, tag: Int)
  /// The delegate decides whether the active read gets more time. `elapsed` in seconds (TMO-06).
  case shouldTimeoutRead(TimeoutQuestion, tag: Int, elapsed: Double, bytesDone: Int)
  case shouldTimeoutWrite(TimeoutQuestion, tag: Int, elapsed: Double, bytesDone: Int)
  case didCloseRead
  case didSecure
  /// The delegate decides whether the peer is who it should be; the object is the session's (`HandshakeProgress`).
  case didReceiveTrust(TrustQuestion, any AnyObject & Sendable)
  /// The connection is about to end, and not by a call of the local side: only where ends are announced
  /// (`SocketConfiguration.announcesEnds`). Then `SocketMachine.concludeEnd`.
  case willDisconnect(SocketFailure)
  /// The last event of a generation (INV-02); nil: closed by a call of the local side.
  case didDisconnect(SocketFailure?)
}

/// A copy of bytes that an unfinished read has received, for its destination: the delegate finds the reported bytes
/// there.
package struct ReadExcerpt: Sendable {
  /// The bytes received since the last report.
  package var bytes: ByteBlock
  /// Bytes of the read before them.
  package var offset: Int
  /// The driver's handle on the caller's buffer (`ReadRequest.destination`).
  package var destination: any AnyObject & Sendable
}

/// The identity of one question to the delegate, so that a late answer never meets another operation (TMO-11).
package struct TimeoutQuestion: Hashable, Sendable {
  /// Which of the two clocks the question is about.
  package enum Direction: Hashable, Sendable { case read, write }

  /// Whether the read or the write has timed out.
  package var direction: Direction
  /// The start that the operation belongs to.
  package var generation: UInt64
  /// Counts the questions of that start, from 1.
  package var number: UInt64
}

/// Work that the driver has to do for the machine, in order, as soon as the method returns.
package enum SocketCommand: Hashable, Sendable {
  /// Look the host up, off the calling thread; answer with `lookupFinished`.
  case lookUp(LookupID, host: String, port: UInt16)
  /// The answer to the lookup is not needed any more.
  case forgetLookup(LookupID)
  /// Open a socket, bind it if `local` is given, and start to connect; answer with `attemptSucceeded`, `attemptFailed`
  /// or `attemptMustRetry`, or with `startRefused` when a synchronous start fails before connect was called.
  case attempt(AttemptID, remote: SocketAddress, local: SocketAddress?)
  /// Start to connect the attempt's descriptor once more (`attemptMustRetry`); nil: to the Unix-domain path.
  case retry(AttemptID, remote: SocketAddress?)
  /// Close the attempt's descriptor, if it is still there.
  case abandon(AttemptID)
  /// The attempt's descriptor is the connection now.
  case establish(AttemptID)
  /// Close the connection or the listeners. There are final bytes of TLS only, to be sent before.
  case close(CloseManner, finalBytes: [UInt8] = [])
}

/// What becomes of written bytes when a descriptor is closed.
package enum CloseManner: Hashable, Sendable {
  /// At once; what was not sent is lost.
  case immediate
  /// The same for a secured connection. Unread input may be TLS's own, which no user can read: a server's session
  /// tickets, for one. That much of it (`LingerLimit.ownInput`) is discarded, before the close and for a while behind
  /// it, so that no reset destroys what was written before (DIS-23).
  case secured
  /// Everything written reaches the peer, even if unread input is waiting (DIS-22).
  case graceful
}

/// Names the one lookup of a start.
package struct LookupID: Hashable, Sendable {
  /// The start that asked for the lookup.
  package var generation: UInt64

  package init(generation: UInt64) { self.generation = generation }
}

/// Names an attempt to connect, so that late results are told apart from those of this start (INV-18).
package struct AttemptID: Hashable, Sendable {
  /// The start that the attempt belongs to.
  package var generation: UInt64
  /// 0 for the preferred address, 1 for the alternate.
  package var index: Int

  package init(generation: UInt64, index: Int) {
    self.generation = generation
    self.index = index
  }
}
