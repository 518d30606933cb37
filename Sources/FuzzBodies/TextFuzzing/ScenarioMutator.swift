import ScenarioModel
import ScenarioYAML

/// Changes the text of a scenario as an author would: by whole lines, words and steps of the language. Bytes changed at
/// random seldom get past the YAML parser; these do.
///
/// Pure: equal texts, limits and seeds give equal texts.
package struct ScenarioMutator {
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The text with one to three changes; at most `limit` bytes.
  package static func mutated(_ text: [UInt8], limit: Int, seed: UInt64) -> [UInt8] {
    var mutator = ScenarioMutator(seed: seed)
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    for _ in 0...mutator.number(below: 3) { mutator.change(&lines) }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]).prefix(limit))
  }

  private mutating func number(below limit: Int) -> Int { random.below(limit) }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(below: choices.count)] }

  private mutating func change(_ lines: inout [[UInt8]]) {
    let line = number(below: lines.count)
    switch number(below: 10) {
    case 0: if lines.count > 1 { lines.remove(at: line) }
    case 1: lines.insert(lines[line], at: number(below: lines.count + 1))
    case 2: lines.swapAt(line, number(below: lines.count))
    case 3:
      let isDeeper = number(below: 2) == 0
      let other = lines[line].starts(with: [0x20, 0x20]) ? Array(lines[line].dropFirst(2)) : lines[line]
      lines[line] = isDeeper ? [0x20, 0x20] + lines[line] : other
    case 4, 5: insertStep(into: &lines, near: line)
    case 6: lines.append(Array(pick(Self.sections).utf8))
    default: replaceWord(in: &lines[line], by: lines)
    }
  }

  /// A step or expectation as a line of its own, as deep as its neighbour.
  private mutating func insertStep(into lines: inout [[UInt8]], near line: Int) {
    let indent = lines[line].prefix { $0 == 0x20 }
    let isKey = lines[line].last == UInt8(ascii: ":") && !lines[line].dropFirst(indent.count).starts(with: [0x2D])
    let step = "- " + pick(Self.steps)
    lines.insert(indent + (isKey ? [0x20, 0x20] : []) + Array(step.utf8), at: line + 1)
  }

  /// One word of a line becomes a word of the language, of the file, or a number worth trying.
  private mutating func replaceWord(in line: inout [UInt8], by lines: [[UInt8]]) {
    let words = Self.words(in: line)
    guard !words.isEmpty else { return }
    let place = pick(words)
    switch number(below: 3) {
    case 0: line.replaceSubrange(place, with: pick(Self.values).utf8)
    case 1: line.replaceSubrange(place, with: pick(ScenarioReader.words).utf8)
    default:
      let other = pick(lines)
      let others = Self.words(in: other)
      if !others.isEmpty { line.replaceSubrange(place, with: Array(other[pick(others)])) }
    }
  }

  /// Runs of what words and numbers are made of.
  private static func words(in line: [UInt8]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for index in 0...line.count {
      let isPart = index < line.count && isWordByte(line[index])
      if isPart, start == nil { start = index }
      if !isPart, let first = start {
        words.append(first..<index)
        start = nil
      }
    }
    return words
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  /// Numbers, quantities and words of values.
  static let values = [
    "0", "1", "-1", "2", "255", "65535", "65536", "9223372036854775807", "-9223372036854775808", "1e308", "nan", "inf",
    "0s", "1ns", "1ms", "20ms", "1.5s", "86400s", "never", "-1s", "0B", "1B", "4KiB", "64MiB", "1GiB", "1B..9B",
    "true", "false", "none", "any", "present", "always", "fin", "rst", "either", "open", "ipv6", "unix", "everySplit",
    "shared", "own", "tls1.2", "tls1.3", "ReadTimeout", "ECONNRESET", "Closed", "EAI_NONAME", "\"\"", "\"\\0\"",
    "\"\\uFEFFx\"", "{ hex: \"00 ff\" }", "{ base64: \"AP8=\" }", "{ repeat: \"ab\", times: 9 }",
    "{ pattern: { seed: 7, size: 100B } }", "{ file: x.bin }", "[]", "{}", "~", "|", "'it''s'", "child", "child2",
    "socket", "peer", "server", "$a", "$b",
  ]

  /// Whole sections.
  static let sections = [
    "tags: [slow]", "worlds: { only: simulated, because: \"it says so\" }", "limit: 60s", "settle: 10ms",
    "canary: true", "control: read/other", "matrix: { family: [ipv4, ipv6], segmentation: [whole, everySplit] }",
    "matrix: { security: [plain, tls1.3], queues: [own], speed: [plain, all] }",
    "hosts: { a.example: [\"127.0.0.1\", \"::1\"] }",
    "sockets: { socket: { queues: own }, server: { delegate: none } }", "peer: [accept, close]", "ending: peer fin",
    "peers: { peer: { family: ipv6, steps: [accept] }, other: [connect: server] }", "ending: subject rst",
    "subjects: { socket: [connect], server: [listen] }", "ending: never connected",
    "reactions: [{ when: didConnect, times: always, do: [read, { hold: 1ms }] }]",
    "expect: [didConnect, { oneOf: [[didCloseRead], { grade: nonStrict, events: [didDisconnect] }] }]",
    "columns: { a: required, b: optional }\ncases: { one: { a: \"x\" }, two: { a: y, b: 1, title: Two } }",
    "columns: { a: 5s }\ncases: { one: {}, two: { a: 1s, tags: [slow] } }\nlimit: $a",
    "columns: { a: required }\ncases: { one: { a: x }, two: { a: y } }\n"
      + "ending: { $a: { x: open, otherwise: subject fin } }",
  ]

  /// Steps of peers and subjects, and expectations, each valid somewhere.
  static let steps = [
    "accept", "connect", "connect: server", "connect: { peer: peer, timeout: 1s }", "listen", "refuse", "blackhole",
    "send: \"a\\r\\nb\"", "send: { hex: \"0d 0a\" }", "drip: { bytes: \"abc\", chunk: 1B, every: 1ms }", "finish",
    "close", "reset", "expect: \"abc\"", "expect: { length: 9B, hash: \"00000000000000ff\" }", "expectEnd: fin",
    "expectSilence: 5ms", "echo", "stall", "drain: { chunk: 1KiB, every: 1ms }", "shutdownRead", "sendUrgent: 0x21",
    "tls", "tls: { version: tls1.3, certificate: leaf }", "closeNotify", "truncate", "keyUpdate", "tickets: 2",
    "expectKeyUpdate",
    "alert: { level: fatal, description: handshake_failure }", "raw: { hex: \"16 03 01\" }", "expectTLS: { alpn: h2 }",
    "read", "read: { tag: 1 }", "read: { length: 5B, timeout: 100ms, tag: 1 }",
    "read: { through: \"\\r\\n\", limit: 4KiB, tag: 2 }", "read: { length: 4B, buffer: { name: page, size: 9B } }",
    "write: \"abc\"", "write: { bytes: \"abc\", timeout: never, tag: 3 }", "disconnect", "disconnectAfterReading",
    "disconnectAfterWriting", "disconnectAfterReadingAndWriting", "startTLS", "startTLS: { peerName: a.example }",
    "trust: true", "delegate: second", "delegateQueue: none", "set: { autoDisconnectOnClosedReadStream: false }",
    "set: { alternateAddressDelay: 300ms }", "blockDelegateQueue", "unblockDelegateQueue", "perform: [disconnect]",
    "release", "exhaustDescriptors", "freeDescriptors", "check: { isConnected: true }",
    "check: { progressOfRead: { tag: 1, done: 1B..4B, total: 9B } }",
    "check: { buffer.page: \"abc\" }", "check: { connectedPort: { peer: peer } }", "wait: 20ms", "after: p",
    "after: { didRead: { tag: 1 } }", "reach: p", "repeat: { times: 3, steps: [disconnect] }", "hold: 1ms",
    "answer: 1s", "didConnect", "didConnect: { host: \"127.0.0.1\" }", "didRead: { bytes: \"abc\", tag: 1 }",
    "didRead: { length: 1B..9B, times: 2, within: 1s }", "didReadPartial: { optional: true }", "didWrite: { tag: 3 }",
    "didCloseRead", "didDisconnect: { error: [ECONNRESET, Closed] }",
    "didDisconnect: { error: none, at: 1s, from: start }",
    "shouldTimeoutRead: { tag: 1, elapsed: 100ms, bytesDone: 0B }", "didSecure", "child.didRead",
    "stream: \"abc\"", "nothing: 20ms", "anyOrder: [{ didWrite: { tag: 3 } }, didCloseRead]",
    "oneOf: [{ profile: upstream, events: [didDisconnect] }, { grade: nonStrict, events: [] }]",
  ]
}
