/// The transformer between the two halves of a secured stream: what the wire carries on one side, what the application
/// reads and writes on the other. Pure of I/O and of clocks, so that TLS runs in simulated time too; the machine pumps.
///
/// Laws
/// - Wire bytes go in through `inputRoom` and `inputFilled`, come out through `output` and `outputTaken`. Every verb
///   may leave output behind: answers, alerts, key updates.
/// - After the first failure or the end, verbs repeat it. A fatal alert of the session's own is in `output` then.
/// - Confined to whoever holds the socket's lock, like the machine that owns it.
package protocol SecureSession: AnyObject {
  /// Room for bytes from the wire, never empty; valid until the next call.
  var inputRoom: UnsafeMutableRawBufferPointer { get }

  /// So many bytes of `inputRoom` were filled.
  func inputFilled(_ count: Int)

  /// The peer's FIN came: there is nothing behind the input any more.
  func inputEnded()

  /// Goes on with the handshake.
  func handshake() -> HandshakeProgress

  /// The delegate's answer, once, while the handshake says `awaitsTrust`; `handshake` must be called afterwards.
  func answerTrust(_ isTrusted: Bool)

  /// How many records and messages it may still work through until this is set anew; each costs about the same,
  /// whatever is in it. At 0 `handshake`, `open` and `peek` say `budgetUsed` where they would begin another.
  var recordBudget: Int { get set }

  /// Decrypts into the buffer (not empty): at least one byte, or why not.
  func open(into buffer: UnsafeMutableRawBufferPointer) -> SecureResult

  /// What `open` would say, without taking anything.
  func peek() -> SecureResult

  /// Whether anything can be sealed now: not between the records of a message of the peer's that is no data.
  var maySeal: Bool { get }

  /// Encrypts up to `recordLimit` bytes as one record into `output`; a failure, or nil. Only while `maySeal`.
  func seal(_ bytes: UnsafeRawBufferPointer) -> SocketFailure?

  /// The most bytes one record holds.
  var recordLimit: Int { get }

  /// Bytes for the wire; valid until the next call.
  var output: UnsafeRawBufferPointer { get }

  /// So many bytes of `output` are on their way.
  func outputTaken(_ count: Int)

  /// Adds the notice that nothing more will be sent (close_notify), if there is an established session.
  func close()

  /// Nothing is asked of it for a while: memory that holds nothing is given back.
  func rest()
}

/// What the handshake has come to, and what it waits for.
package enum HandshakeProgress: Sendable {
  case complete
  /// More bytes from the wire are needed.
  case needsInput
  case budgetUsed
  /// The delegate must say whether the peer is trusted; the object is what it is shown.
  case awaitsTrust(any AnyObject & Sendable)
  case failed(SocketFailure)
}

/// What taking decrypted bytes from a session gave.
package enum SecureResult: Hashable, Sendable {
  /// So many bytes, more than 0.
  case bytes(Int)
  case needsInput
  /// There is more, but this is enough for once.
  case budgetUsed
  /// The peer said that nothing more will come (close_notify).
  case closed
  case failed(SocketFailure)
}
