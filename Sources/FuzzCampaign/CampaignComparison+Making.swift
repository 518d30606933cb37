import FuzzHarness

extension CampaignComparison {
  /// Compares the later campaign with the earlier one.
  ///
  /// Coverage and features are set side by side only where the same counters were compiled in; whatever else differs
  /// (time, options, corpus, host) is said. A change is one only when the trials of the one lie beyond those of the
  /// other, five each at least.
  package init(of later: Campaign, with earlier: Campaign) {
    self.init(
      base: earlier.id, baseCommit: earlier.provenance.commit, measures: [],
      findings: Self.findings(of: later, with: earlier), functions: [], caveats: Self.caveats(later, earlier))
    for target in later.targets {
      guard let before = earlier.target(target.name) else { continue }
      for lane in FuzzTarget.Lane.allCases {
        let pair = LanePair(later, earlier, target, before, lane)
        measures += pair.measures
      }
      if let measure = Self.replayed(target, before) { measures.append(measure) }
      functions += Self.functions(target, before)
    }
  }

  private static func findings(of later: Campaign, with earlier: Campaign) -> FindingComparison {
    let now = Set(later.findings.filter { $0.status != .fixed }.map(\.key))
    let before = Set(earlier.findings.filter { $0.status != .fixed }.map(\.key))
    return FindingComparison(
      new: now.subtracting(before).sorted(), gone: before.subtracting(now).sorted(),
      still: now.intersection(before).sorted())
  }

  private static func caveats(_ later: Campaign, _ earlier: Campaign) -> [String] {
    var caveats: [String] = []
    let (now, before) = (later.provenance, earlier.provenance)
    if now.system != before.system || now.processors != before.processors {
      caveats.append("another host: \(before.system), \(before.processors) processors before")
    }
    if now.swiftVersion != before.swiftVersion {
      caveats.append("another compiler: \(before.swiftVersion ?? "not known") before")
    }
    if before.isDirty == true, earlier != later {
      caveats.append("the earlier campaign was of a checkout with changes")
    }
    let (names, earlierNames) = (Set(later.targets.map(\.name)), Set(earlier.targets.map(\.name)))
    for name in names.subtracting(earlierNames).sorted() { caveats.append("\(name) is new") }
    for name in earlierNames.subtracting(names).sorted() { caveats.append("\(name) is no longer there") }
    return caveats
  }

  private static func replayed(_ now: CampaignTarget, _ before: CampaignTarget) -> MeasureComparison? {
    guard let later = now.coverage, let earlier = before.coverage else { return nil }
    var measure = MeasureComparison(
      target: now.name, lane: nil, measure: .replayedCoverage, before: nil, after: nil, change: .incomparable)
    guard later.unit == earlier.unit, later.total == earlier.total else {
      measure.note =
        "\(earlier.total) \(earlier.unit.rawValue) before, \(later.total) \(later.unit.rawValue) now: not the same code"
      return measure
    }
    measure.before = Spread([Double(earlier.covered)])
    measure.after = Spread([Double(later.covered)])
    // A replay has no chance in it, so one is enough.
    measure.change =
      later.covered == earlier.covered ? .same : later.covered > earlier.covered ? .higher : .lower
    return measure
  }

  private static func functions(_ now: CampaignTarget, _ before: CampaignTarget) -> [FunctionChange] {
    guard let later = now.coverage, let earlier = before.coverage else { return [] }
    var entered: [String: Bool] = [:]
    for file in earlier.files {
      for function in file.functions {
        let name = "\(file.path) \(function.name)"
        entered[name] = entered[name] == true || !function.isNeverEntered
      }
    }
    var isEnteredNow: [String: (path: String, name: String, flag: Bool)] = [:]
    for file in later.files {
      for function in file.functions {
        let name = "\(file.path) \(function.name)"
        let flag = isEnteredNow[name]?.flag == true || !function.isNeverEntered
        isEnteredNow[name] = (file.path, function.name, flag)
      }
    }
    return isEnteredNow.sorted { $0.key < $1.key }.compactMap { name, function in
      guard let old = entered[name], old != function.flag else { return nil }
      return FunctionChange(
        target: now.name, path: function.path, name: function.name, isEnteredNow: function.flag)
    }
  }
}

