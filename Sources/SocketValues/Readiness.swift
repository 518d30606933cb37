/// What is known about a descriptor since it last said "would block".
package struct Readiness: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read would not block: bytes, the end of the stream, or an error wait.
  package static let readable = Readiness(rawValue: 1)
  /// A write would not block.
  package static let writable = Readiness(rawValue: 2)
  /// The peer ended its half; bytes it sent before may still wait.
  package static let peerClosed = Readiness(rawValue: 4)
  /// The connection broke (an error waits, or both halves are over); bytes may still wait.
  package static let broken = Readiness(rawValue: 8)
  /// Urgent data waits: from now on a receive may stop at its place in the stream, also when more bytes wait behind it.
  package static let urgent = Readiness(rawValue: 16)
}
