import Glibc
import ScenarioModel
import SocketPOSIX

/// A scripted peer on the real kernel: carries out one lane's `PeerAction`s and tells what it observes.
///
/// Laws
/// - Never blocks and never waits: its caller adds its interest to a `ReadinessSet` and calls `serve` when an entry is
///   ready. Observations come out of `perform`, `connect` and `serve`, in the order in which they happened.
/// - It does what the lane says, including resets and truncated streams, and judges nothing.
/// - `accept` and `connect` make the connection that all later actions mean. A connection that was left behind by a
///   later one stays open, unread, until the case ends: closing it would be an act of the lab's own.
/// - A new connection is read from the next `serve` on, not before: a peer that stalls as soon as it has observed
///   `connected` stalls from the first byte.
package final class PeerSocket {
  /// Whether anybody answers where the peer is.
  package enum Answer: Sendable {
    case listens
    /// Connects are refused.
    case refuses
    /// Connects hang until the peer accepts; see `PeerListener` for what that means on each family.
    case hangs
  }

  private let receiveBuffer: Int?
  private let observe: (PeerObservation) -> Void
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var listener: PeerListener?
  private var connection: PeerConnection?
  private var parked: [PeerConnection] = []
  private var acceptsWanted = 0

  /// `receiveBuffer` is SO_RCVBUF in bytes for the listener and all connections, nil for the kernel's default.
  package init(receiveBuffer: Int? = nil, observe: @escaping (PeerObservation) -> Void) {
    self.receiveBuffer = receiveBuffer
    self.observe = observe
  }

  deinit { buffer.deallocate() }

  /// Where the peer can be reached; nil for one that only connects.
  package var address: RawAddress? { listener?.address }

  /// Takes an address (port 0: the kernel chooses) and answers there. Throws EADDRINUSE when it is taken.
  package func open(at address: RawAddress, answer: Answer) throws(SystemCallFailure) {
    let listener = try PeerListener(at: address, receiveBuffer: receiveBuffer)
    switch answer {
    case .listens: try listener.listen()
    case .refuses: break
    case .hangs: try listener.blackhole()
    }
    self.listener = listener
  }

  /// Connects to an address; observed as `connected` or `connectFailed`.
  package func connect(to address: RawAddress) {
    do throws(SystemCallFailure) {
      let descriptor = try SocketCall.open(family: address.family)
      if let receiveBuffer { try SocketCall.setReceiveBuffer(descriptor.rawValue, bytes: receiveBuffer) }
      let isConnected = try SocketCall.startConnect(descriptor.rawValue, to: address)
      adopt(PeerConnection(descriptor, isConnecting: !isConnected, observe: observe))
      if isConnected { observe(.connected) }
    } catch {
      observe(.connectFailed(error.code))
    }
  }

  /// Carries out an action other than `connect`, whose address only the world knows (`connect(to:)`). Without a
  /// connection, an action that needs one fails with ENOTCONN if it can fail, and otherwise does nothing.
  package func perform(_ action: PeerAction) {
    switch action {
    case .accept:
      acceptsWanted += 1
      accept()
    case .connect: observe(.connectFailed(EADDRNOTAVAIL))
    case .send(let bytes): connected { $0.send(bytes) }
    case .sendUrgent(let byte): connected { $0.sendUrgent(byte) }
    case .finish: connection?.finish()
    case .close: connection = nil
    case .reset:
      connection?.resetOnClose()
      connection = nil
    case .shutdownRead: connection?.shutdownRead()
    case .setReading(let reading): connection?.reading = reading
    case .stopListening: listener?.stop()
    case .listenAgain: listenAgain()
    }
  }

  /// Adds what the peer waits for, which may be nothing.
  package func addInterest(to set: inout ReadinessSet) {
    if acceptsWanted > 0 { listener?.addInterest(to: &set) }
    connection?.addInterest(to: &set)
  }

  /// Does all that can be done without waiting.
  package func serve() {
    if let connection, !connection.serve(into: buffer) { self.connection = nil }
    accept()
  }

  /// How many bytes of the first send that is not through the kernel has taken.
  package var takenUnderWay: Int { connection?.takenUnderWay ?? 0 }

  /// Whether a connection waits that nobody has accepted, and that is still open. Takes what waits.
  package func hasUninvited() -> Bool { listener?.hasUninvited() ?? false }

  /// Begins anew where it is: its connections end as in `closeAll`. If it listens, and listened all the while, those
  /// that wait to be accepted go on waiting.
  package func startAgain(answer: Answer) throws(SystemCallFailure) {
    endConnections()
    switch answer {
    case .listens: try listener?.listen()
    case .refuses: listener?.stop()
    case .hangs:
      listener?.stop()
      try listener?.blackhole()
    }
  }

  /// Ends everything at once. TCP connections are reset, so that no port stays behind in TIME_WAIT.
  package func closeAll() {
    endConnections()
    listener?.stop()
    listener = nil
  }

  private func endConnections() {
    connection?.resetOnClose()
    for connection in parked { connection.resetOnClose() }
    connection = nil
    parked = []
    acceptsWanted = 0
  }

  private func connected(_ body: (PeerConnection) -> Void) {
    guard let connection else { return observe(.sendFailed(ENOTCONN)) }
    body(connection)
  }

  private func adopt(_ connection: PeerConnection) {
    if let current = self.connection { parked.append(current) }
    self.connection = connection
  }

  private func accept() {
    while acceptsWanted > 0 {
      do throws(SystemCallFailure) {
        guard let accepted = try listener?.accept() else { return }
        acceptsWanted -= 1
        adopt(PeerConnection(accepted.takeDescriptor(), isConnecting: false, observe: observe))
        observe(.connected)
      } catch {
        acceptsWanted -= 1
        observe(.connectFailed(error.code))
      }
    }
  }

  private func listenAgain() {
    do throws(SystemCallFailure) {
      try listener?.listen()
    } catch {
      observe(.connectFailed(error.code))
    }
  }
}
