import SocketCore
import TestSupport
import Testing

/// The chunking law: what reads get depends on the bytes alone, not on how they were cut, when the reads were queued,
/// or what lay in buffers (RDQ-16, RDQ-17, INV-05).
@Suite("Read programs")
struct ReadProgramTests {
  /// One step of a run.
  enum Step: Sendable {
    case queue(Int)
    case arrive(Int)
    case end
  }

  struct Outcome: Equatable {
    var result = NaiveReader.Result()
    var anyLengths: [Int] = []
  }

  /// Runs the program by the steps and says what came of it; checks the invariants of partial reports on the way.
  static func run(_ program: NaiveReader, _ steps: [Step], shortReceiveMeansEmpty: Bool = true) -> Outcome {
    var bench = SocketBench(
      closesOnEndOfStream: program.closesOnEndOfStream, shortReceiveMeansEmpty: shortReceiveMeansEmpty)
    var place = 0
    for step in steps {
      switch step {
      case .queue(let index): bench.read(program.reads[index].request(tag: index))
      case .arrive(let count):
        bench.arrive(program.stream[place..<(place + count)])
        place += count
      case .end:
        switch program.end {
        case .open: break
        case .finished: bench.finish()
        case .reset: bench.reset()
        }
      }
    }
    return outcome(of: bench.take(), program)
  }

  private static func outcome(of events: [RecordedEvent], _ program: NaiveReader) -> Outcome {
    var outcome = Outcome()
    var partials: [Int: Int] = [:]
    for event in events {
      if case .closed = outcome.result.ending { Issue.record("\(event) after the end") }
      switch event {
      case .read(let bytes, let tag):
        outcome.result.completions.append(.init(read: tag, bytes: bytes))
        if partials[tag, default: 0] >= bytes.count { Issue.record("INV-16: partials of read \(tag)") }
        if case .available = program.reads[tag] { outcome.anyLengths.append(bytes.count) }
      case .readPartial(let count, let tag):
        if count <= 0 { Issue.record("INV-15: a partial of \(count)") }
        if case .available = program.reads[tag] { Issue.record("a partial for a read-any (RDQ-10)") }
        partials[tag, default: 0] += count
        if outcome.result.completions.contains(where: { $0.read >= tag }) {
          Issue.record("a partial after its completion")
        }
      case .readClosed:
        if outcome.result.ending != .open { Issue.record("didCloseRead twice") }
        outcome.result.ending = .readClosed
      case .disconnected(let reason):
        outcome.result.ending = reason.map { .closed($0) } ?? .open
      default: Issue.record("unexpected \(event)")
      }
    }
    return outcome
  }

  /// Runs and compares with the oracle. False: stop, it has failed.
  static func check(_ program: NaiveReader, _ steps: [Step], _ name: String, shortReceiveMeansEmpty: Bool = true)
    -> Bool
  {
    let outcome = run(program, steps, shortReceiveMeansEmpty: shortReceiveMeansEmpty)
    let expected = program.result(anyLengths: outcome.anyLengths)
    guard outcome.result != expected else { return true }
    Issue.record(
      """
      \(name): \(program.reads) on \(program.stream), \(program.end), steps \(steps)
      gave \(outcome.result)
      not \(expected as Any)
      """)
    return false
  }

  // MARK: Random programs

  static let alphabets: [[UInt8]] = [[97, 98], [13, 10, 97], [0, 255, 1], Array(0...255)]

  static func program(_ random: inout SeededGenerator, withAny: Bool) -> NaiveReader {
    let alphabet = alphabets[random.int(0...3)]
    let stream = random.bytes(random.int(0...60), from: alphabet)
    let reads = (0..<random.int(0...8)).map { _ -> NaiveReader.Read in
      switch random.int(0...(withAny ? 8 : 6)) {
      case 0...2: return .exactly(random.int(0...14))
      case 3...6:
        var delimiter = random.bytes(random.int(random.oneIn(9) ? 0...0 : 1...3), from: alphabet)
        // A long one, cut from the stream, is searched for in another way.
        if random.oneIn(8), stream.count > 40 {
          delimiter = Array(stream[random.int(1...4)...].prefix(random.int(30...36)))
        }
        return .through(delimiter, limit: random.oneIn(2) ? 0 : random.int(1...16))
      default: return .available(limit: random.oneIn(2) ? 0 : random.int(1...6))
      }
    }
    let ends: [MemoryTransport.PeerEnd] = [.open, .finished, .finished, .reset]
    return NaiveReader(
      reads: reads, stream: stream, end: ends[random.int(0...3)], closesOnEndOfStream: random.oneIn(2))
  }

