import Foundation
import FuzzCampaign
import FuzzHarness
import ScenarioModel
import Synchronization

/// Looks closer at inputs: names stacks, replays, makes them smaller.
final class FuzzExaminer: Sendable {
  /// How often a finding is replayed in each lane.
  static let replays = 20

  let layout: FuzzLayout
  private let leash: Leash
  private let names = Mutex<[String: String]>([:])
  private let isStopped = Mutex(false)

  init(layout: FuzzLayout, leash: Leash) {
    self.layout = layout
    self.leash = leash
  }

  /// Ends what is under way soon. From any thread.
  func stop() { isStopped.withLock { $0 = true } }

  var isStopRequested: Bool { isStopped.withLock { $0 } }

  /// A symbol as people read it; the symbol itself where that can't be done.
  func demangle(_ symbol: String) -> String { demangle([symbol])[0] }

  func demangle(_ symbols: [String]) -> [String] {
    let known = names.withLock { $0 }
    let unknown = Array(Set(symbols.filter { known[$0] == nil && $0.hasPrefix("$") }))
    // One call for many: starting the program costs more than the names do.
    for start in stride(from: 0, to: unknown.count, by: 500) {
      let batch = Array(unknown[start..<min(start + 500, unknown.count)])
      guard let program = FuzzTool.demangle.path,
        let answer = try? FuzzTool.lines(program, ["-compact", "-simplified"] + batch, leash: leash),
        answer.code == 0, answer.lines.count == batch.count
      else { continue }
      names.withLock { names in for (symbol, name) in zip(batch, answer.lines) { names[symbol] = name } }
    }
    return names.withLock { names in symbols.map { names[$0] ?? $0 } }
  }

  func key(_ target: FuzzTarget, _ crash: CrashReport) -> FindingKey {
    // All at once, before the key asks for them one by one.
    _ = demangle(crash.frames.map(\.function))
    return FindingKey(target: target.name, crash, demangle: { self.demangle($0) })
  }

  /// The functions of ours, the innermost first.
  func stack(_ crash: CrashReport) -> [String] {
    let ours = crash.frames.filter(\.isOurs).prefix(20)
    return zip(demangle(ours.map(\.function)), ours).map { name, frame in
      let place = (frame.place as NSString).lastPathComponent
      return place.isEmpty ? name : "\(name) at \(place)"
    }
  }

  /// What one run of a target over some files came to.
  struct Replay {
    var reading = LibFuzzerLog()
    var excerpt = LineExcerpt()
    var result: ChildResult
    var command: String

    var crash: CrashReport? { reading.crashes.first }
    /// The file that was begun last.
    var lastFile: String? {
      excerpt.lines.last { $0.hasPrefix("Running: ") }.map { String($0.dropFirst("Running: ".count)) }
    }
    /// Nothing wrong, and it was really run.
    var isClean: Bool { result.end == .exited(0) && reading.crashes.isEmpty }
    /// In words, when it neither ran nor found.
    var problem: String? {
      guard crash == nil, !isClean else { return nil }
      if let complaint = reading.complaints.first { return complaint }
      return result.isOverdue ? "it did not end in time" : "it ended with \(result.end.code)"
    }
  }

  /// Runs the files, one after the other, in one process.
  func replay(_ files: [String], _ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> Replay {
    let scratch = "\(layout.work(target))/replay"
    try FuzzFiles.makeFolder(scratch)
    let flags = LibFuzzer.limits(target, lane) + ["-artifact_prefix=\(scratch)/"]
    let limit = Duration.seconds(LibFuzzer.inputTimeout * 2) + .milliseconds(100 * files.count)
    return try run(target, lane, flags + files, limit: limit)
  }

  func run(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ arguments: [String], limit: Duration,
    onLine: (String) -> Void = { _ in }
  ) throws -> Replay {
    let binary = layout.binary(target, lane)
    let child = ChildGroup(
      ChildPlan(
        executable: binary, arguments: arguments, environment: LibFuzzer.environment(lane), limit: limit),
      leash: leash)
    var reading = LibFuzzerLog()
    var excerpt = LineExcerpt()
    let result = try child.run { line in
      if isStopRequested { child.stop() }
      reading.take(line.text, at: line.time.inSeconds)
      onLine(line.text)
      excerpt.add(line.text)
    }
    return Replay(
      reading: reading, excerpt: excerpt, result: result, command: ([binary] + arguments).joined(separator: " "))
  }

  /// How often an input shows the finding again. Stops early when asked to.
  func reproduce(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, times: Int = replays, as key: FindingKey
  ) throws -> LaneReplay {
    var reproduced = 0
    var tries = 0
    while tries < times, !isStopRequested {
      let replay = try self.replay([file], target, lane)
      tries += 1
      if let crash = replay.crash, isSame(self.key(target, crash), key) { reproduced += 1 }
    }
    return LaneReplay(lane, reproduced: reproduced, of: tries)
  }

  /// Without AddressSanitizer a stack may not be there; the rest must be equal.
  private func isSame(_ one: FindingKey, _ other: FindingKey) -> Bool {
    guard one.kind == other.kind, one.subject == other.subject else { return false }
    return one.frames == other.frames || one.frames.isEmpty || other.frames.isEmpty
  }

  /// A smaller input that shows the same finding; nil if none was found in the time. libFuzzer takes any crash for the
  /// same, so the result is run again and compared.
  func minimise(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int, key: FindingKey
  ) throws -> [UInt8]? {
    let folder = "\(layout.work(target))/minimise"
    FuzzFiles.remove(folder)
    try FuzzFiles.makeFolder(folder)
    let place = "\(folder)/smaller"
    // The time holds for each of its steps, so the whole is held by the outer limit.
    let flags = ["-minimize_crash=1", "-max_total_time=\(seconds)", "-exact_artifact_path=\(place)"]
    _ = try run(
      target, lane, flags + LibFuzzer.limits(target, lane) + [file], limit: .seconds(2 * seconds))
    guard FuzzFiles.exists(place), let smaller = try? FuzzFiles.read(place),
      smaller.count < FuzzFiles.size(file), let crash = try replay([place], target, lane).crash,
      isSame(self.key(target, crash), key)
    else { return nil }
    return smaller
  }
}

extension FuzzExaminer {
  /// Bytes of the longest input that the floors are asked for.
  static let speedLength = 256

