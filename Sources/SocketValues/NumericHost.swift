/// Numeric hosts as text, by the usual rules: dotted quads, and RFC 5952 for IPv6.
package enum NumericHost {
  /// Four octets of a strict dotted quad (no octal, no short forms).
  package static func ipv4(_ text: String) -> [UInt8]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var octets: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ (48...57).contains($0) }),
        part.count == 1 || part.first != 48, let octet = UInt8(String(decoding: Array(part), as: UTF8.self))
      else { return nil }
      octets.append(octet)
    }
    return octets
  }

  /// Sixteen octets of an IPv6 literal without scope; an IPv4 tail is allowed.
  package static func ipv6(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 45, text.contains(":") else { return nil }
    let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard halves.count <= 2 else { return nil }
    guard let front = groups(halves[0], isLast: halves.count == 1) else { return nil }
    guard halves.count == 2 else { return front.count == 16 ? front : nil }
    guard let back = groups(halves[1], isLast: true), front.count + back.count <= 14 else { return nil }
    return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
  }

  private static func groups(_ text: String, isLast: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var octets: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, part.contains(".") {
        guard let tail = ipv4(part) else { return nil }
        octets += tail
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHex), let group = UInt16(part, radix: 16)
        else { return nil }
        octets += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return octets.count <= 16 ? octets : nil
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  /// Lowercase, the longest run of zero groups (two or more, leftmost of equals) as `::`, mapped and compatible IPv4
  /// with a quad: what `inet_ntop` writes.
  package static func text(ipv6 octets: [UInt8]) -> String {
    if octets[..<10].allSatisfy({ $0 == 0 }) {
      let quad = octets[12...].map { String($0) }.joined(separator: ".")
      if octets[10] == 0xFF, octets[11] == 0xFF { return "::ffff:" + quad }
      if octets[10] == 0, octets[11] == 0, octets[12] != 0 || octets[13] != 0 { return "::" + quad }
    }
    let groups = stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
    let zeros = longestZeroRun(groups)
    guard zeros.count >= 2 else { return hex(groups[...]) }
    return hex(groups[..<zeros.lowerBound]) + "::" + hex(groups[zeros.upperBound...])
  }

  private static func hex(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }

  private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    while start < groups.count {
      var end = start
      while end < groups.count, groups[end] == 0 { end += 1 }
      if end - start > longest.count { longest = start..<end }
      start = max(end, start + 1)
    }
    return longest
  }
}

extension String {
  /// The text as a C string has it: what comes before the first zero. Hosts and interfaces are read so, like by the
  /// original, which hands them to the C library; names that arrive with their terminators are common in protocols.
  package var upToZero: String {
    guard let zero = utf8.firstIndex(of: 0) else { return self }
    return String(self[..<zero])
  }
}
