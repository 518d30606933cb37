import ReferenceModel
import ScenarioModel

/// Draws programs of a socket: what arrives, what is asked for and what ends it come from small sets, so that they meet
/// often.
///
/// Law: equal seeds draw equal programs.
package struct ProgramDrawing: Sendable {
  private var random: SplitMix64

  /// The programs that come of a seed.
  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The next program of the seed. Without clocks it neither waits nor has timeouts, and can be played where time is
  /// real.
  package mutating func program(livesOnRunLoop: Bool, hasClocks: Bool) -> SocketProgram {
    var program = SocketProgram()
    program.livesOnRunLoop = livesOnRunLoop
    program.closesOnEndOfStream = random.below(3) > 0
    if hasClocks, random.below(3) == 0 {
      program.extensions = (0..<1 + random.below(3)).map { _ in random.pick([0, 50, 100, 300]) }
    }
    program.steps = (0..<2 + random.below(12)).map { _ in step(hasClocks: hasClocks) }
    if random.below(3) == 0 {
      program.reactions = (0..<1 + random.below(2)).map { _ in
        .init(callback: random.below(6), call: call(hasClocks: hasClocks))
      }
    }
    return program
  }

  /// One thing that happens. Ends are rare, so that there is something to end.
  package mutating func step(hasClocks: Bool) -> SocketProgram.Step {
    switch random.below(24) {
    case 0..<8: return .call(read(hasClocks: hasClocks))
    case 8..<14: return .arrive(bytes())
    case 14..<17: return .call(.write(bytes(), timeout: timeout(hasClocks)))
    case 17, 18:
      return hasClocks ? .wait(random.pick([1, 49, 50, 51, 99, 100, 101, 300, 500, 1000])) : .arrive(bytes())
    case 19: return .peerFinishes
    case 20: return .peerResets
    case 21: return .call(disconnect())
    case 22: return .call(.disconnectAfter(reads: random.below(2) == 0, writes: true))
    default: return .reconnect
    }
  }

  /// A call: a read more often than a write, and that more often than an end.
  package mutating func call(hasClocks: Bool) -> SocketProgram.Call {
    switch random.below(6) {
    case 0..<3: read(hasClocks: hasClocks)
    case 3, 4: .write(bytes(), timeout: timeout(hasClocks))
    default: disconnect()
    }
  }

  /// A call of read, of any kind and sometimes one that is none.
  package mutating func read(hasClocks: Bool) -> SocketProgram.Call {
    let timeout = timeout(hasClocks)
    switch random.below(8) {
    case 0, 1: return .read(.available(limit: random.pick([0, 0, 1, 4])), timeout: timeout)
    case 2..<5: return .read(.exactly(random.pick([0, 1, 2, 3, 4, 5, 8, 16, 64, 1024])), timeout: timeout)
    default: return .read(.through(delimiter(), limit: random.pick([0, 0, 0, 1, 2, 4, 9])), timeout: timeout)
    }
  }

  /// One of the four ways to end.
  package mutating func disconnect() -> SocketProgram.Call {
    switch random.below(4) {
    case 0: .disconnect
    case 1: .disconnectAfter(reads: true, writes: false)
    case 2: .disconnectAfter(reads: false, writes: true)
    default: .disconnectAfter(reads: true, writes: true)
    }
  }

  private mutating func delimiter() -> [UInt8] {
    Array(random.pick(["\r\n", "\r\n", "\n", "b", "ab", "aab", "abab", "\0"]).utf8)
  }

  /// Some bytes, delimiters often among them, and now and then more than fits into one buffer.
  package mutating func bytes() -> [UInt8] {
    if random.below(16) == 0 {
      return [UInt8](repeating: random.pick([0x61, 0x62, 0x0A]), count: random.pick([64, 500, 4096, 5000]))
    }
    let words = ["a", "b", "ab", "aab", "abab", "\r", "\n", "\r\n", "x\r\n", "abc", "\0", "0123456789", "aaaa"]
    return (0..<1 + random.below(4)).flatMap { _ in Array(random.pick(words).utf8) }
  }

  private mutating func timeout(_ hasClocks: Bool) -> Int? {
    guard hasClocks, random.below(3) == 0 else { return nil }
    return random.pick([1, 50, 100, 200, 500, 1000])
  }
}

extension Int {
  /// So much more or less, but neither below 0 nor beyond the largest number: scenarios ask for that, too.
  func moved(by distance: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(distance)
    return overflows ? .max : Swift.max(0, sum)
  }
}

extension SplitMix64 {
  /// One of the choices, of which there is at least one.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}
