import Glibc
import SocketPOSIX
import SocketValues

/// The address at which a scripted peer can be reached, and whether it accepts, refuses or stays silent there.
///
/// Laws
/// - The address stays the peer's from `init` to the end: a reservation, bound but never listening, keeps other cases
///   of the same run from getting the port while the peer does not listen. Connects then are refused. So are those to
///   the port in the other family, if the kernel chose it: nobody else has it there.
/// - `blackhole` is proven, not assumed: it returns only after a connect of its own was left hanging.
///
/// How the hole is made: with a backlog of 0 the kernel holds one connection that is not accepted; one of ours takes
/// that place and every further SYN is dropped. The subject's kernel repeats its SYN after 1 s, 3 s, 7 s…, so a connect
/// that waits is established at the next of these moments after the hole has ended, not at once. A local (Unix-domain)
/// socket has no such waiting: a full backlog fails a nonblocking connect with EAGAIN at once, and only blocking
/// connects hang.
final class PeerListener {
  private static let backlog: Int32 = 128
  /// How long a connect must stay unanswered to count as hanging: a loopback handshake takes microseconds.
  private static let hangProof: Int64 = 20_000_000
  /// How long the first filler may take, in nanoseconds.
  private static let fillTimeout: Int64 = 1_000_000_000

  let address: RawAddress
  private let receiveBuffer: Int?
  /// Holds the port; nil for local sockets, whose paths are not shared.
  private let reservation: ReservedSocket?
  /// Holds the port in both families; nil for a port that was named, and for local sockets.
  private let port: ReservedPort?
  private var listener: ReservedSocket?
  /// Our own connections that fill the hole: the first ones in the kernel's queue.
  private var fillers: [ReservedSocket] = []

  /// Reserves the address: with port 0 the kernel chooses one. Connects are refused until `listen` or `blackhole`.
  /// Throws EADDRINUSE when another socket has the port or the path; a stale path, which has no listener, is taken
  /// over.
  init(at wanted: RawAddress, receiveBuffer: Int?) throws(SystemCallFailure) {
    self.receiveBuffer = receiveBuffer
    port = wanted.family == AF_UNIX || wanted.port != 0 ? nil : try ReservedPort()
    let wanted = port.map { wanted.withPort($0.number) } ?? wanted
    let socket = try Self.bound(to: wanted)
    address = SocketCall.localAddress(socket.raw) ?? wanted
    if address.family == AF_UNIX {
      reservation = nil
      listener = socket
    } else {
      reservation = socket
    }
  }

  /// Starts to listen, for the first time or again.
  func listen() throws(SystemCallFailure) { try listen(backlog: Self.backlog) }

  /// Stops listening; connections that were not accepted are reset, later connects are refused.
  func stop() {
    listener = nil
    fillers = []
  }

  /// Listens, but so that connects hang.
  func blackhole() throws(SystemCallFailure) {
    try listen(backlog: 0)
    while fillers.count < Self.maxFillers {
      let socket = ReservedSocket(try SocketCall.open(family: address.family))
      do {
        if try SocketCall.startConnect(socket.raw, to: address) || isConnected(socket) {
          fillers.append(socket)
          continue
        }
      } catch {
        guard error.code == EAGAIN && !fillers.isEmpty else { throw error }
      }
      // This one hangs. Without it in the way, the next to get in is the subject.
      guard !fillers.isEmpty else { break }
      return
    }
    throw SystemCallFailure(call: "blackhole", code: EOPNOTSUPP)
  }

  /// The next connection; nil when none waits. Ends the hole if there is one. Throws ENOTCONN when it does not listen.
  func accept() throws(SystemCallFailure) -> Accepted? {
    guard let listener else { throw SystemCallFailure(call: "accept", code: ENOTCONN) }
    if !fillers.isEmpty { try endHole(of: listener) }
    return try SocketCall.accept(listener.raw)
  }

  /// Whether a connection waits whose other end is still open; takes those that wait. A hole holds the lab's own.
  func hasUninvited() -> Bool {
    guard let listener, fillers.isEmpty else { return false }
    while let accepted = try? SocketCall.accept(listener.raw) {
      let descriptor = accepted.takeDescriptor()
      let result = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
        SocketCall.receive(descriptor.rawValue, into: $0)
      }
      switch result {
      case .bytes, .wouldBlock: return true
      case .endOfStream, .failed: continue
      }
    }
    return false
  }

  func addInterest(to set: inout ReadinessSet) {
    guard let listener else { return }
    set.add(listener.raw, reading: true, writing: false)
  }

  /// More places than any kernel gives a backlog of 0.
  private static let maxFillers = 64

  private func listen(backlog: Int32) throws(SystemCallFailure) {
    if listener == nil {
      listener = try Self.bound(to: address)
    }
    guard let listener else { return }
    if let receiveBuffer { try SocketCall.setReceiveBuffer(listener.raw, bytes: receiveBuffer) }
    try SocketCall.listen(listener.raw, backlog: backlog)
  }

  private func isConnected(_ socket: ReservedSocket) -> Bool {
    var set = ReadinessSet()
    set.add(socket.raw, reading: false, writing: true)
    set.wait(until: Instant.now().advanced(by: fillers.isEmpty ? Self.fillTimeout : Self.hangProof))
    return set.isReady(0) && SocketCall.pendingError(socket.raw) == 0
  }

  private func endHole(of listener: ReservedSocket) throws(SystemCallFailure) {
    try SocketCall.listen(listener.raw, backlog: Self.backlog)
    for filler in fillers {
      try? SocketCall.setResetOnClose(filler.raw)
      guard let accepted = try SocketCall.accept(listener.raw) else { break }
      accepted.takeDescriptor().close()
    }
    fillers = []
  }

  private static func bound(to address: RawAddress) throws(SystemCallFailure) -> ReservedSocket {
    let socket = ReservedSocket(try SocketCall.open(family: address.family))
    if address.family != AF_UNIX { try SocketCall.setReuseAddress(socket.raw) }
    if address.family == AF_INET6 { try SocketCall.setV6Only(socket.raw) }
    try UnixPath.bind(socket.raw, to: address)
    return socket
  }
}

/// A descriptor that arrays and optionals can hold; closed when the last reference goes.
final class ReservedSocket {
  private let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Valid for as long as this object lives.
  var raw: Int32 { descriptor.rawValue }
}
