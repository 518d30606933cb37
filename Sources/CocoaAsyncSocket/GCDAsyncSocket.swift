import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// A TCP (or Unix-domain) socket with queued, non-blocking reads and writes and a delegate.
///
/// Every method may be called from any thread or queue (THR-01) and never waits for the delegate queue, with the one
/// exception that `notifiesDisconnectBeforeReturning` asks for (INV-12). Callbacks run on the delegate queue, in order.
/// The delegate is held weakly. An instance can be used again after every disconnect (LIFE-09).
///
/// Subclasses that define designated initialisers of their own must also implement `init(delegate:delegateQueue:
/// socketQueue:)`: accepted connections are instances of the listener's class (LIFE-27).
open class GCDAsyncSocket: NSObject, @unchecked Sendable {
  // Unchecked: the only stored property is immutable and guards itself.
  let driver: SocketDriver

  /// A socket whose delegate and queues are set later (LIFE-24).
  public convenience override init() {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: nil)
  }

  /// A socket with a socket queue; see the designated initialiser.
  public convenience init(socketQueue sq: DispatchQueue?) {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: sq)
  }

  /// A socket with a delegate, whose callbacks run on the delegate queue.
  public convenience init(delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?) {
    self.init(delegate: aDelegate, delegateQueue: dq, socketQueue: nil)
  }

  /// The designated initialiser. Without a socket queue the socket works on whichever thread has work for it; with one
  /// (serial; a global queue is a programming error, LIFE-25), input and output happen on it only.
  public required init(
    delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?, socketQueue sq: DispatchQueue?
  ) {
    precondition(
      sq?.isGlobal != true,
      "The socket queue must not be a global concurrent queue: make a serial DispatchQueue for the socket.")
    driver = SocketDriver(delegate: aDelegate, delegateQueue: dq, socketQueue: sq)
    super.init()
    driver.socket = self
  }

  deinit { driver.abandon() }

  // MARK: Adopting a descriptor

  /// Takes over a connected TCP descriptor (LIFE-22). On success the socket owns it; on failure the caller still does.
  public convenience init(fromConnectedSocketFD socketFD: Int32, socketQueue sq: DispatchQueue?) throws {
    try self.init(fromConnectedSocketFD: socketFD, delegate: nil, delegateQueue: nil, socketQueue: sq)
  }

  /// Takes over a connected TCP descriptor and tells the delegate with didConnect (LIFE-23).
  public convenience init(
    fromConnectedSocketFD socketFD: Int32, delegate aDelegate: (any GCDAsyncSocketDelegate)?,
    delegateQueue dq: DispatchQueue?
  ) throws {
    try self.init(fromConnectedSocketFD: socketFD, delegate: aDelegate, delegateQueue: dq, socketQueue: nil)
  }

  /// Takes over a connected TCP descriptor and tells the delegate with didConnect (LIFE-23).
  public convenience init(
    fromConnectedSocketFD socketFD: Int32, delegate aDelegate: (any GCDAsyncSocketDelegate)?,
    delegateQueue dq: DispatchQueue?, socketQueue sq: DispatchQueue?
  ) throws {
    guard let peer = SocketCall.peerAddress(socketFD), SocketCall.isStream(socketFD),
      let address = SocketAddress(decoding: peer.bytes)
    else {
      throw SocketFailure.other("The descriptor is not a connected IPv4 or IPv6 stream socket.").error
    }
    do {
      try SocketCall.setNonBlocking(socketFD)
    } catch {
      throw SocketFailure.other("The descriptor can't be made non-blocking: \(error.message)").error
    }
    self.init(delegate: aDelegate, delegateQueue: dq, socketQueue: sq)
    driver.applyNoDelay(to: socketFD, peer)
    driver.adopt(OpenSocket(Descriptor(adopting: socketFD)), corked: false, announcing: .didConnect(address))
  }

  /// Takes over one end of a connected stream of any family, such as a socket pair's, without telling the delegate. On
  /// failure the descriptor stays the caller's.
  package convenience init(
    adoptingStream descriptor: Int32, delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?,
    socketQueue: DispatchQueue?
  ) throws(SystemCallFailure) {
    try SocketCall.setNonBlocking(descriptor)
    self.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: socketQueue)
    driver.adopt(OpenSocket(Descriptor(adopting: descriptor)), corked: false, announcing: nil)
  }

  // MARK: Description

  /// One line about the state, for logs.
  open override var description: String {
    let state = driver.look { () -> String in
      if driver.machine.isConnected { return "connected to \(driver.remoteText)" }
      if driver.machine.isListening { return "accepting on port \(driver.localPort)" }
      return driver.machine.isDisconnected ? "not connected" : "connecting"
    }
    let backlog = driver.look { driver.machine.backlog }
    return
      "<GCDAsyncSocket \(state), reads: \(backlog.reads), writes: \(backlog.writes), buffered: \(backlog.buffered)>"
  }
}
