/// The headers of IPv6 between a packet's first one and what it carries, read one after the other.
///
/// Law: no field is read beyond what is there.
struct ExtensionHeaders {
  /// What stands at the place that was reached.
  enum Next {
    /// A header, which was stepped over.
    case header(UInt8, ArraySlice<UInt8>)
    /// What the packet carries.
    case content
    /// A header that is not all there, or longer than the packet.
    case broken
  }

  static let fragment: UInt8 = 44
  private static let hopByHop: UInt8 = 0
  private static let routing: UInt8 = 43
  private static let authentication: UInt8 = 51
  private static let destination: UInt8 = 60

  /// Of what `rest` begins with.
  private(set) var number: UInt8
  /// As much as was captured.
  private(set) var rest: ArraySlice<UInt8>
  /// How much of it was on the wire.
  private(set) var left: Int

  init(number: UInt8, rest: ArraySlice<UInt8>, left: Int) {
    (self.number, self.rest, self.left) = (number, rest, left)
  }

  /// Whether a header of this number is stepped over.
  static func include(_ number: UInt8) -> Bool {
    [hopByHop, routing, fragment, authentication, destination].contains(number)
  }

  /// Steps over the header at the place, if there is one.
  mutating func next() -> Next {
    guard Self.include(number) else { return .content }
    guard rest.count >= 8 else { return .broken }
    let units = Int(rest[at: 1])
    let count =
      switch number {
      case Self.fragment: 8
      case Self.authentication: 8 + units * 4
      default: 8 + units * 8
      }
    guard rest.count >= count, left >= count else { return .broken }
    let header = (number, rest.prefix(count))
    number = rest[at: 0]
    rest = rest.behind(count)
    left -= count
    return .header(header.0, header.1)
  }
}
