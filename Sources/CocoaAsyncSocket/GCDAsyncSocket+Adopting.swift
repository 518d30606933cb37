import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

extension GCDAsyncSocket {
  /// A socket with a socket queue; see the designated initialiser.
  public convenience init(socketQueue sq: DispatchQueue?) {
    self.init(delegate: nil, delegateQueue: nil, socketQueue: sq)
  }

  /// A socket with a delegate, whose callbacks run on the delegate queue.
  public convenience init(delegate aDelegate: (any GCDAsyncSocketDelegate)?, delegateQueue dq: DispatchQueue?) {
    self.init(delegate: aDelegate, delegateQueue: dq, socketQueue: nil)
  }

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
      let address = peer.ip
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
    let open = OpenSocket(Descriptor(adopting: socketFD), peer: peer)
    driver.adopt(open, inactive: false, announcing: .didConnect(address))
  }

  /// Takes over one end of a connected stream of any family, such as a socket pair's, without telling the delegate. On
  /// failure the descriptor stays the caller's.
  package convenience init(
    adoptingStream descriptor: Int32, delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?,
    socketQueue: DispatchQueue?
  ) throws(SystemCallFailure) {
    try SocketCall.setNonBlocking(descriptor)
    self.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: socketQueue)
    driver.adopt(OpenSocket(Descriptor(adopting: descriptor)), inactive: false, announcing: nil)
  }
}
