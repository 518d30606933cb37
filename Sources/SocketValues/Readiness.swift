/// What is known about a descriptor since it last said "would block".
///
/// The members that `OptionSet` gives are written out and inlinable: modules ask for single bits several times for each
/// message, and what another module's generic code answers without being specialised costs a third of a message's time.
@frozen package struct Readiness: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read would not block: bytes, the end of the stream, or an error wait.
  @inlinable package static var readable: Readiness { Readiness(rawValue: 1) }
  /// A write would not block.
  @inlinable package static var writable: Readiness { Readiness(rawValue: 2) }
  /// The peer ended its half; bytes it sent before may still wait.
  @inlinable package static var peerClosed: Readiness { Readiness(rawValue: 4) }
  /// The connection broke (an error waits, or both halves are over); bytes may still wait.
  @inlinable package static var broken: Readiness { Readiness(rawValue: 8) }
  /// Urgent data waits: from now on a receive may stop at its place in the stream, also when more bytes wait behind it.
  @inlinable package static var urgent: Readiness { Readiness(rawValue: 16) }

  /// Everything after which a receive may do something.
  @inlinable package static var input: Readiness { Readiness(rawValue: 29) }
  /// What a connection in good order, with nothing but bytes to move, does not have.
  @inlinable package static var unusual: Readiness { Readiness(rawValue: 28) }
  /// Everything after which a send may do something.
  @inlinable package static var output: Readiness { Readiness(rawValue: 10) }

  // MARK: Sets

  /// None of them. In code that runs for each message better than `[]`, which makes an array first.
  @inlinable package init() { rawValue = 0 }

  /// The union of the members.
  @inlinable package init(arrayLiteral members: Readiness...) {
    var bits: UInt8 = 0
    for member in members { bits |= member.rawValue }
    rawValue = bits
  }

  /// Whether nothing is known.
  @inlinable package var isEmpty: Bool { rawValue == 0 }

  /// Whether all of the other's bits are set.
  @inlinable package func contains(_ other: Readiness) -> Bool { rawValue & other.rawValue == other.rawValue }

  /// Whether none of the other's bits is set.
  @inlinable package func isDisjoint(with other: Readiness) -> Bool { rawValue & other.rawValue == 0 }

  /// The bits of either.
  @inlinable package func union(_ other: Readiness) -> Readiness { Readiness(rawValue: rawValue | other.rawValue) }

  /// The bits of both.
  @inlinable package func intersection(_ other: Readiness) -> Readiness {
    Readiness(rawValue: rawValue & other.rawValue)
  }

  /// These bits without the other's.
  @inlinable package func subtracting(_ other: Readiness) -> Readiness {
    Readiness(rawValue: rawValue & ~other.rawValue)
  }

  /// Sets the other's bits.
  @inlinable package mutating func formUnion(_ other: Readiness) { self = union(other) }

  /// Clears the other's bits.
  @inlinable package mutating func subtract(_ other: Readiness) { self = subtracting(other) }

  /// Sets the bits; says whether any was not set before.
  @discardableResult
  @inlinable package mutating func insert(_ member: Readiness) -> (inserted: Bool, memberAfterInsert: Readiness) {
    let had = contains(member)
    self = union(member)
    return (!had, member)
  }

  /// Clears the bits; those that were set, or nil.
  @discardableResult
  @inlinable package mutating func remove(_ member: Readiness) -> Readiness? {
    let common = intersection(member)
    self = subtracting(member)
    return common.isEmpty ? nil : common
  }

  /// Whether the bits are the same.
  @inlinable package static func == (left: Readiness, right: Readiness) -> Bool { left.rawValue == right.rawValue }
}
