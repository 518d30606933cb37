/// One case of a run: a scenario in one variant, one world, one seed.
package struct CaseResult: Hashable, Sendable, Codable {
  /// The scenario's id.
  package var scenario: String
  /// The scenario's title.
  package var title: String
  /// The point of the matrix it ran at.
  package var variant: Variant
  /// The world it ran in.
  package var world: WorldName
  /// The seed it ran with.
  package var seed: UInt64
  /// `error` until the case has been judged.
  package var verdict: Verdict
  /// Why it was skipped, unsupported, inconclusive or an error.
  package var reason: String?
  /// The requirement ids the scenario names, such as `RD-DELIM-04`.
  package var requirements: [String]
  /// The scenario's tags.
  package var tags: [String]
  /// What differs from what was expected; empty if nothing does.
  package var deviations: [Deviation]
  /// What was seen; see `hasWholeTrace`.
  package var trace: Trace
  /// False: of the trace only what tells of TLS was kept.
  package var hasWholeTrace: Bool
  /// `ContentHash.text` of the whole trace; equal seeds give equal hashes in the simulated world.
  package var traceHash: String
  /// Real time spent.
  package var duration: Duration
  /// The expectation that was met by each trace event: index into the trace to the position in the file.
  package var matches: [Int: SourcePosition]
  /// For each `oneOf` of the scenario, in file order, the alternative that came, counted from 1; 0: none.
  package var forms: [Int]
  /// A canary's case fails when all is well.
  package var canary: Bool
  /// What the process that ran the case said as it ended, or where its threads stood when it was ended: line by line,
  /// for verdicts `crash` and `hang`.
  package var backtrace: [String]
  /// Set when the control did not vouch for the case; its verdict is `error` then.
  package var voided: VoidedCase?
  /// The id of its control, if the subject does not offer what that asks for: the case was judged without one.
  package var missingControl: String?
  /// Set when what went wrong is on record: the case counts as expected then.
  package var known: KnownDeviation?
  /// Where the case's capture lies, relative to the reports; nil: none was written.
  package var capture: String?

  package init(scenario: Scenario, variant: Variant, world: WorldName, seed: UInt64) {
    self.scenario = scenario.id
    title = scenario.title
    self.variant = variant
    self.world = world
    self.seed = seed
    verdict = .error
    requirements = scenario.requirements
    tags = scenario.tags
    deviations = []
    trace = Trace()
    hasWholeTrace = true
    traceHash = ""
    duration = .zero
    matches = [:]
    forms = []
    canary = scenario.canary
    backtrace = []
  }

  /// `read/line [ipv4-bytes, simulated]`.
  package var name: String { "\(scenario) [\(variant.name), \(world.rawValue)]" }

  /// As expected: the verdict is, or what went wrong is on record, or the case is a canary that failed as it must.
  package var isAsExpected: Bool { canary ? verdict == .failed : verdict.isAsExpected || known != nil }
}

/// Why a case that ran proves nothing: its control did not pass.
package struct VoidedCase: Hashable, Sendable, Codable {
  /// The control's scenario id.
  package var control: String
  /// The first verdict of the control that was no pass; nil: it did not run in that world.
  package var controlVerdict: Verdict?
  /// What the judge said of the case alone.
  package var verdict: Verdict

  package init(control: String, controlVerdict: Verdict?, verdict: Verdict) {
    self.control = control
    self.controlVerdict = controlVerdict
    self.verdict = verdict
  }
}

/// A whole run, ready to be reported.
package struct RunReport: Hashable, Sendable, Codable {
  /// ISO 8601 with seconds, UTC: also names the dated folder.
  package var startedAt: String
  /// Of the lab.
  package var version: String
  /// The subjects, by names that stay from release to release: `CocoaAsyncSocket (reference), node`. The library's
  /// classes are those of the cases.
  package var subject: String
  /// What the programs that were asked for say of themselves, those that were left out among them.
  package var programs: [ProgramFacts] = []
  /// The commit of the lab's sources, with `+changes` behind it if the tree differed from it; nil: not known.
  package var labCommit: String?
  /// The same of the subject's sources; the reference has the lab's.
  package var subjectCommit: String?
  /// Which profile's alternatives applied.
  package var profile: Profile
  /// The machine that the run was on.
  package var host: HostFacts
  /// The first seed.
  package var seed: UInt64
  /// How many seeds each simulated case ran with.
  package var seeds: Int
  /// How often everything ran.
  package var rounds = 1
  /// Which part of a suite it is: `2/4`; nil: all of it.
  package var shard: String?
  /// Real time of the whole run.
  package var duration: Duration
  /// The results that are listed, sorted by scenario, variant, world and seed.
  package var cases: [CaseResult]
  /// Cases of further seeds and repetitions that went as expected; they are counted and not listed.
  package var unlistedCases: [CaseColumn: UnlistedCases] = [:]
  /// Planned cases that an interruption kept from being judged: they did not run, or what vouches for them did not.
  package var casesNotJudged = 0
  /// Entries of the known deviations that are not as the run shows them.
  package var deviationFaults: [DeviationFault] = []
  /// What was asked of the run as a whole and is not so, whatever its cases came to.
  package var shortfalls: [RunShortfall] = []
  /// What the run took of the machine; nil: not measured.
  package var resources: RunResources?
  /// Scenario id to file path (relative to the working folder) and source text, for every scenario that ran.
  package var sources: [String: ScenarioSource]
  /// What the requirements say that the cases name, by their ids; those that are missing are shown by their ids alone.
  package var sentences: [String: String] = [:]

  package init(
    startedAt: String, version: String, subject: String, profile: Profile, host: HostFacts, seed: UInt64, seeds: Int,
    duration: Duration, cases: [CaseResult], sources: [String: ScenarioSource]
  ) {
    self.startedAt = startedAt
    self.version = version
    self.subject = subject
    self.profile = profile
    self.host = host
    self.seed = seed
    self.seeds = seeds
    self.duration = duration
    self.cases = cases
    self.sources = sources
  }
}