/// One target in one lane, in both campaigns.
private struct LanePair {
  let target: String
  let lane: FuzzTarget.Lane
  let later: [FuzzRun]
  let earlier: [FuzzRun]
  let speedNow: Spread?
  let speedBefore: Spread?
  /// Why coverage must not be compared; nil: it may.
  let barrier: String?
  /// What else differs.
  let difference: String?
  let isSameHost: Bool

  init(
    _ laterCampaign: Campaign, _ earlierCampaign: Campaign, _ now: CampaignTarget, _ before: CampaignTarget,
    _ lane: FuzzTarget.Lane
  ) {
    target = now.name
    self.lane = lane
    later = now.runs.filter { $0.lane == lane && $0.exit.kind != .harnessError }
    earlier = before.runs.filter { $0.lane == lane && $0.exit.kind != .harnessError }
    speedNow = laterCampaign.speed(of: now, lane)
    speedBefore = earlierCampaign.speed(of: before, lane)
    isSameHost =
      laterCampaign.provenance.system == earlierCampaign.provenance.system
      && laterCampaign.provenance.processors == earlierCampaign.provenance.processors
    barrier = Self.barrier(
      laterCampaign.provenance.build(of: now.name, lane), earlierCampaign.provenance.build(of: now.name, lane))
    difference = Self.difference(later, earlier, now, before)
  }

  private static func barrier(_ now: FuzzBuild?, _ before: FuzzBuild?) -> String? {
    guard let now, let before else { return "the instrumentation of one is not known" }
    return now.isInstrumented(as: before) ? nil : "different instrumentation"
  }

  private static func difference(
    _ later: [FuzzRun], _ earlier: [FuzzRun], _ now: CampaignTarget, _ before: CampaignTarget
  ) -> String? {
    var words: [String] = []
    if Set(later.map(options)) != Set(earlier.map(options)) { words.append("other options") }
    if now.corpusBefore != before.corpusBefore { words.append("another corpus at the start") }
    if let time = Spread(later.map(\.wallSeconds)), let past = Spread(earlier.map(\.wallSeconds)),
      abs(time.median - past.median) > 0.1 * max(time.median, past.median)
    {
      words.append("\(Int(nearest: past.median)) s a run before, \(Int(nearest: time.median)) s now")
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// What changes how the fuzzer searches, without what differs from run to run.
  private static func options(_ run: FuzzRun) -> [String] {
    let passing = ["-seed=", "-artifact_prefix=", "-exact_artifact_path=", "-max_total_time=", "-runs="]
    return run.command.split(separator: " ").map(String.init)
      .filter { word in word.hasPrefix("-") && !passing.contains { word.hasPrefix($0) } }.sorted()
  }

  var measures: [MeasureComparison] {
    guard !later.isEmpty, !earlier.isEmpty else { return [] }
    var measures: [MeasureComparison] = []
    if speedNow != nil || speedBefore != nil {
      let barrier = isSameHost ? nil : "another host"
      measures.append(compare(.executionsPerSecond, speedBefore, speedNow, barrier: barrier, difference: nil))
    }
    let values: [(MeasureComparison.Measure, KeyPath<SeriesPoint, Int>)] = [
      (.coverage, \.coverage), (.features, \.features), (.corpusFiles, \.corpusFiles),
    ]
    for (measure, path) in values {
      let before = Spread(earlier.compactMap { $0.final.map { Double($0[keyPath: path]) } })
      let after = Spread(later.compactMap { $0.final.map { Double($0[keyPath: path]) } })
      guard before != nil || after != nil else { continue }
      measures.append(compare(measure, before, after, barrier: barrier, difference: difference))
    }
    return measures
  }

  private func compare(
    _ measure: MeasureComparison.Measure, _ before: Spread?, _ after: Spread?, barrier: String?, difference: String?
  ) -> MeasureComparison {
    var result = MeasureComparison(
      target: target, lane: lane, measure: measure, before: nil, after: nil, change: .incomparable)
    guard barrier == nil, let before, let after else {
      result.note = barrier ?? "not measured in both"
      return result
    }
    (result.before, result.after) = (before, after)
    if before == after {
      result.change = .same
    } else if let difference {
      (result.change, result.note) = (.unclear, difference)
    } else if min(before.count, after.count) < Spread.enough {
      (result.change, result.note) = (.unclear, "fewer than \(Spread.enough) trials")
    } else if before.isApart(from: after) {
      result.change = after.median > before.median ? .higher : .lower
    } else {
      (result.change, result.note) = (.unclear, "within what trials differ by")
    }
    return result
  }
}
