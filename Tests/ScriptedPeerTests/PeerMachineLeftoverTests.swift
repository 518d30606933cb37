import ScenarioModel
import Testing

@testable import ScriptedPeer

/// What a peer says of bytes that come when its TLS is over.
@Suite struct PeerMachineLeftoverTests {
  /// A handshake record without sense: the peer's TLS gives up.
  private static let nonsense: [UInt8] = [22, 3, 3, 0, 4, 99, 0, 0, 0]
  private static let data: [UInt8] = [23, 3, 3, 0, 2, 7, 7]
  private static let secret = Array("secret".utf8)
  private static let refused = tls { $0.failure = .any }

  /// A peer behind a handshake that failed, after `bytes` in pieces of at most so many.
  private static func bench(_ steps: [PeerStep], _ bytes: [UInt8], chunk: Int = .max) -> MachineBench {
    var bench = MachineBench(steps)
    _ = bench.run()
    var rest = nonsense + bytes
    while !rest.isEmpty {
      bench.see(.received(Array(rest.prefix(chunk))))
      _ = bench.run()
      rest.removeFirst(min(chunk, rest.count))
    }
    return bench
  }

  @Test(arguments: [1, 2, 9, 11, Int.max]) func bytesInClearAreADeviation(chunk: Int) throws {
    var bench = Self.bench([Self.refused, .expectEnd(.either)], Self.secret, chunk: chunk)
    let deviation = try #require(bench.machine.deviation)
    #expect(deviation.expected.hasPrefix("peer: nothing in clear once TLS is over (it failed: "))
    #expect(deviation.actual.contains("that no step expects and that are no record: \"s"))
    let clear = bench.machine.takeTLSEvents().compactMap { event -> [UInt8]? in
      if case .leftover(let bytes, areRecords: false) = event { bytes } else { nil }
    }
    #expect(clear.flatMap(\.self) == Self.secret)
  }

  @Test func afterTheLastStepToo() {
    #expect(Self.bench([Self.refused], Self.secret).machine.deviation != nil)
    #expect(Self.bench([Self.refused], []).machine.deviation == nil)
  }

  @Test func behindRecordsToo() {
    var bench = Self.bench([Self.refused, .expectEnd(.either)], Self.data)
    #expect(bench.machine.deviation == nil)
    #expect(bench.machine.takeTLSEvents().contains(.leftover(Self.data, areRecords: true)))
    bench.see(.received(Self.data + Self.secret))
    #expect(bench.machine.deviation?.actual.contains("\"secret\"") == true)
  }

  @Test(arguments: [1, Int.max]) func aStepMayExpectThem(chunk: Int) {
    let steps = [Self.refused, .expect(payload("secret")), .expectEnd(.either)]
    var bench = Self.bench(steps, Self.secret, chunk: chunk)
    bench.see(.endOfStream)
    _ = bench.run()
    #expect(bench.machine.deviation == nil && bench.machine.isFinished)
  }

  @Test func otherBytesThanExpectedAreWrong() {
    let bench = Self.bench([Self.refused, .expect(payload("public"))], Self.secret)
    #expect(bench.machine.deviation?.expected.contains("0x70") == true)
  }

  @Test func whatNobodyTookIsToldWhenTheConnectionGoes() {
    // The expectation is the next connection's.
    let bench = Self.bench([Self.refused, .wait(.milliseconds(5)), .accept, .expect(payload("x"))], Self.secret)
    #expect(bench.machine.deviation?.actual.contains("\"secret\"") == true)
  }

  @Test(arguments: [TLSVersion.tls12, .tls13]) func nothingComesBehindCloseNotify(version: TLSVersion) throws {
    for bytes in [Self.secret, Self.data] {
      let bench = try TLSBench([tls()], Counterpart.Options(version: version))
      bench.other.close()
      bench.run()
      #expect(bench.deviation == nil)
      bench.bench.see(.received(bytes))
      bench.run()
      #expect(bench.deviation?.isEmpty == false)
      #expect(bench.names.last?.hasPrefix("leftover") == true)
    }
  }

  struct Framing: Sendable {
    var bytes: [UInt8]
    var clear: [UInt8]
  }

  static let framings: [Framing] = [
    Framing(bytes: data + nonsense, clear: []),
    Framing(bytes: data + secret, clear: secret),
    Framing(bytes: [22, 3], clear: []),
    Framing(bytes: [22, 2, 0], clear: [22, 2, 0]),
    Framing(bytes: [22, 3, 9], clear: [22, 3, 9]),
    Framing(bytes: [23, 3, 3, 0x48, 0x01, 1], clear: [23, 3, 3, 0x48, 0x01, 1]),
    Framing(bytes: [23, 3, 3, 0x48, 0x00, 1], clear: []),
    Framing(bytes: [23, 3, 3, 0, 0] + secret, clear: secret),
  ]

  /// Whole = byte by byte = cut anywhere.
  @Test(arguments: framings) func framingDoesNotDependOnCuts(_ row: Framing) {
    for cut in 0...row.bytes.count {
      var framing = ClearBytesFilter()
      #expect(framing.take(Array(row.bytes[..<cut])) + framing.take(Array(row.bytes[cut...])) == row.clear)
    }
    var framing = ClearBytesFilter()
    #expect(row.bytes.flatMap { framing.take([$0]) } == row.clear)
  }
}