/// Something that was asked of a run as a whole and is not so.
package struct RunShortfall: Hashable, Sendable, Codable {
  /// What was asked.
  package enum Kind: String, Sendable, Codable {
    case tooFewCases = "too-few-cases"
    case disagreement
    case askedNothing = "asked-nothing"
  }

  /// What was asked.
  package var kind: Kind
  /// What is instead: a sentence without its end.
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// What a run took of the machine, workers included.
package struct RunResources: Hashable, Sendable, Codable {
  /// The most memory that one process of the run had at a time, in bytes.
  package var peakMemory: Int
  /// Processor time of all processes of the run.
  package var processor: Duration

  package init(peakMemory: Int, processor: Duration) {
    self.peakMemory = peakMemory
    self.processor = processor
  }
}

/// A scenario file as the pages show it.
package struct ScenarioSource: Hashable, Sendable, Codable {
  /// Relative to the working folder.
  package var path: String
  /// All of the file.
  package var text: String

  /// `ContentHash.text` of the file.
  package var hash: String { ContentHash(of: text.utf8).text }

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}

/// Facts about the host that matter to a reader of the report.
package struct HostFacts: Hashable, Sendable, Codable {
  /// The kernel's name and release and the architecture: `Linux 6.8.0 x86_64`.
  package var system: String
  /// Processors that are on line.
  package var processors: Int
  /// The largest oversleep the lab measured during the run, which scales the tolerance for late events.
  package var jitter: Duration

  package init(system: String, processors: Int, jitter: Duration) {
    self.system = system
    self.processors = processors
    self.jitter = jitter
  }
}

/// A subject that is a program of its own, as a run found it.
package struct ProgramFacts: Hashable, Sendable, Codable {
  /// As commands and cases name it.
  package var name: String
  /// The library's name, by its hello; nil: it said none.
  package var library: String?
  /// The library's version, by its hello; nil: it said none.
  package var version: String?
  /// Why it was not judged; nil: it was.
  package var leftOut: String?
  /// What the person called it, such as a path; nil: by its name.
  package var called: String?

  /// A program that was judged.
  package init(name: String, library: String?, version: String?, called: String? = nil) {
    (self.name, self.library, self.version, self.called) = (name, library, version, called)
  }

  /// The names of processes that it had left running when it ended, and that the lab ended; nil: there were none.
  package var leftRunning: [String]?
  /// What it did wrong when its cases were over; nil: nothing.
  package var exitFaults: [SubjectExit.Fault]?

  /// `left 3 processes running, which the lab ended: sleep, worker`; nil: it left none.
  package var remains: String? {
    guard let leftRunning, !leftRunning.isEmpty else { return nil }
    let names = Set(leftRunning).sorted().joined(separator: ", ")
    let count = leftRunning.count == 1 ? "a process" : "\(QuantityText.count(leftRunning.count)) processes"
    return "left \(count) running, which the lab ended: \(names)"
  }

  /// What a command calls it by.
  package var word: String { called ?? name }

  /// A program that was not judged.
  package init(name: String, leftOut: String) { (self.name, self.leftOut) = (name, leftOut) }

  /// `node 20.20.2`, or `mine (asyncio 3.11.7)` if it calls itself otherwise.
  package var title: String {
    let said = [library, version].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
    if said.isEmpty || said == name { return name }
    return library == name ? said : "\(name) (\(said))"
  }
}

extension RunReport {
  /// Adds how subjects have ended, by their names. Where it may have been one of several, joined by `or`, each of them
  /// has it.
  package mutating func note(_ exits: [String: SubjectExit]) {
    for index in programs.indices {
      let own = exits.filter { $0.key.split(separator: " ").contains { $0 == programs[index].name } }
        .sorted { $0.key < $1.key }.map(\.value).reduce(SubjectExit(), +)
      let names = ((programs[index].leftRunning ?? []) + own.leftRunning).sorted()
      programs[index].leftRunning = names.isEmpty ? nil : names
      let faults = ((programs[index].exitFaults ?? []) + own.faults).sorted { $0.text < $1.text }
      programs[index].exitFaults = faults.isEmpty ? nil : faults
    }
  }

  /// How subjects have ended, by their names, for `note` of another report.
  package var exits: [String: SubjectExit] {
    let exits = programs.map { ($0.name, SubjectExit(leftRunning: $0.leftRunning ?? [], faults: $0.exitFaults ?? [])) }
    return Dictionary(exits, uniquingKeysWith: +)
  }

  /// Whether a subject did something wrong when its cases were over.
  package var hasExitFaults: Bool { programs.contains { $0.exitFaults != nil } }

  /// Whether subjects that are programs of their own were judged.
  package var hasPrograms: Bool { cases.contains { $0.variant.program != nil } }

  /// Whether programs were asked for, judged or not: subjects are shown beside each other.
  package var hasMatrix: Bool { hasPrograms || !programs.isEmpty }

  /// Whether any case besides canaries was played. A run of nothing proves nothing.
  package var hasPlayed: Bool {
    cases.contains { !$0.canary && $0.verdict != .skipped && $0.verdict != .unsupported }
  }

  /// Why the run as a whole proves less than it was to, although its cases may all be as expected: sentences without
  /// their ends.
  package var reservations: [String] {
    var found = shortfalls.map(\.message)
    if hasExitFaults { found.append("a subject did not end well") }
    if !cases.isEmpty, !hasPlayed {
      found.append("nothing was played\(cases.contains(where: \.canary) ? " but canaries" : "")")
    }
    return found + askedNothing.map { "\(title(of: $0.subject)) was asked nothing: \($0.reason)" }
  }

  /// Programs that were asked for and not judged.
  package var leftOut: [ProgramFacts] { programs.filter { $0.leftOut != nil } }

  /// The subjects, with the versions of programs.
  package var subjectTitle: String { ProgramFacts.title(subject, programs) }

  /// A subject with what it says of itself.
  package func title(of subject: SubjectLabel) -> String {
    programs.first { $0.name == subject.program }?.title ?? subject.name
  }

  /// Programs of which no case was judged, and the commonest reason of scenarios' first cases, which ask least; among
  /// reasons that are as common the first by name. Programs without a case come first. Of a part of a suite nothing is
  /// said: the other parts may have what the program can be asked.
  package var askedNothing: [(subject: SubjectLabel, reason: String)] {
    guard shard == nil else { return [] }
    let groups = Dictionary(grouping: cases.filter { $0.variant.program != nil }, by: \.variant.label)
    let known = Set(groups.keys.compactMap(\.program))
    // In a run that was broken off its cases may only not have come yet.
    let silent = casesNotJudged > 0 ? [] : programs.filter { $0.leftOut == nil && !known.contains($0.name) }
    let without: [(subject: SubjectLabel, reason: String)] = silent.map {
      (SubjectLabel(.gcd, program: $0.name), "what was chosen has no case for it over loopback")
    }
    var refusing: [(subject: SubjectLabel, reason: String)] = []
    for (subject, cases) in groups.sorted(by: { $0.key < $1.key }) {
      if let reason = Self.refusal(of: cases) { refusing.append((subject, reason)) }
    }
    return without + refusing
  }

  /// Why none of these cases of a program was judged; nil: one was.
  private static func refusal(of cases: [CaseResult]) -> String? {
    guard cases.allSatisfy({ $0.verdict == .unsupported || $0.verdict == .skipped }) else { return nil }
    var seen: Set<String> = []
    let firsts = cases.filter { seen.insert($0.scenario).inserted }
    let reasons = Dictionary(firsts.map { ($0.reason ?? "", 1) }, uniquingKeysWith: +)
    return reasons.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key ?? ""
  }

  /// How many cases of each program were judged without a control, because it does not offer that one.
  package var withoutControl: [(subject: SubjectLabel, control: String, count: Int)] {
    struct Key: Hashable {
      var subject: SubjectLabel
      var control: String
    }
    let keys = cases.compactMap { result in
      result.missingControl.map { Key(subject: result.variant.label, control: $0) }
    }
    return Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
      .sorted { ($0.key.subject, $0.key.control) < ($1.key.subject, $1.key.control) }
      .map { ($0.key.subject, $0.key.control, $0.value) }
  }
}

extension ProgramFacts {
  /// A list of subjects with titles in place of the programs' names.
  package static func title(_ subjects: String, _ programs: [ProgramFacts]) -> String {
    let titles = Dictionary(programs.map { ($0.name, $0.title) }, uniquingKeysWith: { first, _ in first })
    return subjects.split(separator: ", ").map { titles[String($0)] ?? String($0) }.joined(separator: ", ")
  }
}