  /// Runs what is committed, each input once. What is known to be open must still violate.
  func replayCommitted(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, known: KnownFindings
  ) throws -> ReplayFact {
    let folders = [layout.corpus(target), layout.seeds(target), layout.regressions(target)]
    var files = try folders.flatMap { try FuzzFiles.files(below: $0) }
      .filter { FuzzFiles.size($0) <= FuzzInputs.largestFile }
    let open = files.filter { file in
      file.hasPrefix(layout.regressions(target)) && known.isOpen(target, file: (file as NSString).lastPathComponent)
    }
    let all = files.count
    files.removeAll { open.contains($0) }
    var failures: [ReplayFailure] = []
    // One process for all; where it ends is the input that ended it, and the rest goes on in the next.
    while !files.isEmpty, failures.count < 100, !isStopRequested {
      let replay = try self.replay(files, target, lane)
      guard !replay.isClean else { break }
      let message = replay.crash.map { "\($0.kind.rawValue) \($0.subject)" } ?? replay.problem ?? "not run"
      guard let last = replay.lastFile, let place = files.firstIndex(of: last) else {
        failures.append(ReplayFailure(path: files[0], message: message))
        break
      }
      failures.append(ReplayFailure(path: last, message: message))
      files.removeFirst(place + 1)
    }
    for file in open where !isStopRequested {
      if try replay([file], target, lane).isClean {
        failures.append(ReplayFailure(path: file, message: "known as open, and passes: mark it as fixed"))
      }
    }
    return ReplayFact(inputs: all, failures: failures)
  }

  /// What all inputs reach together, by file and function.
  func coverage(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> CoverageTable? {
    let folders = [
      layout.workingCorpus(target), layout.corpus(target), layout.seeds(target), layout.regressions(target),
    ].filter(FuzzFiles.exists)
    let flags = LibFuzzer.limits(target, lane) + ["-runs=0", "-print_coverage=1"]
    var lines: [String] = []
    _ = try run(target, lane, flags + folders, limit: .seconds(300)) { line in
      if line.contains("COVERED_FUNC: ") { lines.append(line) }
    }
    _ = demangle(CoverageReader.symbols(inEdgesOf: lines))
    let root = FileManager.default.currentDirectoryPath
    return CoverageReader(root: root, demangle: { self.demangle($0) }).edges(lines)
  }

  /// Executions a second with inputs as the floors ask for, from what is committed; nil: it could not be measured.
  func speed(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int) throws -> Double? {
    let folder = "\(layout.work(target))/speed"
    FuzzFiles.remove(folder)
    try FuzzFiles.makeFolder(folder)
    defer { FuzzFiles.remove(folder) }
    let sources = [layout.corpus(target), layout.seeds(target)].filter(FuzzFiles.exists)
    let flags = LibFuzzer.limits(target, lane).filter { !$0.hasPrefix("-max_len=") } + [
      "-max_len=\(min(target.maxLength, Self.speedLength))", "-max_total_time=\(seconds)", "-seed=1",
      "-print_final_stats=1", "-artifact_prefix=\(folder)/",
    ]
    let replay = try run(target, lane, flags + [folder] + sources, limit: .seconds(seconds + 60))
    guard replay.isClean, let executions = replay.reading.executions else { return nil }
    // On a busy machine wall seconds are not the process's own; with threads the processor's are not.
    let spent = min(replay.result.wall.inSeconds, replay.result.processor.inSeconds)
    return spent > 0 ? Double(executions) / spent : nil
  }
}
