import Foundation
import FuzzCampaign
import FuzzHarness
import FuzzPrograms
import HostTools
import ReferenceModel
import ScenarioModel

extension FuzzExaminer {
  /// Bytes of the longest input that the floors are asked for.
  static let speedLength = 256

  /// Runs what is committed, each input once. What is known to be open must still violate. nil: it was interrupted.
  func replayCommitted(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, known: KnownFindings
  ) throws -> ReplayFact? {
    let folders = [layout.corpus(target), layout.seeds(target), layout.regressions(target)]
    // What can't be listed was told when the campaign began.
    var files = folders.flatMap { (try? HostFiles.files(below: $0)) ?? [] }
      .filter { HostFiles.size($0) <= FuzzInputs.largestFile }
    let open = files.filter { file in
      file.hasPrefix(layout.regressions(target)) && known.isOpen(target, file: (file as NSString).lastPathComponent)
    }
    let all = files.count
    files.removeAll { open.contains($0) }
    var failures = try sweep(files, target, lane, most: 100).map { file, replay in
      ReplayFailure(
        path: file, message: replay.crash.map { "\($0.kind.rawValue) \($0.subject)" } ?? replay.problem ?? "not run")
    }
    for file in open where !isStopRequested {
      // Another lane may be unable to show it.
      let wanted = known.openEntry(target, file: (file as NSString).lastPathComponent)?.lane
      guard wanted == nil || wanted == lane else { continue }
      if try replayUntilShown(file, target, lane).replay.isClean {
        failures.append(ReplayFailure(path: file, message: "known as open, and passes: mark it as fixed"))
      }
    }
    // An interruption leaves inputs that nobody has run: they have not passed.
    guard !isStopRequested || !failures.isEmpty else { return nil }
    return ReplayFact(inputs: all, failures: failures)
  }

