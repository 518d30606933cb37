import FuzzHarness

extension Campaign {
  /// Shorter runs say nothing about speed.
  package static let shortestSpeedRun = 5.0
  package static let leastFuzzKillRate = 0.9

  /// Judges the campaign, beside an earlier one where there is one. All gates, in their order.
  package func judged(against baseline: Campaign? = nil) -> [Gate] {
    [
      findingsGate, healthGate, instrumentedGate, speedGate, regressionsGate, zooGate, coverageGate(baseline),
      completeGate,
    ]
  }

  /// The gates once more, when its findings have been looked at again. The baseline was compared with what has not
  /// changed since.
  package func judgedAgain() -> [Gate] {
    let former = gates.first { $0.name == .coverage }
    return judged().map { $0.name == .coverage ? former ?? $0 : $0 }
  }

  private var findingsGate: Gate {
    let news = findings.filter(\.isNews)
    let known = findings.count - news.count
    // Never "no bugs": what was not found in so many executions may still be there.
    var actual = news.isEmpty ? "no finding" : "\(news.count) \(news.count == 1 ? "finding" : "findings")"
    actual += " in \(executions.grouped) executions"
    if known > 0 { actual += ", \(known) known" }
    return Gate(
      .findings, news.isEmpty ? .passed : .failed, threshold: "none that is new, came back or is flaky",
      actual: actual, reasons: news.map { "\($0.id): \($0.kind.rawValue) \($0.subject)" })
  }

  private var healthGate: Gate {
    let threshold = "every run ends as it should, with statistics"
    let runs = targets.flatMap { target in target.runs.map { (target, $0) } }
    guard !runs.isEmpty else {
      return Gate(.health, .skipped, threshold: threshold, actual: "nothing ran")
    }
    let bad = runs.filter { $1.exit.kind == .harnessError || $1.exit.kind == .killed }
    return Gate(
      .health, bad.isEmpty ? .passed : .failed, threshold: threshold,
      actual: "\(runs.count - bad.count) of \(runs.count) runs",
      reasons: bad.map { target, run in
        "\(target.name), \(run.lane.rawValue), trial \(run.trial): \(run.exit.kind.rawValue)"
          + (run.exit.reason.map { ": \($0)" } ?? "")
      })
  }

  private var instrumentedGate: Gate {
    let threshold = "every module of the library, in every program"
    // An exploration plays cases with the lab as it ships.
    let pairs = targets.flatMap { target in target.lanes.filter { $0 != .plain }.map { (target.name, $0) } }
    guard !pairs.isEmpty || !provenance.builds.isEmpty else {
      return Gate(.instrumented, .skipped, threshold: threshold, actual: "nothing was built")
    }
    var reasons: [String] = []
    for (target, lane) in pairs where provenance.build(of: target, lane) == nil {
      reasons.append("\(target), \(lane.rawValue): its build is not told")
    }
    for build in provenance.builds {
      let place = "\(build.target), \(build.lane.rawValue)"
      if build.modules.isEmpty { reasons.append("\(place): nobody looked") }
      for module in build.modules {
        if module.counters == 0 { reasons.append("\(place): \(module.module) has no counters") }
        if build.lane != .cov, module.sanitizerChecks ?? 0 == 0 {
          reasons.append("\(place): \(module.module) has no checks of the sanitizer")
        }
      }
    }
    let modules = Set(provenance.builds.flatMap(\.modules).map(\.module)).count
    return Gate(
      .instrumented, reasons.isEmpty ? .passed : .failed, threshold: threshold,
      actual: "\(modules) modules, \(provenance.builds.count) programs", reasons: reasons)
  }

  /// Executions a second of a target in a lane, over its trials; nil: not measured.
  package func speed(of target: CampaignTarget, _ lane: FuzzTarget.Lane) -> Spread? {
    let measured = target.speeds.filter { $0.lane == lane }.flatMap(\.rates)
    if !measured.isEmpty { return Spread(measured) }
    let sound = target.runs.filter { run in
      run.lane == lane && [.clean, .interrupted].contains(run.exit.kind) && run.wallSeconds >= Self.shortestSpeedRun
    }
    return Spread(sound.compactMap(\.ownRate))
  }

