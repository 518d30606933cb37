/// The transformer between the two halves of a secured stream: wire bytes on one side, the application's bytes on the
/// other. It does no I/O and reads no clock, so that TLS runs in simulated time, too; the machine moves the bytes.
///
/// Laws
/// - Wire bytes go in through `inputRoom` and `inputFilled`, and come out through `output` and `outputTaken`. Every
///   method may leave output: answers, alerts, key updates.
/// - After the first failure or the end, every method repeats it. The fatal alert of a failure of its own is in
///   `output` by then.
/// - Confined to the holder of the socket's lock, like the machine that owns it.
package protocol SecureSession: AnyObject {
  /// Room for bytes from the wire, never empty; valid until the next call.
  var inputRoom: UnsafeMutableRawBufferPointer { get }

  /// Declares that `count` bytes of `inputRoom` were filled.
  func inputFilled(_ count: Int)

  /// Declares that the peer's FIN was received: no input follows.
  func inputEnded()

  /// Continues the handshake.
  func handshake() -> HandshakeProgress

  /// Takes the delegate's answer, once, while the handshake is at `awaitsTrust`; `handshake` must be called afterwards.
  func answerTrust(_ isTrusted: Bool)

  /// How many more records and messages it may process until this is set again; each costs about the same, whatever it
  /// carries. At 0 `handshake`, `open` and `peek` return `budgetUsed` instead of beginning another.
  var recordBudget: Int { get set }

  /// Decrypts into the buffer, which must not be empty: at least one byte, or the reason why there is none.
  func open(into buffer: UnsafeMutableRawBufferPointer) -> SecureResult

  /// The result that `open` would have, without taking anything.
  func peek() -> SecureResult

  /// Whether data can be encrypted now: not between the records of one of the peer's handshake messages.
  var maySeal: Bool { get }

  /// Encrypts up to `recordLimit` bytes as one record into `output`; a failure, or nil. Only while `maySeal`.
  func seal(_ bytes: UnsafeRawBufferPointer) -> SocketFailure?

  /// The most bytes one record holds.
  var recordLimit: Int { get }

  /// Bytes for the wire; valid until the next call.
  var output: UnsafeRawBufferPointer { get }

  /// Declares that the transport has taken `count` bytes of `output`.
  func outputTaken(_ count: Int)

  /// Adds a close_notify to `output`, if there is an established session.
  func close()

  /// Frees memory that holds nothing, because nothing is asked of the session for a while.
  func rest()
}

/// The state of the handshake, and what it is waiting for.
package enum HandshakeProgress: Sendable {
  case complete
  /// More bytes from the wire are needed.
  case needsInput
  case budgetUsed
  /// The delegate must decide whether the peer is trusted; the object is passed to it.
  case awaitsTrust(any AnyObject & Sendable)
  case failed(SocketFailure)
}

/// The result of taking decrypted bytes from a session.
package enum SecureResult: Hashable, Sendable {
  /// A number of bytes, more than 0.
  case bytes(Int)
  case needsInput
  /// There is more, but this is enough for once.
  case budgetUsed
  /// The peer has sent a close_notify: no more data will come.
  case closed
  case failed(SocketFailure)
}
