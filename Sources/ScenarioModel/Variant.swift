/// One point of a scenario's matrix, with every choice made.
package struct Variant: Hashable, Sendable, Codable {
  /// How each `send` of the peers is cut.
  package enum Cut: Hashable, Sendable, Codable {
    case whole
    case bytes
    /// After this many bytes of the first payload that is long enough.
    case split(at: Int)
    /// At places drawn from the case's seed.
    case random

    package var name: String {
      switch self {
      case .whole: "whole"
      case .bytes: "bytes"
      case .split(let at): "split\(at)"
      case .random: "random"
      }
    }
  }

  package var family: AddressFamily
  package var cut: Cut
  package var queues: QueueTopology
  package var security: Security

  package init(family: AddressFamily, cut: Cut, queues: QueueTopology, security: Security = .plain) {
    self.family = family
    self.cut = cut
    self.queues = queues
    self.security = security
  }

  /// `ipv4`, `ipv6-bytes`, `ipv4-split3-shared`, `ipv4-bytes-tls1.3`: defaults other than the family are left out.
  package var name: String {
    var parts = [family.rawValue]
    if cut != .whole { parts.append(cut.name) }
    if queues != .separate { parts.append(queues.rawValue) }
    if security != .plain { parts.append(security.rawValue) }
    return parts.joined(separator: "-")
  }
}

extension Scenario {
  /// More split points than this are thinned out evenly; the first and the last always stay.
  package static let mostSplits = 64

  /// All variants, families outermost, in a stable order.
  ///
  /// Beside plain ones, secured variants are thinned: each version of TLS meets every value of the other dimensions,
  /// but not every combination of them, which the plain ones go through already.
  package var variants: [Variant] {
    let cuts = matrix.segmentations.flatMap(cuts)
    var variants: [Variant] = []
    for family in matrix.families {
      for cut in cuts {
        for queues in matrix.queues {
          for security in matrix.securities {
            variants.append(Variant(family: family, cut: cut, queues: queues, security: security))
          }
        }
      }
    }
    guard matrix.securities.contains(.plain), matrix.securities.count > 1, !variants.isEmpty else { return variants }
    var kept: Set<Variant> = []
    for (turn, security) in matrix.securities.enumerated() where security != .plain {
      for place in 0..<max(matrix.families.count, cuts.count, matrix.queues.count) {
        kept.insert(
          Variant(
            family: matrix.families[(place + turn) % matrix.families.count], cut: cuts[place % cuts.count],
            queues: matrix.queues[(place + turn) % matrix.queues.count], security: security))
      }
    }
    return variants.filter { $0.security == .plain || kept.contains($0) }
  }

  private func cuts(for segmentation: Segmentation) -> [Variant.Cut] {
    switch segmentation {
    case .whole: return [.whole]
    case .bytes: return [.bytes]
    case .random: return [.random]
    case .everySplit:
      let longest = peers.flatMap { Self.sends($0.steps) }.max() ?? 0
      guard longest > 1 else { return [] }
      let points = Array(1..<longest)
      guard points.count > Self.mostSplits else { return points.map { .split(at: $0) } }
      let step = Double(points.count - 1) / Double(Self.mostSplits - 1)
      return (0..<Self.mostSplits).map { .split(at: points[Int((Double($0) * step).rounded())]) }
    }
  }

  private static func sends(_ steps: [Located<PeerStep>]) -> [Int] {
    steps.flatMap { step -> [Int] in
      switch step.value {
      case .send(let payload): [payload.count]
      case .repeated(_, let inner): sends(inner)
      default: []
      }
    }
  }
}