  private var speedGate: Gate {
    var measured = 0
    var reasons: [String] = []
    for target in targets {
      for floor in target.floors {
        // Only what was measured for it: a search has longer inputs, and the first seconds of a run go to its corpus.
        let rates = target.speeds.filter { $0.lane == floor.lane }.flatMap(\.rates)
        guard let speed = Spread(rates) else { continue }
        measured += 1
        if speed.median < Double(floor.executionsPerSecond) {
          let (seen, asked) = (Int(nearest: speed.median).grouped, floor.executionsPerSecond.grouped)
          reasons.append(
            "\(target.name), \(floor.lane.rawValue): \(seen) of \(asked) exec/s"
          )
        }
      }
    }
    let state: Gate.State = measured == 0 ? .skipped : reasons.isEmpty ? .passed : .failed
    return Gate(
      .speed, state, threshold: "the floors of the catalogue",
      actual: measured == 0
        ? "not measured"
        : "\(measured - reasons.count) of \(measured) target lanes", reasons: reasons)
  }

  private var regressionsGate: Gate {
    let replays = targets.compactMap { target in target.replay.map { (target.name, $0) } }
    let inputs = replays.map(\.1.inputs).total
    let failures = replays.flatMap { name, replay in replay.failures.map { "\(name): \($0.path): \($0.message)" } }
    return Gate(
      .regressions, !failures.isEmpty ? .failed : inputs == 0 ? .skipped : .passed,
      threshold: "every committed input passes",
      actual: replays.isEmpty
        ? "not replayed" : inputs == 0 ? "there are none" : "\(inputs - failures.count) of \(inputs) inputs",
      reasons: failures)
  }

  private var zooGate: Gate {
    let threshold = "all that are not equivalent, 90 % of those that are hunted by fuzzing"
    guard let validation, let rate = validation.killRate else {
      return Gate(.zoo, .skipped, threshold: threshold, actual: "not part of this campaign")
    }
    let byFuzzing = validation.fuzzKillRate ?? 1
    let isMet = rate == 1 && byFuzzing >= Self.leastFuzzKillRate
    return Gate(
      .zoo, isMet ? .passed : .failed, threshold: threshold,
      actual: "\(validation.found.count) of \(validation.counted.count) mutants,"
        + " \(validation.hunted.count { $0.isFoundByFuzzing }) of \(validation.hunted.count) by fuzzing",
      reasons: validation.survivors.map { "\($0.name) survives: \($0.what)" }
        + (byFuzzing < Self.leastFuzzKillRate
          ? validation.hunted.filter { $0.isFound && !$0.isFoundByFuzzing }.map {
            "\($0.name) is not found by fuzzing: \($0.what)"
          }
          : []))
  }

  private func coverageGate(_ baseline: Campaign?) -> Gate {
    let threshold = "not below the baseline's"
    guard let baseline else {
      return Gate(.coverage, .skipped, threshold: threshold, actual: "no baseline")
    }
    var compared = 0
    var reasons: [String] = []
    for target in targets {
      guard let before = baseline.target(target.name)?.coverage else { continue }
      guard let now = target.coverage else {
        // Whoever interrupts a campaign gets no measures.
        if isInterrupted { continue }
        compared += 1
        reasons.append("\(target.name): not measured, \(before.covered) of \(before.total) before")
        continue
      }
      guard now.unit == before.unit, now.total == before.total else { continue }
      compared += 1
      if now.covered < before.covered {
        reasons.append("\(target.name): \(now.covered) of \(now.total) \(now.unit.rawValue), \(before.covered) before")
      }
    }
    return Gate(
      .coverage, compared == 0 ? .skipped : reasons.isEmpty ? .passed : .failed, threshold: threshold,
      actual: compared == 0
        ? "no target with the same instrumentation in both" : "\(compared - reasons.count) of \(compared) targets",
      reasons: reasons)
  }

  private var completeGate: Gate {
    let lacks =
      missing.map { "\($0.what): \($0.reason)" }
      + targets.flatMap { target in
        target.runs.flatMap { run in
          run.missing.map { "\(target.name), \(run.lane.rawValue), trial \(run.trial): \($0)" }
        }
      }
    // What has not run is missing as well, and nobody can say how much it is.
    let reasons = (isInterrupted ? ["interrupted: not everything ran"] : []) + lacks
    var seen = lacks.isEmpty ? [] : ["\(lacks.count) missing"]
    if isInterrupted { seen.append("interrupted") }
    return Gate(
      .complete, reasons.isEmpty ? .passed : .failed, threshold: "nothing is missing from the report",
      actual: seen.isEmpty ? "complete" : seen.joined(separator: ", "), reasons: reasons)
  }
}
