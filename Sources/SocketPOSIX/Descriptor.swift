import Glibc

/// The sole owner of one file descriptor.
///
/// Laws: a descriptor is closed exactly once, by `close()` or at the end of its owner's life, and never after
/// `release()`. The type cannot be copied, so a second close does not compile. The number of a closed descriptor may be
/// reused within a microsecond, so nothing here hands out a descriptor that outlives its owner.
package struct Descriptor: ~Copyable, Sendable {
  /// The number the kernel knows the descriptor by; valid for as long as this value lives.
  package let rawValue: Int32

  /// Takes ownership of `rawValue`, which no other code may close from now on. A negative number owns nothing.
  package init(adopting rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Closes the descriptor now.
  package consuming func close() {
    let raw = rawValue
    discard self
    Self.closeOnce(raw)
  }

  /// Gives up ownership: the caller closes the number that is returned.
  package consuming func release() -> Int32 {
    let raw = rawValue
    discard self
    return raw
  }

  deinit {
    Self.closeOnce(rawValue)
  }

  /// Linux frees the number before the call can be interrupted: a second close after EINTR could hit another
  /// descriptor.
  private static func closeOnce(_ raw: Int32) {
    guard raw >= 0 else { return }
    _ = Glibc.close(raw)
  }
}

/// The two connected ends of a socket pair.
package struct DescriptorPair: ~Copyable, Sendable {
  /// One end.
  package let first: Descriptor
  /// The other end.
  package let second: Descriptor

  /// Two descriptors that are owned together until `release()`.
  package init(first: consuming Descriptor, second: consuming Descriptor) {
    self.first = first
    self.second = second
  }

  /// Gives up ownership of both ends; the caller closes or adopts the numbers.
  package consuming func release() -> (first: Int32, second: Int32) {
    (first.release(), second.release())
  }
}

/// A connection that a listening socket handed out.
package struct Accepted: ~Copyable, Sendable {
  /// The connection: nonblocking and closed on exec.
  package let descriptor: Descriptor
  /// The peer's address; nil when the kernel's answer has a family that is no socket address of ours.
  package let address: RawAddress?

  /// A connection and where it came from.
  package init(descriptor: consuming Descriptor, address: RawAddress?) {
    self.descriptor = descriptor
    self.address = address
  }

  /// Hands over the connection; read `address` first.
  package consuming func takeDescriptor() -> Descriptor {
    descriptor
  }
}
