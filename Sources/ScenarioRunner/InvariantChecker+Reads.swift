import ScenarioModel
import ScriptedPeer

/// What must hold for the bytes of every read, whatever the peer sends: they are what its call asked for.
extension InvariantChecker {
  /// Judges the bytes of a didRead. With several reads of one tag under way any of them will do: which one the lab has
  /// seen complete is not always known.
  mutating func checkBytes(_ bytes: [UInt8], tag: Int, place: Int, index: Int) {
    let isLoose = sockets[place].isMuted
    let asked = sockets[place].current?.reads.heads(tag, isLoose: isLoose).compactMap(\.boundary) ?? []
    let faults = asked.compactMap { Self.fault(of: bytes, read: $0) }
    guard let fault = faults.first, faults.count == asked.count else { return }
    object(
      "\(sockets[place].name) has read \(fault.expected), for tag \(tag)", fault.actual, fault.requirement, index)
  }

  private typealias Fault = (expected: String, actual: String, requirement: String)

  private static func fault(of bytes: [UInt8], read boundary: ReadCommand.Boundary) -> Fault? {
    let count = Wording.count(bytes.count)
    switch boundary {
    case .available(let limit):
      if bytes.isEmpty { return ("something", "nothing", "RD-ANY-02") }
      guard limit > 0, bytes.count > limit else { return nil }
      return ("at most \(Wording.count(limit))", count, "RD-ANY-04")
    case .exactly(let length):
      return bytes.count == length ? nil : (Wording.count(length), count, "RD-LEN-01")
    case .through(let payload, let limit):
      let delimiter = payload.materialised
      let wanted = "everything up to the first \(Wording.bytes(delimiter))"
      guard bytes.count >= delimiter.count, holds(delimiter, at: bytes.count - delimiter.count, in: bytes) else {
        return (wanted, "\(count) that end otherwise", "RD-DELIM-01")
      }
      if let end = firstEnd(of: delimiter, in: bytes), end < bytes.count {
        return (wanted, "\(count); the first one ends after \(Wording.count(end))", "RD-DELIM-01")
      }
      guard limit > 0, bytes.count > limit else { return nil }
      return ("at most \(Wording.count(limit)), delimiter and all", count, "RD-MAX-03")
    }
  }

  /// Whether all of the delimiter stands there.
  private static func holds(_ delimiter: [UInt8], at start: Int, in bytes: [UInt8]) -> Bool {
    ByteComparison.firstDifference(bytes, from: start, delimiter, from: 0, count: delimiter.count) == nil
  }

  /// Where the delimiter's first occurrence ends. Not by the library's own search, which is judged here: by Knuth,
  /// Morris and Pratt, because delimiters and lines of megabytes are usual; one place after the other if there are few.
  static func firstEnd(of delimiter: [UInt8], in bytes: [UInt8]) -> Int? {
    guard let first = delimiter.first else { return 0 }
    guard delimiter.count > 1 else { return bytes.firstIndex(of: first).map { $0 + 1 } }
    guard bytes.count >= delimiter.count else { return nil }
    let lastStart = bytes.count - delimiter.count
    if lastStart < 64 {
      return (0...lastStart).first { holds(delimiter, at: $0, in: bytes) }.map { $0 + delimiter.count }
    }
    var borders = [Int](repeating: 0, count: delimiter.count)
    var matched = 0
    for index in 1..<delimiter.count {
      while matched > 0, delimiter[index] != delimiter[matched] { matched = borders[matched - 1] }
      if delimiter[index] == delimiter[matched] { matched += 1 }
      borders[index] = matched
    }
    matched = 0
    for (index, byte) in bytes.enumerated() {
      while matched > 0, byte != delimiter[matched] { matched = borders[matched - 1] }
      if byte == delimiter[matched] { matched += 1 }
      if matched == delimiter.count { return index + 1 }
    }
    return nil
  }
}
