import ReportMarkup
import ScenarioModel

/// The first bytes of something that carries bytes, and how many there are in all. Payloads of scenarios may be larger
/// than memory, so only the head is ever made.
struct PayloadHead: Hashable {
  /// A report shows at most this many bytes of one event.
  static let limit = 256

  private(set) var bytes: [UInt8]
  private(set) var total: Int

  init(_ bytes: [UInt8]) {
    self.bytes = Array(bytes.prefix(Self.limit))
    total = bytes.count
  }

  init(_ payload: Payload) {
    bytes = payload.head(Self.limit)
    total = payload.saturatingCount
  }

  private init(bytes: [UInt8], total: Int) {
    self.bytes = bytes
    self.total = total
  }

  /// This head followed by another one; only a head that is complete can grow.
  func joined(_ next: PayloadHead) -> PayloadHead {
    let free = bytes.count == total ? max(0, Self.limit - bytes.count) : 0
    let (sum, overflow) = total.addingReportingOverflow(next.total)
    return PayloadHead(bytes: bytes + next.bytes.prefix(free), total: overflow ? .max : sum)
  }

  func preview(limit: Int) -> String { VisibleText.preview(bytes, total: total, limit: limit) }
}

extension Payload {
  /// At most the first `limit` bytes, made without the rest.
  func head(_ limit: Int) -> [UInt8] {
    guard limit > 0 else { return [] }
    switch self {
    case .bytes(let bytes): return Array(bytes.prefix(limit))
    case .repeated(let unit, let times):
      let once = unit.head(limit)
      guard !once.isEmpty, times > 0 else { return [] }
      var bytes = once
      var made = 1
      while bytes.count < limit, made < times {
        bytes.append(contentsOf: once.prefix(limit - bytes.count))
        made += 1
      }
      return bytes
    case .pattern(let seed, let count): return PatternBytes.make(seed: seed, count: max(0, min(count, limit)))
    case .joined(let parts):
      return parts.reduce(into: []) { bytes, part in bytes.append(contentsOf: part.head(limit - bytes.count)) }
    }
  }

  /// The number of bytes, or Int.max when it does not fit.
  var saturatingCount: Int {
    switch self {
    case .bytes(let bytes): return bytes.count
    case .repeated(let unit, let times):
      let (product, overflow) = unit.saturatingCount.multipliedReportingOverflow(by: max(0, times))
      return overflow ? .max : product
    case .pattern(_, let count): return max(0, count)
    case .joined(let parts):
      return parts.reduce(0) { total, part in
        let (sum, overflow) = total.addingReportingOverflow(part.saturatingCount)
        return overflow ? .max : sum
      }
    }
  }
}
