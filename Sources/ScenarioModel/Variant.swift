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

    /// As a variant's name has it: `whole`, `bytes`, `split3`, `random`.
    package var name: String {
      switch self {
      case .whole: "whole"
      case .bytes: "bytes"
      case .split(let at): "split\(at)"
      case .random: "random"
      }
    }
  }

  /// Which class is judged.
  package var subject: SubjectKind
  /// What the connections run over.
  package var family: AddressFamily
  /// How each `send` of the peers is cut.
  package var cut: Cut
  /// Which queues the sockets get, where the scenario does not say.
  package var queues: QueueTopology
  /// What lies below the connections.
  package var security: Security
  /// Which shortcuts the subject takes.
  package var speed: Speed
  /// The subject that is a program of its own, by its name; nil: `subject` of the library that comes with the lab.
  package var program: String?

  package init(
    subject: SubjectKind = .gcd, family: AddressFamily, cut: Cut, queues: QueueTopology, security: Security = .plain,
    speed: Speed = .all, program: String? = nil
  ) {
    self.program = program
    self.subject = subject
    self.family = family
    self.cut = cut
    self.queues = queues
    self.security = security
    self.speed = speed
  }

  /// `ipv4`, `ipv6-bytes`, `ipv4-split3-shared`, `ipv4-bytes-tls1.3`, `ipv4-own-plain`, `ipv4-run-loop-bytes`: defaults
  /// other than the family are left out.
  package var name: String {
    var parts = [family.rawValue]
    if subject != .gcd { parts.append(subject.rawValue) }
    if let program { parts.append(program) }
    if cut != .whole { parts.append(cut.name) }
    if queues != .separate { parts.append(queues.rawValue) }
    if security != .plain { parts.append(security.rawValue) }
    if speed != .all { parts.append(speed.rawValue) }
    return parts.joined(separator: "-")
  }

  /// The subject that is judged.
  package var label: SubjectLabel { SubjectLabel(subject, program: program) }

  /// The variant as a program of its own is asked for it. It has neither queues of callbacks nor shortcuts that the lab
  /// knows.
  package func of(program: String) -> Variant {
    Variant(family: family, cut: cut, queues: .separate, security: security, program: program)
  }

  /// The same point of the matrix without a program's name.
  package var withoutProgram: Variant {
    var variant = self
    variant.program = nil
    return variant
  }

  /// Whether a person means it by this name or glob. A program's variant is also meant without the program's name, so
  /// that `ipv4-bytes` is the same point of the matrix of every subject.
  package func isMeant(by glob: Glob) -> Bool {
    glob.matches(name) || program != nil && glob.matches(withoutProgram.name)
  }

  /// Which of the programs a variant's name has in it, which is known of a written report alone; nil: the variant is
  /// the library's.
  package static func program(inName name: String, among programs: some Sequence<String>) -> String? {
    let parts = name.split(separator: "-")
    return parts.count > 1 ? programs.first { $0 == parts[1] } : nil
  }
}

extension Scenario {
  /// More split points than this are thinned out evenly; the first and the last always stay.
  package static let maxSplits = 64

  /// All variants, subjects outermost, then families, in a stable order.
  ///
  /// Families, cuts and queues meet in every combination. Securities beside plain and speeds beside all are thinned,
  /// because plain and all go through the combinations already: a security meets every value of the other dimensions, a
  /// speed every topology of queues, which is what it is about, each with other values of the rest.
  ///
  /// The run-loop class has neither queues nor these shortcuts, and no Unix domain: it is played at every other point
  /// once.
  package var variants: [Variant] {
    subjectKinds.flatMap { subject -> [Variant] in
      guard subject == .runLoop else { return variants(of: subject) }
      var scenario = self
      scenario.matrix.families.removeAll { $0 == .unix }
      (scenario.matrix.queues, scenario.matrix.speeds) = ([.separate], [.all])
      return scenario.variants(of: subject)
    }
  }

  /// The classes that the scenario is played with.
  package var subjectKinds: [SubjectKind] { matrix.subjects ?? [.gcd] }

