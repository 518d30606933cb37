import Glibc
import HostTools
import ScenarioModel
import SubjectProtocol

/// What comes of a subject.
package enum SubjectNews: Hashable, Sendable {
  case message(SubjectMessage)
  /// It has broken the protocol; nothing more will be taken.
  case violation(ProtocolViolation)
  /// The process has ended, and how.
  case ended(String)
  /// The system did not start it, and why.
  case notStarted(String)
}

/// A running subject: its process group, the lines to it and from it, and what the protocol says of them.
///
/// Laws
/// - Belongs to one thread, and never blocks but in `wait` and `end`, which have their limits.
/// - Standard error is always drained, so that the subject never blocks on it; its last lines are kept.
/// - After a violation or the end there is one last news, and no more.
/// - Whatever becomes of the lab, the group ends, and what has left it (`StrayProcesses`): a shell beside the subject
///   watches the lab's pipe (`ParentDeathPipe`).
package final class SubjectProcess: @unchecked Sendable {
  // Unchecked: it has no lock, because one thread has it at a time: the one that started it or took it out of the pool.

  /// Bytes of standard error that are kept.
  private static let maxWords = 16 << 10
  /// Read at a time.
  private static let chunk = 1 << 16
  /// Milliseconds between two looks at a process that says nothing.
  private static let tick: Int64 = 50
  /// Nanoseconds that a process has to end by itself after its input was closed.
  private static let grace: Int64 = 500_000_000
  /// The same of one that has played all its cases: a sanitizer looks for leaks then.
  private static let finalGrace: Int64 = 2_000_000_000

  /// What is run.
  package let program: SubjectProgram
  /// Takes the names of the processes that the subject has left running, if there are any.
  private let leaves: @Sendable ([String]) -> Void
  private let mark = StrayProcesses.newMark()
  private let child: pid_t
  /// Of the lab: the end of the subject's standard input, and those of its outputs.
  private let input, output, errors: Int32
  private var session = SubjectSession()
  private var cutter: LineCutter
  private var unsent: [UInt8] = []
  /// Of `unsent`: bytes that have gone. A line may be large, and is not moved with every piece that goes.
  private var sent = 0
  private var news: [SubjectNews] = []
  private var words: [UInt8] = []
  private var isOutputOpen = true
  private var areErrorsOpen = true
  private var isInputOpen = true
  private var isOver = false
  private var isCollected = false
  /// How it ended; nil: it runs, or was not collected yet.
  private var exit: ChildResult.End?

  /// Starts the program. Throws when the system has no process or descriptor left.
  ///
  /// - Parameter leaves: takes the names of the processes that the subject has left running when it is ended.
  package init(
    _ program: SubjectProgram, deathPipe: ParentDeathPipe, cutter: LineCutter = LineCutter(),
    leaves: @escaping @Sendable ([String]) -> Void = { _ in }
  ) throws {
    self.program = program
    self.cutter = cutter
    self.leaves = leaves
    // A shell of its own in the group: it holds the pipe that only the lab can close, and no descriptor of the
    // subject's.
    let script = """
      (exec </dev/null >/dev/null 2>&1; cat <&\(ParentDeathPipe.descriptor)
      for file in $(grep -lsz "^\(StrayProcesses.variable)=$1$" /proc/[0-9]*/environ)
      do file=${file%/environ}; kill -KILL "${file#/proc/}"; done
      kill -KILL 0) &
      export \(StrayProcesses.variable)="$1"
      exec "$0" \(ParentDeathPipe.descriptor)<&-
      """
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", script, program.path, mark])
    var made: [Int32] = []
    do {
      let stdin = try Self.pair()
      made += [stdin.here, stdin.there]
      let stdout = try Self.pipe()
      made += [stdout.here, stdout.there]
      let death = try Self.copy(deathPipe.reading)
      made.append(death)
      (child, errors) = try Spawning.start(
        plan, leaving: [stdin.there: STDIN_FILENO, stdout.there: STDOUT_FILENO, death: ParentDeathPipe.descriptor])
      (input, output) = (stdin.here, stdout.here)
      for descriptor in [stdin.there, stdout.there, death] { close(descriptor) }
    } catch {
      for descriptor in made { close(descriptor) }
      throw error
    }
    for descriptor in [input, output, errors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit { end(grace: 0) }

  // MARK: - What it holds

  /// The cases after which it is taken down what it holds: in those before them it opens what it needs first, and one
  /// of several shows it without what is just being closed.
  private static let earlyCases = 3...6
  private var early: [String] = []
  private var cases = 0
  /// Those that ran when it had said hello: others come and go with what it does.
  private var processes: [pid_t] = []

  /// Takes down what it holds now, if it is early, to be compared with later.
  func noteHoldings(hasPlayed: Bool) {
    if hasPlayed { cases += 1 }
    guard cases == 0 || Self.earlyCases.contains(cases) else { return }
    if cases == 0 { processes = ProcessDescriptors.tree(of: child) }
    let held = ProcessDescriptors.open(in: processes)
    if cases <= Self.earlyCases.lowerBound || held.count < early.count { early = held }
  }

  /// What it holds at this moment.
  var holdings: ProgramHoldings {
    ProgramHoldings(
      name: program.name, process: child, descriptors: ProcessDescriptors.open(in: processes), early: early,
      isWarm: cases >= Self.earlyCases.lowerBound)
  }

  // MARK: - What is known

  /// What the subject has said of itself; nil: nothing yet.
  package var claims: SubjectClaims? { session.claims }

  /// Whether it can be given a case.
  package var isIdle: Bool { !isOver && session.phase == .idle && news.isEmpty }

  /// The last lines of its standard error.
  package var lastWords: [String] {
    String(decoding: words.suffix(Self.maxWords), as: UTF8.self).split(separator: "\n").suffix(40).map(String.init)
  }

  /// What the lab waits for, in words.
  package var wanted: String { session.wanted }

  /// Why it may be silent, as the rest of a sentence: it no longer reads, or its line has no end yet; empty: neither.
  package var remark: String { (hasClosedInput ? "; it has closed its standard input" : "") + cutter.unfinished }

  /// Whether the lab holds the only end of the channel that is the subject's standard input.
  private var hasClosedInput: Bool { !isHungUp && Self.isAbandoned(input) }

  /// The descriptors that something may come from, for a wait of the caller's, and whether it wants to write.
  package var interest: (reading: [Int32], writing: Int32?) {
    guard !isOver else { return ([], nil) }
    let reading = (isOutputOpen ? [output] : []) + (areErrorsOpen ? [errors] : [])
    return (reading, unsent.isEmpty ? nil : input)
  }

  // MARK: - Lines

  /// Says something; what does not go at once goes with `serve`.
  package func say(_ message: LabMessage) {
    if case .begin = message { cutter.beginCase() }
    session.say(message, now: Self.now)
    unsent += message.line
    write()
  }

  /// The next news; nil: there is none now.
  package func next() -> SubjectNews? { news.isEmpty ? nil : news.removeFirst() }

  /// Takes what is there and sends what can go.
  package func serve() {
    guard !isOver else { return }
    write()
    if areErrorsOpen { readErrors() }
    if isOutputOpen { readOutput() }
    if !isOutputOpen, !isOver { conclude() }
  }

  /// Waits until there is news or the instant has come. False: it has.
  ///
  /// - Parameter deadline: in nanoseconds of the monotonic clock.
  package func wait(until deadline: Int64) -> Bool {
    while news.isEmpty, !isOver {
      let left = deadline - Self.now
      guard left > 0 else { break }
      var set = [pollfd(fd: unsent.isEmpty ? -1 : input, events: Int16(POLLOUT), revents: 0)]
      for descriptor in interest.reading { set.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
      let count = poll(&set, nfds_t(set.count), Int32(min(left / 1_000_000 + 1, Self.tick)))
      serve()
      if count == 0 { concludeIfEnded() }
    }
    return !news.isEmpty
  }

  /// Takes what is there, and whether it has ended, without a wait.
  func look() {
    serve()
    concludeIfEnded()
  }

  /// A child of the subject's may hold its output open: then only this shows that the subject has ended.
  private func concludeIfEnded() {
    if news.isEmpty, !isOver, Spawning.hasEnded(child) { conclude() }
  }

  private func write() {
    while !unsent.isEmpty, isInputOpen {
      let count = unsent.withUnsafeBytes { bytes in
        let left = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        return send(input, left.baseAddress, left.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      // It no longer listens: what it says, or its end, tells why.
      guard count > 0 else {
        (unsent, sent) = ([], 0)
        isInputOpen = false
        return
      }
      sent += count
      if sent == unsent.count { (unsent, sent) = ([], 0) }
    }
    if !isInputOpen { (unsent, sent) = ([], 0) }
  }

  private func readErrors() {
    var room = [UInt8](repeating: 0, count: Self.chunk)
    // A subject that says much must not keep the lab here.
    for _ in 0..<16 {
      let count = Glibc.read(errors, &room, room.count)
      if count < 0, errno == EINTR { continue }
      if count == 0 { areErrorsOpen = false }
      guard count > 0 else { return }
      words += room[..<count]
      if words.count > 2 * Self.maxWords { words.removeFirst(words.count - Self.maxWords) }
    }
  }

  private func readOutput() {
    var room = [UInt8](repeating: 0, count: Self.chunk)
    for _ in 0..<16 where !isOver {
      let count = Glibc.read(output, &room, room.count)
      if count < 0, errno == EINTR { continue }
      if count == 0 { isOutputOpen = false }
      guard count > 0 else { return }
      let now = Self.now
      do throws(ProtocolViolation) {
        try cutter.take(room[..<count]) { line throws(ProtocolViolation) in
          news.append(.message(try session.hear(line, now: now)))
        }
      } catch {
        isOver = true
        news.append(.violation(error))
      }
    }
  }

  /// It has closed its output: it is ending, or will never say anything again.
  private func conclude() {
    isOver = true
    let rest = cutter.rest
    let deadline = Self.now + Self.grace
    while !Spawning.hasEnded(child), Self.now < deadline {
      var set = [pollfd(fd: areErrorsOpen ? errors : -1, events: Int16(POLLIN), revents: 0)]
      _ = poll(&set, 1, 10)
      if areErrorsOpen { readErrors() }
    }
    let half = rest.isEmpty ? "" : " in the middle of a line"
    guard Spawning.hasEnded(child) else {
      news.append(.ended("it closed its standard output\(half) and went on"))
      return
    }
    switch collect() {
    // A shell's codes for what it could not start; of a program that has spoken they are its own.
    case .exited(let code) where claims == nil && (code == 126 || code == 127):
      news.append(.notStarted("it could not be started: \(lastWords.last ?? "no reason")"))
    case .exited(let code): news.append(.ended("it exited with code \(code)\(half)"))
    case .signalled(let signal): news.append(.ended("it was ended by \(Self.name(ofSignal: signal))\(half)"))
    case .unknown: news.append(.ended("it ended, and the system did not say how\(half)"))
    }
  }

  // MARK: - The end

  /// Ends the process and all of its group, after waiting for it to end by itself when its input is closed.
  ///
  /// - Parameter grace: how long it may take, in nanoseconds.
  /// - Returns: whether it ended by itself.
  @discardableResult
  package func end(grace: Int64 = SubjectProcess.grace) -> Bool {
    guard !isClosed else { return true }
    isClosed = true
    isOver = true
    closeInput()
    var endedItself = isCollected || grace > 0 && Spawning.hasEnded(child)
    let deadline = Self.now + grace
    var room = [UInt8](repeating: 0, count: Self.chunk)
    while !isCollected, !endedItself, grace > 0, Self.now < deadline {
      endedItself = Spawning.hasEnded(child)
      if endedItself { break }
      var set = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      _ = poll(&set, 1, 5)
      _ = Glibc.read(output, &room, room.count)
      if areErrorsOpen { readErrors() }
    }
    if !isCollected { _ = collect() }
    // Its last words may have come with its end.
    if areErrorsOpen { readErrors() }
    close(output)
    close(errors)
    // The shell that watched has lost its parent.
    StrayProcesses.reap(group: child)
    let strays = StrayProcesses.end(mark, besides: child)
    if !strays.isEmpty { leaves(strays) }
    return endedItself
  }

  private var isClosed = false
  private var isHungUp = false

  /// Closes its input, upon which it is to exit, with success; `dismiss` follows.
  ///
  /// - Returns: what it has done wrong since its last case, as a sentence about `it` without its end; nil: nothing.
  ///   With something it is ended.
  func hangUp() -> String? {
    look()
    while let news = next() {
      switch news {
      case .message: continue
      case .violation(let violation):
        end(grace: 0)
        return violation.text
      case .ended(let how), .notStarted(let how):
        end(grace: 0)
        return how
      }
    }
    closeInput()
    return nil
  }

  private func closeInput() {
    guard !isHungUp else { return }
    isHungUp = true
    close(input)
  }

  /// Ends one that `hangUp` has told to exit. One that still runs at that instant is ended, which is no fault of its.
  ///
  /// - Returns: what is wrong with how it ended, in the same form; nil: nothing.
  func dismiss(by deadline: Int64) -> String? { end(grace: max(1, deadline - Self.now)) ? exitFault : nil }

  /// How long processes that were told to exit may take, in nanoseconds; together, however many they are.
  static var finalDeadline: Int64 { now + finalGrace }

  /// What is wrong with how it ended by itself, in the same form; nil: nothing.
  var exitFault: String? {
    switch exit {
    case nil, .exited(0), .unknown: nil
    case .exited(let code): "it exited with code \(code) when its input was closed"
    case .signalled(let signal): "it was ended by \(Self.name(ofSignal: signal)) when its input was closed"
    }
  }

  private static func name(ofSignal number: Int32) -> String {
    "signal \(number) (\(strsignal(number).map { String(cString: $0) } ?? "unknown"))"
  }

  /// Ends the group before its leader is reaped: until then no other process can have its number.
  private func collect() -> ChildResult.End {
    kill(-child, SIGKILL)
    kill(child, SIGKILL)
    var result = ChildResult()
    Spawning.collect(child, into: &result)
    isCollected = true
    exit = result.end
    return result.end
  }

  /// The monotonic clock, in nanoseconds.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
