import Dispatch
import Glibc
import SocketCore
import SocketPOSIX

/// A descriptor with several references that is closed once, at the latest when the last one goes.
///
/// Not thread-safe by itself: its user holds the socket's lock, or is its only owner.
final class OpenSocket: @unchecked Sendable {
  // Unchecked: confined to the lock of the socket it belongs to, or handed over as a whole (see above).
  private var descriptor: Descriptor?
  /// The number, for system calls; meaningless after `close`.
  let number: Int32
  /// Whether a receive that fills less than its buffer has emptied the connection, as epoll(7) says. Over a Unix-domain
  /// socket it need not: a receive stops behind bytes that a file descriptor came with, and no edge tells of the rest.
  private let shortReceiveMeansEmpty: Bool
  /// The peer's address, as far as it is known; the kernel forgets it as soon as the peer has reset the connection.
  var peer: RawAddress?
  /// Whether the own port is one that the user has named.
  var hasNamedPort = false

  init(_ descriptor: consuming Descriptor, peer: RawAddress? = nil) {
    number = descriptor.rawValue
    shortReceiveMeansEmpty = SocketCall.family(number) != AF_UNIX
    self.peer = peer
    self.descriptor = consume descriptor
  }

  /// The machine's view of it.
  var transport: DescriptorTransport {
    DescriptorTransport(number: number, shortReceiveMeansEmpty: shortReceiveMeansEmpty)
  }

  deinit { close() }

  /// Closes the descriptor, without waiting for the peer.
  func close() {
    guard descriptor != nil else { return }
    SocketCall.forgetLingerTime(number)
    descriptor = nil
  }

  /// Gives up the descriptor, still open, to its former owner.
  func release() {
    if let descriptor = descriptor.take() { _ = descriptor.release() }
  }
}

/// A client that a listener accepted, on its way to the delegate. If no delegate takes it, it is closed (ACC-32).
final class AcceptedConnection: Sendable {
  let socket: OpenSocket
  /// The client's raw sockaddr; empty for Unix-domain clients without a name.
  let address: [UInt8]
  /// The listener's delegate queue when the client came; the client inherits it with the delegate of that moment, so
  /// that an old delegate never meets a new queue (CFG-08, CFG-15).
  let delegateQueue: DispatchQueue?
  /// The listener's setting when the client came, which its descriptor has already (D-33).
  let isNoDelayEnabled: Bool

  init(socket: OpenSocket, address: [UInt8], delegateQueue: DispatchQueue?, isNoDelayEnabled: Bool) {
    self.socket = socket
    self.address = address
    self.delegateQueue = delegateQueue
    self.isNoDelayEnabled = isNoDelayEnabled
  }
}

/// The machine's view of a connected descriptor.
struct DescriptorTransport: StreamTransport {
  let number: Int32
  let shortReceiveMeansEmpty: Bool

  /// Where there is no connection: every call fails.
  static let none = DescriptorTransport(number: -1, shortReceiveMeansEmpty: true)

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    TransportResult(SocketCall.receive(number, into: buffer))
  }

  func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    if pieces.count == 1 { return TransportResult(SocketCall.send(number, pieces[0])) }
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count) { vectors in
      for (index, piece) in pieces.enumerated() {
        vectors.initializeElement(
          at: index, to: iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count))
      }
      return TransportResult(SocketCall.send(number, gathering: UnsafeBufferPointer(vectors)))
    }
  }

  func peek() -> TransportResult { TransportResult(SocketCall.peek(number)) }

  func pendingError() -> Int32 { SocketCall.pendingError(number) }
}

extension TransportResult {
  init(_ result: IOResult) {
    self =
      switch result {
      case .bytes(let count): .bytes(count)
      case .wouldBlock: .wouldBlock
      case .endOfStream: .endOfStream
      case .failed(let errno): .failed(errno)
      }
  }
}