  /// What all inputs reach together, by file and function, without those that are known to end the target. nil: the
  /// program tells no coverage, or was interrupted.
  package func coverage(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> CoverageTable? {
    let folder = scratch("coverage", target)
    HostFiles.remove(folder)
    defer { HostFiles.remove(folder) }
    // Without regressions that are known to be open: a process that ends early prints no table.
    var bare = layout
    bare.scenarios = ""
    let inputs = try FuzzInputs(target, layout: bare, known: try KnownFindings(path: layout.known), into: folder)
    let folders = [layout.workingCorpus(target), inputs.folder].filter(HostFiles.exists)
    let flags = LibFuzzer.limits(target, lane) + ["-runs=0", "-print_coverage=1"]
    var lines: [String] = []
    let replay = try run(target, lane, flags + folders, limit: .seconds(300)) { line in
      if line.contains("COVERED_FUNC: ") { lines.append(line) }
    }
    guard replay.isClean || isStopRequested else {
      throw LabFailure("The coverage of \(target.name) can't be measured: \(replay.problem ?? "one of them ends it").")
    }
    _ = demangle(CoverageReader.symbols(inEdgesOf: lines))
    let root = FileManager.default.currentDirectoryPath
    return CoverageReader(root: root, demangle: { self.demangle($0) }).edges(lines)
  }

  /// Which states of a socket all inputs lead the model through; nil: they are no programs of a socket.
  ///
  /// The model's states, and in this process: what an input does to the core, the search has shown to be the same.
  func states(_ target: FuzzTarget) throws -> StateCoverage? {
    guard let code = ProgramCode.named(target.name) else { return nil }
    let folders = [
      layout.workingCorpus(target), layout.corpus(target), layout.seeds(target), layout.regressions(target),
    ]
    var counts: [ModelTransition: Int] = [:]
    for file in try folders.flatMap({ try HostFiles.files(below: $0) }) where HostFiles.size(file) <= target.maxLength {
      guard !isStopRequested else { return nil }
      let program = try HostFiles.read(file).withUnsafeBytes(code.read)
      _ = ModelRun(program) { counts[$0, default: 0] += 1 }
    }
    let taken = counts.map {
      StateCoverage.Transition(from: $0.key.from.name, event: $0.key.event, to: $0.key.to.name, count: $0.value)
    }
    // A state that no input reaches is told all the same.
    return StateCoverage(taken, known: ModelState.all.map(\.name).sorted())
  }

  /// Executions a second with inputs as the floors ask for, from all inputs; nil: it could not be measured.
  package func speed(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int) throws -> Double? {
    let folder = scratch("speed", target)
    HostFiles.remove(folder)
    try HostFiles.makeFolder(folder)
    defer { HostFiles.remove(folder) }
    // With all that is known already, little is new: what is measured is executing, not keeping.
    let sources = [layout.workingCorpus(target), layout.corpus(target), layout.seeds(target)].filter(HostFiles.exists)
    var flags = LibFuzzer.limits(target, lane).filter { !$0.hasPrefix("-max_len=") }
    flags += ["-max_len=\(min(target.maxLength, Self.speedLength))", "-max_total_time=\(seconds)", "-seed=1"]
    flags += ["-print_final_stats=1", "-detect_leaks=0"]
    let replay = try run(
      target, lane, flags + [folder] + sources, purpose: .search, limit: .seconds(seconds + 60))
    if let crash = replay.crash { throw LabFailure(try keep(crash, target, lane)) }
    guard replay.isClean, let executions = replay.reading.executions else { return nil }
    // On a busy machine wall seconds are not the process's own; with threads the processor's are not.
    let spent = min(replay.result.wall.inSeconds, replay.result.processor.inSeconds)
    return spent > 0 ? Double(executions) / spent : nil
  }

  /// Measuring meets a finding now and then that the search did not: its input goes where the next search begins.
  private func keep(_ crash: CrashReport, _ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> String {
    // More of it is a backtrace, which the replay prints.
    let detail = crash.detail.prefix { $0 != "\n" }
    let words = detail.isEmpty ? "" : ": \(detail)"
    let met = "Measuring \(target.name) met \(crash.kind.rawValue) \(crash.subject)\(words)"
    guard let input = crash.base64.flatMap({ Data(base64Encoded: $0) }) else { return met }
    let folder = layout.workingCorpus(target)
    try HostFiles.makeFolder(folder)
    let file = "\(folder)/\(Fingerprint.of(input).prefix(40))"
    try HostFiles.write(input, to: file)
    return "\(met)\nagain: ./lab fuzz replay \(target.name) \(file) --lane \(lane.rawValue)"
  }

  /// Puts the fewest inputs that reach what seeds and regressions don't into the committed corpus, and gives its size.
  ///
  /// The new corpus takes the place of the old one when it is whole and reaches as much.
  package func prune(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> CorpusFact {
    try recoverCorpus(target)
    let known = try KnownFindings(path: layout.known)
    let folder = scratch("prune", target)
    HostFiles.remove(folder)
    defer { HostFiles.remove(folder) }
    // What is there already counts as reached, so the corpus does not hold it twice.
    let merged = "\(folder)/merged"
    var bare = layout
    bare.scenarios = ""
    let base = try FuzzInputs(target, layout: bare, known: known, into: merged, withCorpus: false)
    let given = Set(try HostFiles.files(below: base.folder))
    let sources = [layout.corpus(target), layout.workingCorpus(target)].filter(HostFiles.exists)
    let flags = LibFuzzer.limits(target, lane) + ["-set_cover_merge=1"]
    let merge = try run(target, lane, flags + [merged] + sources, limit: .seconds(1800))
    guard merge.result.end == .exited(0), !isStopRequested else {
      throw LabFailure("The corpus of \(target.name) could not be merged: \(merge.problem ?? "interrupted").")
    }
    let before = try reach(target, lane, [base.folder] + sources)
    let after = try reach(target, lane, [merged])
    guard after >= before else {
      throw LabFailure(
        "The merged corpus of \(target.name) reaches \(after) edges, and \(before) were reached before; "
          + "nothing was changed.")
    }
    let kept = try HostFiles.files(below: merged).filter { !given.contains($0) }
    let place = layout.corpus(target)
    let fresh = "\(place).new"
    HostFiles.remove(fresh)
    try HostFiles.makeFolder(fresh)
    for file in kept {
      let content = try HostFiles.read(file)
      try HostFiles.write(content, to: "\(fresh)/\(Fingerprint.of(content).prefix(40))")
    }
    // Whatever ends this here, one of the two is whole, under its name or beside it.
    let former = "\(place).old"
    HostFiles.remove(former)
    do {
      if HostFiles.exists(place) { try FileManager.default.moveItem(atPath: place, toPath: former) }
      try FileManager.default.moveItem(atPath: fresh, toPath: place)
    } catch {
      throw LabFailure(
        "\(fresh) can't be moved to \(place): \(HostFiles.reason(error)). It holds the new corpus, and \(former) the "
          + "former one."
      )
    }
    HostFiles.remove(former)
    return CorpusFacts.of([place])
  }

  /// Edges that the inputs of the folders reach.
  private func reach(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ folders: [String]) throws -> Int {
    let replay = try run(target, lane, LibFuzzer.limits(target, lane) + ["-runs=0"] + folders, limit: .seconds(600))
    guard replay.isClean, let point = replay.reading.series.last else {
      throw LabFailure("The inputs of \(target.name) can't be counted: \(replay.problem ?? "one of them ends it").")
    }
    return point.coverage
  }

  /// A prune that was killed between its two renames has left the corpus under another name.
  private func recoverCorpus(_ target: FuzzTarget) throws {
    let place = layout.corpus(target)
    guard !HostFiles.exists(place), HostFiles.exists("\(place).old") else { return }
    do { try FileManager.default.moveItem(atPath: "\(place).old", toPath: place) } catch {
      throw LabFailure("\(place).old, the corpus, can't be moved to \(place): \(HostFiles.reason(error)).")
    }
  }
}
