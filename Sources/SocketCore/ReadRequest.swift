/// A read as the caller asked for it. Calls that the contract makes no-ops never become a request.
package struct ReadRequest: Sendable {
  /// Where the read ends.
  package enum Boundary: Sendable, Equatable {
    /// Whatever is there, at most `limit` bytes.
    case available(limit: Int)
    /// This many bytes; more than 0.
    case exactly(Int)
    /// Up to and including the delimiter, which must end within `limit` bytes.
    case through(Delimiter, limit: Int)
  }

  /// Where the read ends.
  package var boundary: Boundary
  /// Seconds from the moment the read becomes the active one; negative: never.
  package var timeout: Double
  /// The caller's, echoed verbatim (RDQ-04).
  package var tag: Int
  /// The driver's handle on a caller's buffer; opaque to the core.
  package var destination: (any AnyObject & Sendable)?

  /// The limit of a read that has none; the API says 0 for it (RD-MAX-07).
  package static let noLimit = Int.max

  private init(boundary: Boundary, timeout: Double, tag: Int, destination: (any AnyObject & Sendable)?) {
    self.boundary = boundary
    self.timeout = timeout
    self.tag = tag
    self.destination = destination
  }

  /// A read of whatever is there, at most `limit` bytes; 0: no limit.
  package static func available(
    limit: Int, timeout: Double, tag: Int, destination: (any AnyObject & Sendable)? = nil
  ) -> ReadRequest {
    ReadRequest(
      boundary: .available(limit: limit == 0 ? noLimit : limit), timeout: timeout, tag: tag, destination: destination)
  }

  /// A read of exactly `length` bytes; nil when `length` is not positive: the call is a no-op (RD-LEN-02).
  package static func exactly(
    _ length: Int, timeout: Double, tag: Int, destination: (any AnyObject & Sendable)? = nil
  ) -> ReadRequest? {
    guard length > 0 else { return nil }
    return ReadRequest(boundary: .exactly(length), timeout: timeout, tag: tag, destination: destination)
  }

  /// A read up to and including a delimiter that ends within `limit` bytes; 0: no limit. nil when the call is a no-op:
  /// an empty delimiter, or a limit it cannot fit into (RD-DELIM-02, RD-MAX-05).
  package static func through(
    _ delimiter: [UInt8], limit: Int, timeout: Double, tag: Int, destination: (any AnyObject & Sendable)? = nil
  ) -> ReadRequest? {
    Delimiter(delimiter).flatMap {
      through($0, limit: limit, timeout: timeout, tag: tag, destination: destination)
    }
  }

  /// The same, with a delimiter that is known not to be empty.
  package static func through(
    _ delimiter: Delimiter, limit: Int, timeout: Double, tag: Int, destination: (any AnyObject & Sendable)? = nil
  ) -> ReadRequest? {
    guard limit == 0 || limit >= delimiter.count else { return nil }
    return ReadRequest(
      boundary: .through(delimiter, limit: limit == 0 ? noLimit : limit), timeout: timeout, tag: tag,
      destination: destination)
  }
}

/// A write as the caller asked for it; never empty (WR-02).
package struct WriteRequest: Sendable {
  /// The bytes to send; at least one.
  package var bytes: ByteBlock
  /// Seconds from the moment the write becomes the active one; negative: never.
  package var timeout: Double
  /// The caller's, echoed verbatim.
  package var tag: Int

  /// nil when there are no bytes: the call is a no-op (WR-02).
  package init?(bytes: ByteBlock, timeout: Double, tag: Int) {
    guard bytes.count > 0 else { return nil }
    self.bytes = bytes
    self.timeout = timeout
    self.tag = tag
  }
}
