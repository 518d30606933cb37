import Glibc
import ScenarioModel
import Testing

@testable import RunReports

struct PacketCaptureTests {
  private static let start: UInt64 = 1_893_456_000_000_000_000

  private static func result(family: AddressFamily = .ipv4, _ build: (inout TraceBuilder) -> Void) -> CaseResult {
    var trace = TraceBuilder()
    build(&trace)
    return SampleReport.result(
      SampleReport.scenario("a/b", "t", []), .passed, family: family, trace: trace.events)
  }

  private static func bytes(_ result: CaseResult, maxBytes: Int = PacketCapture.maxBytes) -> [UInt8]? {
    PacketCapture.make(result, start: start, version: "1", system: "Linux", maxBytes: maxBytes)
  }

  private static func file(_ result: CaseResult, maxBytes: Int = PacketCapture.maxBytes) throws -> CaptureFile {
    let bytes = try #require(Self.bytes(result, maxBytes: maxBytes))
    return try #require(CaptureFile(bytes))
  }

  @Test func secretsComeBeforeThePackets() throws {
    var result = Self.result { trace in
      trace.open()
      trace.send([1, 2, 3])
    }
    result.trace.keyLog = ["CLIENT_RANDOM 00 11", "SERVER_TRAFFIC_SECRET_0 00 22"]
    let file = try Self.file(result)
    #expect(file.blocks.map(\.type) == [0x0A0D_0D0A, 1, 10, 6, 6, 6, 6])
    #expect(file.secrets == "CLIENT_RANDOM 00 11\nSERVER_TRAFFIC_SECRET_0 00 22\n")
    #expect(file.comment.hasPrefix("a/b [ipv4, loopback], seed 1: passed."))
    result.trace.keyLog = []
    #expect(try Self.file(result).secrets == nil)
  }

  /// Packets that a relay has seen are shown as they came, with what became of them.
  @Test func packetsOfARelayKeepTheirWayAndTheirFate() throws {
    func sight(_ side: NetworkSide, _ fate: String) -> TraceKind {
      .packet(PacketSight(link: "lab1", to: side, text: "TCP", fate: fate, count: 40, bytes: [0x45, 0, 0, 40]))
    }
    let file = try Self.file(
      Self.result { trace in
        trace.add(sight(.peer, ""))
        trace.add(sight(.subject, "lost"), after: 5)
        trace.add(sight(.subject, "doubled, delayed 4 ms"), after: 5)
      })
    #expect(file.packets.map(\.isInbound) == [false, true, true])
    #expect(file.packets.map(\.comment) == ["lab1", "lab1: lost", "lab1: doubled, delayed 4 ms"])
    #expect(file.packets.allSatisfy { $0.length == 40 && $0.bytes == [0x45, 0, 0, 40] })
    #expect(file.packets.map { $0.nanoseconds - Self.start } == [0, 5_000_000, 10_000_000])
  }

  /// Nobody has sent a reset where a connection ends because nobody answers.
  @Test func anEndWithoutAResetShowsNone() throws {
    for (number, flags) in [(ECONNRESET, ["S", "SA", "A", "RA"]), (ETIMEDOUT, ["S", "SA", "A"])] {
      let file = try Self.file(
        Self.result { trace in
          trace.open()
          trace.see(.broken(number), after: 1)
        })
      #expect(file.packets.map(\.flags) == flags)
    }
    for (number, flags) in [(ECONNREFUSED, ["S", "RA"]), (ETIMEDOUT, ["S"]), (EHOSTUNREACH, ["S"])] {
      let file = try Self.file(
        Self.result { trace in
          trace.act(.connect(socket: "socket"))
          trace.see(.connectFailed(number), after: 1)
        })
      #expect(file.packets.map(\.flags) == flags)
    }
  }

