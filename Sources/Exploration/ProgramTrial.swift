import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioYAML

/// How a program becomes a scenario that is played at one point of its matrix.
package enum ProgramTrial {
  /// What lies around the program: the world, and where in the matrix. None of it makes a difference to the outcome.
  package struct Setting: Hashable, Sendable {
    /// The world it is played in.
    package var world: WorldName
    /// The one point of the matrix.
    package var variant: Variant

    package init(world: WorldName, variant: Variant) {
      self.world = world
      self.variant = variant
    }

    /// Draws one. No TLS, because programs do not know its handshake; no Unix domain, where connections are reported
    /// otherwise; and every send in one segment, because the last of several might arrive after the next step.
    static func drawn(_ random: inout SplitMix64, world: WorldName, subject: SubjectKind) -> Setting {
      var variant = Variant(subject: subject, family: .ipv4, cut: .whole, queues: .separate)
      variant.family = random.pick([.ipv4, .ipv6])
      guard subject == .gcd else { return Setting(world: world, variant: variant) }
      variant.queues = random.pick(QueueTopology.allCases)
      variant.speed = random.pick([.all, .all, .all, .plain] + Speed.allCases)
      return Setting(world: world, variant: variant)
    }
  }

  /// Between two steps over the real kernel: long enough for what was set off to be over on a busy machine.
  private static let rest = Duration.milliseconds(30)

  /// The scenario of a program, with what the model expects; nil: it takes too long, or nothing of it is certain.
  package static func scenario(_ program: SocketProgram, id: String, _ setting: Setting) -> Scenario? {
    let certain = CertainProgram(setting.world == .loopback ? program.withoutClocks : program)
    guard !certain.program.steps.isEmpty else { return nil }
    guard
      var scenario = try? ProgramScenario.scenario(
        certain, id: id, title: "As the reference model foretells",
        requirement: ModelRequirements.ids(of: certain).first ?? "INV-03")
    else { return nil }
    scenario.requirements = ModelRequirements.ids(of: certain)
    scenario.matrix = matrix(of: setting.variant)
    if setting.world == .loopback {
      scenario.worlds = [.loopback]
      scenario.worldsReason = "that is where it was found"
      for lane in scenario.subjects.indices {
        for place in scenario.subjects[lane].steps.indices {
          if case .wait = scenario.subjects[lane].steps[place].step {
            scenario.subjects[lane].steps[place].step = .wait(rest)
          }
        }
      }
    }
    return readable(scenario)
  }

  /// The scenario as a file of it would be read; nil: no file can say it, or `check` objects.
  package static func readable(_ scenario: Scenario) -> Scenario? {
    let read = ScenarioReader.read(ScenarioWriter.yaml(scenario), id: scenario.id)
    guard let same = read.scenario, !same.variants.isEmpty else { return nil }
    return same
  }

  private static func matrix(of variant: Variant) -> Matrix {
    let segmentation: Segmentation =
      switch variant.cut {
      case .whole: .whole
      case .bytes: .bytes
      case .split: .everySplit
      case .random: .random
      }
    return Matrix(
      subjects: [variant.subject], families: [variant.family], segmentations: [segmentation],
      queues: [variant.queues], securities: [variant.security], speeds: [variant.speed])
  }
}

/// Which requirements a program is about: those that say what comes of what happens in it.
package enum ModelRequirements {
  /// The ids, sorted; never empty.
  package static func ids(of certain: CertainProgram) -> [String] {
    var ids: Set<String> = ["INV-03"]
    let program = certain.program
    let sites = CallSites(program, certain.run)
    for entry in certain.run.entries {
      switch entry.event {
      case .read(_, let tag): ids.formUnion(idsOfRead(tag, sites, program))
      case .wrote: ids.formUnion(["WR-01", "INV-06"])
      case .readPartial, .wrotePartial: ids.formUnion(["INV-15", "INV-16", "RDQ-10"])
      case .readTimeout, .writeTimeout: ids.formUnion(["TMO-03", "TMO-05", "TMO-06", "TMO-07", "TMO-09"])
      case .readClosed: ids.formUnion(["HALF-02", "HALF-05"])
      case .willDisconnect: ids.formUnion(["RL-01", "RL-03"])
      case .disconnected(let reason): ids.formUnion(idsOfEnd(reason, program))
      case .connected: if entry.step >= 0 { ids.insert("LIFE-10") }
      }
    }
    return ids.sorted()
  }

  private static func idsOfRead(_ tag: Int, _ sites: CallSites, _ program: SocketProgram) -> Set<String> {
    guard sites.reads.indices.contains(tag) else { return ["INV-04"] }
    let call: SocketProgram.Call? =
      switch sites.reads[tag] {
      case .step(let index): if case .call(let call) = program.steps[index] { call } else { nil }
      case .reaction(let index): program.reactions[index].call
      }
    guard case .read(let read, _) = call else { return ["INV-04"] }
    return switch read {
    case .available: ["RD-ANY-01", "RD-ANY-02", "INV-05"]
    case .exactly: ["RD-LEN-01", "RDQ-01", "INV-05"]
    case .through(_, let limit) where limit > 0: ["RD-DELIM-01", "RD-DELIM-04", "RD-MAX-01", "INV-05"]
    case .through: ["RD-DELIM-01", "RD-DELIM-04", "INV-05"]
    }
  }

  private static func idsOfEnd(_ reason: ModelEvent.Reason, _ program: SocketProgram) -> Set<String> {
    switch reason {
    case .wish: ["DIS-01", "DIS-05"]
    case .closedByPeer: program.livesOnRunLoop ? ["HALF-14"] : ["HALF-01"]
    case .broken: ["RD-LEN-08", "WR-08"]
    case .closedOrBroken: ["HALF-08"]
    case .readMaxedOut: ["RD-MAX-02"]
    case .readTimeout, .writeTimeout: ["TMO-04"]
    case .connectTimeout, .connectFailed: ["INV-01"]
    }
  }
}