  private func variants(of subject: SubjectKind) -> [Variant] {
    let cuts = matrix.segmentations.flatMap(cuts)
    let security: Security? = matrix.securities.contains(.plain) ? .plain : nil
    let speed: Speed? = matrix.speeds.contains(.all) ? .all : nil
    let kept = thinned(subject, cuts, security: security, speed: speed)
    var variants: [Variant] = []
    for family in matrix.families {
      for cut in cuts {
        for queues in matrix.queues {
          for security in matrix.securities {
            for speed in matrix.speeds {
              variants.append(
                Variant(
                  subject: subject, family: family, cut: cut, queues: queues, security: security, speed: speed))
            }
          }
        }
      }
    }
    return variants.filter { variant in
      (security == nil || variant.security == security) && (speed == nil || variant.speed == speed)
        || kept.contains(variant)
    }
  }

  /// The scenario at one speed, whatever its matrix says.
  package func at(_ speed: Speed) -> Scenario {
    var scenario = self
    scenario.matrix.speeds = [speed]
    return scenario
  }

  /// The variant of this name, at any speed.
  package func variant(named name: String) -> Variant? {
    let named = { (scenario: Scenario) in scenario.variants.first { $0.name == name } }
    return named(self) ?? Speed.allCases.lazy.compactMap { named(at($0)) }.first
  }

  /// The variants as a program of its own is asked for them, in a stable order: several of the library's may be one.
  package func variants(of program: String) -> [Variant] {
    var seen: Set<Variant> = []
    return variants.map { $0.of(program: program) }.filter { seen.insert($0).inserted }
  }

  /// The library's variant that is the program's; nil: there is none.
  package func libraryVariant(of variant: Variant) -> Variant? {
    guard let program = variant.program else { return variant }
    return variants.first { $0.of(program: program) == variant }
  }

  /// The variants that securities and speeds other than these are left with.
  private func thinned(
    _ subject: SubjectKind, _ cuts: [Variant.Cut], security usual: Security?, speed normal: Speed?
  ) -> Set<Variant> {
    var kept: Set<Variant> = []
    let rounds = max(matrix.families.count, cuts.count, matrix.queues.count)
    func keep(_ turn: Int, _ place: Int, _ security: Security, _ speed: Speed) {
      kept.insert(
        Variant(
          subject: subject, family: matrix.families[(place + turn) % matrix.families.count],
          cut: cuts[place % cuts.count],
          queues: matrix.queues[(place + turn) % matrix.queues.count], security: security, speed: speed))
    }
    guard !matrix.families.isEmpty, !cuts.isEmpty, !matrix.queues.isEmpty else { return kept }
    for (turn, security) in matrix.securities.enumerated() where security != usual {
      for place in 0..<max(rounds, matrix.speeds.count) where !matrix.speeds.isEmpty {
        keep(turn, place, security, normal ?? matrix.speeds[place % matrix.speeds.count])
      }
    }
    for (turn, speed) in matrix.speeds.enumerated() where speed != normal {
      for place in matrix.queues.indices where !matrix.securities.isEmpty {
        keep(turn, place, matrix.securities[place % matrix.securities.count], speed)
      }
    }
    return kept
  }

  private func cuts(for segmentation: Segmentation) -> [Variant.Cut] {
    switch segmentation {
    case .whole: return [.whole]
    case .bytes: return [.bytes]
    case .random: return [.random]
    case .everySplit: return splitPoints.map { .split(at: $0) }
    }
  }

  /// Where `everySplit` cuts what the peers send: before these bytes of each payload, counted from 0.
  package var splitPoints: [Int] {
    let longest = peers.flatMap { Self.sends($0.steps) }.max() ?? 0
    guard longest > 1 else { return [] }
    let points = Array(1..<longest)
    guard points.count > Self.maxSplits else { return points }
    let step = Double(points.count - 1) / Double(Self.maxSplits - 1)
    return (0..<Self.maxSplits).map { points[Int((Double($0) * step).rounded())] }
  }

  private static func sends(_ steps: [Located<PeerStep>]) -> [Int] {
    steps.flatMap { step -> [Int] in
      switch step.value {
      case .send(let payload), .raw(let payload): [payload.count]
      case .repeated(_, let inner): sends(inner)
      default: []
      }
    }
  }
}
