import Foundation
import FuzzCampaign
import FuzzHarness
import Glibc
import HostTools
import ScenarioModel
import Synchronization

/// Looks closer at inputs: names stacks, replays, makes them smaller.
package final class FuzzExaminer: Sendable {
  /// How often a finding is replayed in each lane.
  package static let replays = 20

  /// Where the binaries and the scratch folders are.
  package let layout: FuzzLayout
  private let deathPipe: ParentDeathPipe
  private let names = Mutex<[String: String]>([:])
  private let state = Mutex(State())

  private struct State {
    /// The processes that are under way: several, when a campaign measures several targets.
    var children: [ObjectIdentifier: ChildGroup] = [:]
    var isStopped = false
  }

  package init(layout: FuzzLayout, deathPipe: ParentDeathPipe) {
    self.layout = layout
    self.deathPipe = deathPipe
  }

  /// Ends what is under way soon. From any thread.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      for child in state.children.values { child.stop() }
    }
  }

  /// Whether `stop` has been called.
  package var isStopRequested: Bool { state.withLock { $0.isStopped } }

  /// A folder for what is needed for a moment. Each process has its own: several may look at inputs of a target.
  func scratch(_ name: String, _ target: FuzzTarget) -> String { "\(layout.work(target))/\(name)-\(getpid())" }

  /// A symbol as people read it; the symbol itself where that can't be done.
  func demangle(_ symbol: String) -> String { demangle([symbol])[0] }

  func demangle(_ symbols: [String]) -> [String] {
    let known = names.withLock { $0 }
    let unknown = Array(Set(symbols.filter { known[$0] == nil && $0.hasPrefix("$") }))
    // One call for many: starting the program costs more than the names do.
    for start in stride(from: 0, to: unknown.count, by: 500) {
      let batch = Array(unknown[start..<min(start + 500, unknown.count)])
      guard let program = HostTool.demangle.path,
        let answer = try? HostTool.lines(program, ["-compact", "-simplified"] + batch, deathPipe: deathPipe),
        answer.code == 0, answer.lines.count == batch.count
      else { continue }
      names.withLock { names in for (symbol, name) in zip(batch, answer.lines) { names[symbol] = name } }
    }
    return names.withLock { names in symbols.map { names[$0] ?? $0 } }
  }

  /// What tells the crash from others; its frames have the names that people read.
  package func key(_ target: FuzzTarget, _ crash: CrashReport) -> FindingKey {
    // All at once, before the key asks for them one by one.
    _ = demangle(crash.frames.map(\.function))
    return FindingKey(target: target.name, crash, demangle: { self.demangle($0) })
  }

  /// The functions of ours, the innermost first.
  package func stack(_ crash: CrashReport) -> [String] {
    let ours = crash.frames.filter(\.isOurs).prefix(20)
    // A mangled name does not always show whose it is.
    let named = zip(demangle(ours.map(\.function)), ours).filter { StackFrame.isOurs($0.0) }
    return named.map { name, frame in
      let place = (frame.place as NSString).lastPathComponent
      return place.isEmpty ? name : "\(name) at \(place)"
    }
  }

  /// What one run of a target over some files came to.
  package struct Replay {
    /// What the log said.
    package var reading = LibFuzzerLog()
    /// The log's lines, or the first and last of many.
    package var excerpt = LineExcerpt()
    /// How the process ended.
    package var result: ChildResult
    /// In one paste.
    package var command: String

    /// The first thing that went wrong; nil: nothing did.
    package var crash: CrashReport? { reading.crashes.first }
    /// The file that was begun last.
    var lastFile: String? {
      excerpt.lines.last { $0.hasPrefix("Running: ") }.map { String($0.dropFirst("Running: ".count)) }
    }
    /// Nothing wrong, and it was really run.
    package var isClean: Bool { result.end == .exited(0) && reading.crashes.isEmpty }
    /// In words, when it neither ran nor found.
    package var problem: String? {
      guard crash == nil, !isClean else { return nil }
      if let complaint = reading.complaints.first { return complaint }
      return result.isOverdue ? "it did not end in time" : "it ended with \(result.end.code)"
    }
  }

  /// Runs the files, one after the other, in one process.
  package func replay(_ files: [String], _ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> Replay {
    let limit = Duration.seconds(LibFuzzer.inputTimeout * 2) + .milliseconds(100 * files.count)
    return try run(target, lane, LibFuzzer.limits(target, lane) + files, limit: limit)
  }

  /// Runs the file until it shows something or can't be run, at most so many times. The replay is the last one.
  package func replayUntilShown(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, times: Int = replays
  ) throws -> (replay: Replay, tries: Int) {
    var tries = 1
    var last = try replay([file], target, lane)
    while last.isClean, tries < times, !isStopRequested {
      last = try replay([file], target, lane)
      tries += 1
    }
    return (last, tries)
  }

  /// Runs the files, each once, in as few processes as it takes: where one ends is the input that ended it, and the
  /// rest goes on in the next. Gives those that show something or could not be run.
  package func sweep(
    _ files: [String], _ target: FuzzTarget, _ lane: FuzzTarget.Lane, most: Int = 1000
  ) throws -> [(file: String, replay: Replay)] {
    var files = files
    var shown: [(file: String, replay: Replay)] = []
    while !files.isEmpty, shown.count < most, !isStopRequested {
      // More would not fit into the arguments of a program.
      let batch = Array(files.prefix(2000))
      let replay = try self.replay(batch, target, lane)
      if isInterrupted(replay) { break }
      if replay.isClean {
        files.removeFirst(batch.count)
        continue
      }
      let place = replay.lastFile.flatMap { files.firstIndex(of: $0) } ?? 0
      shown.append((files[place], replay))
      files.removeFirst(place + 1)
    }
    return shown
  }

  /// Runs the target with libFuzzer's arguments, and ends it after `limit`. Artifacts it writes are thrown away.
  package func run(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ arguments: [String], purpose: LibFuzzer.Purpose = .replay,
    limit: Duration, onLine: (String) -> Void = { _ in }
  ) throws -> Replay {
    let binary = layout.binary(target, lane)
    // What ends it here is known already, or is told: the file is not needed, and must not lie about.
    let scratch = scratch("examined", target)
    HostFiles.remove(scratch)
    try HostFiles.makeFolder(scratch)
    defer { HostFiles.remove(scratch) }
    let arguments = ["-artifact_prefix=\(scratch)/"] + arguments
    let child = ChildGroup(
      ChildPlan(
        executable: binary, arguments: arguments, environment: LibFuzzer.environment(lane, purpose),
        limit: limit),
      deathPipe: deathPipe)
    state.withLock { state in
      state.children[ObjectIdentifier(child)] = child
      if state.isStopped { child.stop() }
    }
    defer { state.withLock { $0.children[ObjectIdentifier(child)] = nil } }
    var reading = LibFuzzerLog()
    var excerpt = LineExcerpt()
    let result = try child.run { line in
      reading.take(line.text, at: line.time.inSeconds)
      onLine(line.text)
      excerpt.add(line.text)
    }
    return Replay(
      reading: reading, excerpt: excerpt, result: result, command: ([binary] + arguments).joined(separator: " "))
  }

  /// How often an input shows the finding again. Stops early when asked to.
  package func reproduce(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, times: Int = replays, as key: FindingKey
  ) throws -> LaneReplay {
    var reproduced = 0
    var tries = 0
    while tries < times, !isStopRequested {
      let replay = try self.replay([file], target, lane)
      if isInterrupted(replay) { break }
      tries += 1
      if let crash = replay.crash, isSame(self.key(target, crash), key) { reproduced += 1 }
    }
    return LaneReplay(lane, reproduced: reproduced, of: tries)
  }

  /// Whether the replay ended because `stop` was called: what it has not shown by then says nothing of its inputs.
  func isInterrupted(_ replay: Replay) -> Bool { isStopRequested && replay.crash == nil && !replay.isClean }

  /// Without AddressSanitizer a stack may not be there; the rest must be equal.
  private func isSame(_ one: FindingKey, _ other: FindingKey) -> Bool {
    guard one.kind == other.kind, one.subject == other.subject else { return false }
    return one.frames == other.frames || one.frames.isEmpty || other.frames.isEmpty
  }

  /// A smaller input that shows the same finding; nil if none was found in the time. libFuzzer takes any crash for the
  /// same, so the result is run again and compared.
  package func minimise(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int, key: FindingKey
  ) throws -> [UInt8]? {
    let folder = scratch("minimise", target)
    HostFiles.remove(folder)
    try HostFiles.makeFolder(folder)
    defer { HostFiles.remove(folder) }
    let place = "\(folder)/smaller"
    // The time holds for each of its steps, so the whole is held by the outer limit.
    let flags = ["-minimize_crash=1", "-max_total_time=\(seconds)", "-exact_artifact_path=\(place)"]
    _ = try run(
      target, lane, flags + LibFuzzer.limits(target, lane) + [file], limit: .seconds(2 * seconds))
    guard HostFiles.exists(place), let smaller = try? HostFiles.read(place),
      smaller.count < HostFiles.size(file), let crash = try replay([place], target, lane).crash,
      isSame(self.key(target, crash), key)
    else { return nil }
    return smaller
  }
}