  /// All reads queued first, then the stream in these pieces, then its end.
  static func steps(_ program: NaiveReader, pieces: [Int]) -> [Step] {
    program.reads.indices.map(Step.queue) + pieces.map(Step.arrive) + [.end]
  }

  @Test("whole = byte by byte = every split point = random splits = the oracle", arguments: 0..<12)
  func chunkingLaw(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<80 {
      let program = Self.program(&random, withAny: false)
      let total = program.stream.count
      guard Self.check(program, Self.steps(program, pieces: total > 0 ? [total] : []), "whole") else { return }
      let single = [Int](repeating: 1, count: total)
      guard Self.check(program, Self.steps(program, pieces: single), "byte by byte") else { return }
      for split in 1..<max(total, 1) {
        guard Self.check(program, Self.steps(program, pieces: [split, total - split]), "split at \(split)") else {
          return
        }
      }
      for _ in 0..<6 {
        let pieces = random.pieces(of: total, largest: random.int(1...20))
        let isShort = random.oneIn(2)
        guard Self.check(program, Self.steps(program, pieces: pieces), "random", shortReceiveMeansEmpty: isShort) else {
          return
        }
      }
    }
  }

  /// Reads that are queued late are served from what was buffered before, with the same results (RD-ANY-03, RDQ-09).
  @Test("reads queued before, between and after the bytes get the same", arguments: 0..<12)
  func queueingLaw(seed: Int) {
    var random = SeededGenerator(seed: 1000 + UInt64(seed))
    for _ in 0..<400 {
      let program = Self.program(&random, withAny: true)
      var pieces = random.pieces(of: program.stream.count, largest: random.int(1...30))
      var reads = Array(program.reads.indices)
      var steps: [Step] = []
      var isEnded = false
      while !reads.isEmpty || !pieces.isEmpty || !isEnded {
        if !reads.isEmpty, random.oneIn(2) {
          steps.append(.queue(reads.removeFirst()))
        } else if !pieces.isEmpty {
          steps.append(.arrive(pieces.removeFirst()))
        } else if !isEnded, reads.isEmpty || random.oneIn(3) {
          steps.append(.end)
          isEnded = true
        }
      }
      guard Self.check(program, steps, "interleaved", shortReceiveMeansEmpty: random.oneIn(2)) else { return }
    }
  }

  @Test("large streams: lengths and lines over every size of memory", arguments: 0..<6)
  func largePrograms(seed: Int) {
    var random = SeededGenerator(seed: 5000 + UInt64(seed))
    let edges = [4095, 4096, 4097, 65_535, 65_536, 65_537, 69_631, 131_072, 200_000]
    var reads: [NaiveReader.Read] = []
    var stream: [UInt8] = []
    while stream.count < 700_000 {
      let length = edges[random.int(0...(edges.count - 1))] + random.int(-2...2)
      if random.oneIn(2) {
        reads.append(.exactly(length))
        stream += (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      } else {
        reads.append(.through([13, 10], limit: random.oneIn(2) ? 0 : length + 2))
        stream += (0..<length).map { UInt8(truncatingIfNeeded: $0) | 0x40 } + [13, 10]
      }
    }
    let program = NaiveReader(reads: reads, stream: stream, end: .finished)
    for largest in [1460, 70_000, 2_000_000] {
      let pieces = random.pieces(of: stream.count, largest: largest)
      let outcome = Self.run(program, Self.steps(program, pieces: pieces))
      #expect(outcome.result == program.result(), "pieces up to \(largest)")
    }
  }
}