  @Test(arguments: AddressFamily.allCases)
  func aConnectionFromItsOpeningToItsEnd(family: AddressFamily) throws {
    let file = try Self.file(
      Self.result(family: family) { trace in
        trace.open()
        trace.see(.received(Array("ping".utf8)), after: 1)
        trace.send(Array("pong!".utf8), after: 1)
        trace.act(.finish)
        trace.see(.endOfStream, after: 1)
      })
    let packets = file.packets
    #expect(packets.map(\.flags) == ["S", "SA", "A", "PA", "PA", "FA", "FA"])
    #expect(packets.allSatisfy { $0.checksums == [0, 0] && $0.length == $0.bytes.count })
    #expect(packets.allSatisfy { $0.isIPv6 == (family == .ipv6) })
    #expect(Set(packets.map { Set($0.ports) }).count == 1)
    #expect(packets.map { String(decoding: $0.payload, as: UTF8.self) }.joined() == "pingpong!")
    // The subject: SYN, four bytes, FIN. The peer: SYN, five bytes, FIN.
    #expect(packets.map(\.sequence) == [1_000, 1_000, 1_001, 1_001, 1_001, 1_006, 1_005])
    #expect(packets.map(\.acknowledged) == [0, 1_001, 1_001, 1_001, 1_005, 1_005, 1_007])
    #expect(packets.first?.nanoseconds == Self.start + 210_000)
    #expect(packets.last?.nanoseconds == Self.start + 3_270_000)
    #expect(packets.first?.comment == "Connection 1: the subject connects to peer peer")
    #expect(file.comment.contains("Unix") == (family == .unix))
  }

  @Test func everyConnectionHasPortsOfItsOwn() throws {
    let file = try Self.file(
      Self.result { trace in
        for peer in ["alice", "bob", "alice"] {
          trace.act(.connect(socket: "socket"), by: peer)
          trace.see(.connected, by: peer)
          trace.send([1], by: peer)
          trace.act(.reset, by: peer)
        }
        trace.act(.connect(socket: "socket"), by: "carol")
        trace.see(.connectFailed(111), by: "carol")
      })
    #expect(
      file.packets.map(\.flags) == [
        "S", "SA", "A", "PA", "RA", "S", "SA", "A", "PA", "RA", "S", "SA", "A", "PA", "RA", "S", "RA",
      ])
    #expect(Set(file.packets.map { Set($0.ports) }).count == 4)
    #expect(file.packets.compactMap(\.comment).last?.contains("ECONNREFUSED") == true)
  }

  @Test func onlyWhatWentOutIsShown() throws {
    let file = try Self.file(
      Self.result { trace in
        trace.open()
        trace.act(.send([1, 2, 3, 4]))
        trace.see(.sent(2))
        trace.act(.send([5, 6]))
        trace.see(.sendFailed(32))
        trace.act(.send([7]))
      })
    #expect(file.packets.flatMap(\.payload) == [1, 2, 7])
  }

  @Test func largePayloadsAreCutIntoSegments() throws {
    let block = PatternBytes.make(seed: 1, count: 100_000)
    let packets = try Self.file(
      Self.result { trace in
        trace.open()
        trace.send(block)
      }
    ).packets.dropFirst(3)
    #expect(packets.map(\.payload.count) == [32_768, 32_768, 32_768, 1_696])
    #expect(packets.flatMap(\.payload) == block)
    #expect(packets.allSatisfy { $0.checksums == [0, 0] })
  }

  @Test func aFullCaptureKeepsHeadersAndTrueLengths() throws {
    let result = Self.result { trace in
      trace.open()
      for _ in 0..<500 { trace.send(PatternBytes.make(seed: 2, count: 1_000)) }
    }
    let file = try Self.file(result, maxBytes: 20_000)
    let packets = file.packets.dropFirst(3)
    #expect(packets.allSatisfy { $0.length == 1_040 })
    #expect(Set(packets.map(\.bytes.count)) == [40, 1_040])
    #expect(try #require(Self.bytes(result, maxBytes: 20_000)).count < 42_000)
  }

  @Test func aCaseThatSaysNothingHasNoCapture() {
    #expect(Self.bytes(Self.result { $0.add(.note("quiet")) }) == nil)
    #expect(Self.bytes(Self.result { $0.act(.send([1])) }) == nil)
  }

  @Test func noTraceTrapsAndEveryFileCanBeRead() throws {
    for result in HostileReport.report.cases + SampleReport.report.cases {
      guard let bytes = Self.bytes(result) else { continue }
      let file = try #require(CaptureFile(bytes))
      #expect(file.packets.allSatisfy { $0.checksums == [0, 0] })
    }
    let long = Self.result { trace in
      trace.wait(9e15)
      trace.see(.connected)
    }
    #expect(try Self.file(long).packets.count == 3)
  }

  @Test func namesAreNamesOfFiles() {
    for result in HostileReport.report.cases {
      let path = PacketCapture.path(of: result)
      #expect(path.hasPrefix("captures/") && path.hasSuffix(".pcapng") && path.utf8.count < 240)
      #expect(!path.dropFirst(9).contains { $0 == "/" || !$0.isASCII || $0.isWhitespace })
    }
    let plain = Self.result { _ in }
    #expect(PacketCapture.path(of: plain) == "captures/a-b-ipv4-loopback-1.pcapng")
  }
}
