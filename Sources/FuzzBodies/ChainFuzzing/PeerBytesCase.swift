import FuzzHarness

/// A certificate of a peer whose revocation lists have many places.
package struct PointsCase: Hashable, Sendable {
  static let mostParts = 300
  static let mostPoints = 400

  /// Parts of its issuer's name.
  package var parts = 1
  /// Places that are named relative to the issuer, and those that are not.
  package var relative = 0
  package var absolute = 0
  /// Bits: a relative name has nothing in it; points have reasons, too; parts of names are empty.
  package var form: UInt8 = 0

  package init() {}

  package init(_ input: inout FuzzInput) {
    parts = input.number(upTo: Self.mostParts)
    relative = input.number(upTo: Self.mostPoints)
    absolute = input.number(upTo: 3)
    form = input.byte()
  }

  package func write(_ output: inout FuzzOutput) {
    output.number(parts, upTo: Self.mostParts)
    output.number(relative, upTo: Self.mostPoints)
    output.number(absolute, upTo: 3)
    output.byte(form)
  }

  /// How often a part of the issuer's name would be copied.
  var copies: Int { parts * relative }

  private var attribute: [UInt8] {
    let text = BERWriter.element(0x0C, form & 4 != 0 ? [] : [0x78])
    return BERWriter.sequence(BERWriter.identifier("2.5.4.3"), text)
  }

  private func name(_ parts: Int) -> [UInt8] {
    let part = BERWriter.element(0x31, attribute)
    return BERWriter.element(0x30, Array([[UInt8]](repeating: part, count: parts).joined()))
  }

  private func point(isRelative: Bool) -> [UInt8] {
    let name =
      isRelative
      ? BERWriter.element(0xA1, form & 1 != 0 ? [] : attribute)
      : BERWriter.element(0xA0, BERWriter.element(0x86, Array("http://a/b".utf8)))
    return BERWriter.sequence(BERWriter.explicit(name), form & 2 != 0 ? BERWriter.element(0x81, [1, 2]) : [])
  }

  /// The certificate in DER; its key is one of Ed25519, its signature nonsense.
  var der: [UInt8] {
    let kind = BERWriter.sequence(BERWriter.identifier("1.3.101.112"))
    let points =
      [[UInt8]](repeating: point(isRelative: true), count: relative)
      + [[UInt8]](repeating: point(isRelative: false), count: absolute)
    let place = BERWriter.sequence(
      BERWriter.identifier("2.5.29.31"), BERWriter.octets(BERWriter.element(0x30, Array(points.joined()))))
    let dates = BERWriter.sequence(
      BERWriter.element(0x17, Array("200101000000Z".utf8)), BERWriter.element(0x17, Array("490101000000Z".utf8)))
    let key = BERWriter.sequence(kind, BERWriter.element(0x03, [0] + [UInt8](repeating: 5, count: 32)))
    let content = BERWriter.sequence(
      BERWriter.explicit(BERWriter.element(0x02, [2])), BERWriter.element(0x02, [1]), kind, name(parts), dates,
      name(1), key, BERWriter.element(0xA3, BERWriter.sequence(place)))
    return BERWriter.sequence(content, kind, BERWriter.element(0x03, [0] + [UInt8](repeating: 6, count: 64)))
  }
}

/// The message with a peer's certificates, as the handshake has it behind its head.
package struct MessageCase: Hashable, Sendable {
  static let mostEntries = 300

  package var isTLS13 = false
  package var context: UInt8 = 0
  package var entries = 1
  /// Bytes of a certificate, and of the extensions behind it.
  package var length: UInt8 = 0
  package var extensions: UInt8 = 0
  /// Bytes that are cut off its end.
  package var cut: UInt8 = 0
  /// Stands in the first certificate.
  package var payload: [UInt8] = []

  package init() {}

  package init(_ input: inout FuzzInput) {
    isTLS13 = input.bool()
    context = input.byte() % 8
    entries = input.number(upTo: Self.mostEntries)
    length = input.byte()
    extensions = input.byte()
    cut = input.byte()
    payload = Array(input.payload(1 << 10))
  }

  package func write(_ output: inout FuzzOutput) {
    output.bool(isTLS13)
    output.byte(context)
    output.number(entries, upTo: Self.mostEntries)
    output.byte(length)
    output.byte(extensions)
    output.byte(cut)
    output.payload(payload)
  }

  var bytes: [UInt8] {
    var bytes = isTLS13 ? [context] + [UInt8](repeating: 1, count: Int(context)) : []
    // The sum of the lengths, which nobody needs.
    bytes += [0xFF, 0xFF, 0xFF]
    for entry in 0..<entries {
      let certificate = entry == 0 && !payload.isEmpty ? payload : [UInt8](repeating: 0x30, count: Int(length))
      bytes += [0, UInt8(certificate.count >> 8), UInt8(certificate.count & 0xFF)] + certificate
      if isTLS13 { bytes += [0, extensions] + [UInt8](repeating: 0x2A, count: Int(extensions)) }
    }
    return bytes.dropLast(min(Int(cut), bytes.count - 1))
  }

  /// How many certificates stand in the bytes, one that is cut off among them.
  static func count(_ bytes: ArraySlice<UInt8>, isTLS13: Bool) -> Int {
    func field(_ size: Int, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      let length = bytes.prefix(size).reduce(0) { $0 * 256 + Int($1) }
      let rest = bytes.dropFirst(size)
      return bytes.count >= size && rest.count >= length ? rest.dropFirst(length) : nil
    }
    guard let list = (isTLS13 ? field(1, of: bytes) : bytes)?.dropFirst(3) else { return 0 }
    var (rest, count) = (list, 0)
    while !rest.isEmpty {
      count += 1
      guard let next = field(3, of: rest), let end = isTLS13 ? field(2, of: next) : next else { break }
      rest = end
    }
    return count
  }

  private static let fieldKinds: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01]

  static func hasFieldKind(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 6 && (0...(bytes.count - 6)).contains { Array(bytes[$0..<($0 + 6)]) == fieldKinds }
  }
}
