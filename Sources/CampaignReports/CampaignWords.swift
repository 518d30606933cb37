import FuzzCampaign
import FuzzHarness
import ScenarioModel

/// A campaign's values as people read them, shared by the page and the summary.
enum CampaignWords {
  static func headline(_ campaign: Campaign) -> String {
    if campaign.isUnfinished == true { return "Not ended: it is under way, or it died" }
    if campaign.gates.isEmpty { return "Not judged" }
    let failed = campaign.gates.filter { $0.state == .failed }
    guard !failed.isEmpty else { return "Passed" }
    if campaign.isInterrupted, failed.allSatisfy({ $0.name == .complete }) { return "Interrupted: not everything ran" }
    return "Failed: " + failed.map { title($0.name) }.joined(separator: ", ")
  }

  /// Never "no bugs": only what was not found, in how much.
  static func outcome(_ campaign: Campaign) -> String {
    let news = campaign.findings.count(where: \.isNews)
    let known = campaign.findings.count - news
    var text = news == 0 ? "No new finding" : news == 1 ? "1 new finding" : "\(news) new findings"
    if known > 0 { text += " (\(known) known or fixed)" }
    return text + " in \(QuantityText.count(campaign.executions)) executions."
  }

  static func title(_ gate: Gate.Name) -> String {
    switch gate {
    case .findings: "findings"
    case .health: "health"
    case .instrumented: "instrumentation"
    case .speed: "speed"
    case .regressions: "regressions"
    case .zoo: "bug zoo"
    case .coverage: "coverage"
    case .complete: "completeness"
    }
  }

  static func glyph(_ state: Gate.State) -> String {
    switch state {
    case .passed: "✓"
    case .failed: "✕"
    case .skipped: "–"
    }
  }

  /// The page's colours are those of verdicts.
  static func tone(_ state: Gate.State) -> String {
    switch state {
    case .passed: "passed"
    case .failed: "failed"
    case .skipped: "skipped"
    }
  }

  static func tone(_ finding: Finding) -> String {
    switch finding.status {
    case .fixed: return "passed"
    case .known: return "canary"
    case .new, .regressed, .flaky: break
    }
    return switch finding.kind {
    case .violation: "failed"
    case .crash, .memory, .race: "crash"
    case .timeout: "timeout"
    case .oom, .leak: "hang"
    }
  }

  static func tone(_ exit: ExitClass) -> String {
    switch exit {
    case .clean: "passed"
    case .interrupted: "passedNonStrict"
    case .crash, .race: "crash"
    case .timeout: "timeout"
    case .oom, .leak: "hang"
    case .killed: "inconclusive"
    case .harnessError: "error"
    }
  }

  static func label(_ exit: RunExit) -> String {
    exit.reason.map { "\(exit.kind.rawValue): \($0)" } ?? exit.kind.rawValue
  }

  /// `1.2 M`, `350 k`, `17`.
  static func short(_ number: Double) -> String {
    guard number.isFinite else { return "–" }
    for (unit, scale) in [("G", 1e9), ("M", 1e6), ("k", 1e3)] where abs(number) >= scale {
      return QuantityText.fraction(number / scale, digits: abs(number) >= 100 * scale ? 0 : 1) + " " + unit
    }
    return QuantityText.fraction(number, digits: abs(number) < 10 ? 1 : 0)
  }

  static func seconds(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e9 else { return "–" }
    if seconds >= 7200 { return QuantityText.fraction(seconds / 3600, digits: 1) + " h" }
    return QuantityText.duration(.milliseconds(Int64(seconds * 1000)))
  }

  static func percent(_ share: Double) -> String {
    guard share.isFinite else { return "–" }
    // Never rounded up to all of it.
    return share < 1 ? QuantityText.fraction((share * 1000).rounded(.down) / 10, digits: 1) + " %" : "100 %"
  }

  static func spread(_ spread: Spread?) -> String {
    guard let spread else { return "–" }
    if spread.low == spread.high { return short(spread.median) }
    return "\(short(spread.median)) (\(short(spread.low))…\(short(spread.high)), n=\(spread.count))"
  }

  /// Why a lane may be slow or unsound, guessed from what is known.
  static func hints(_ run: FuzzRun, _ target: CampaignTarget) -> [String] {
    var hints: [String] = []
    if let rate = run.ownRate, let floor = target.floor(run.lane), rate < Double(floor) {
      if !run.command.contains("-detect_leaks=0"), FuzzTarget.named(target.name)?.hopsThreads == true {
        hints.append("leaks are looked for after each input, which costs most where threads are hopped")
      } else if let slow = run.slowestUnitSeconds, slow >= 1 {
        hints.append("one input took \(seconds(slow))")
      } else if let low = run.rateP10, low < rate / 3 {
        hints.append("a tenth of the time below \(short(low)) exec/s: other work on the machine, or slow inputs")
      } else {
        hints.append("below the floor of \(short(Double(floor))) exec/s throughout")
      }
    }
    if let rss = run.peakRssBytes, rss > 768 << 20 { hints.append("memory up to \(QuantityText.size(rss))") }
    if let cpu = run.cpuSeconds, run.wallSeconds > 5, cpu < 0.6 * run.wallSeconds {
      hints.append("had a processor for \(percent(cpu / run.wallSeconds)) of its time")
    }
    if run.exit.kind == .oom { hints.append("ended by its memory limit") }
    return hints + run.missing.map { "missing: \($0)" }
  }
}
