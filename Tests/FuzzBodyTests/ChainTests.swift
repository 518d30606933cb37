import FuzzHarness
import TestCertificates
import Testing

@testable import ChainFuzzing

/// The chain body lets the library pass, and its evaluator tells right chains from wrong ones.
@Suite struct ChainTests {
  typealias Judgement = PathJudge.Judgement

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var program: ChainProgram
    var judgement: Judgement
  }

  static func row(
    _ name: String, _ judgement: Judgement, _ change: (inout ChainProgram) -> Void = { _ in }
  ) -> Row {
    var program = ChainProgram()
    program.lengthCode = 1
    change(&program)
    return Row(testDescription: name, program: program, judgement: judgement)
  }

  static let rows: [Row] = [
    row("one intermediate", .sound), row("none", .sound) { $0.lengthCode = 0 },
    row("four", .sound) { $0.lengthCode = 4 },
    row("eight", .sound) { $0.lengthCode = 225 },
    row("eleven", .refused) { $0.lengthCode = 226 },
    row("no name asked for", .sound) { $0.host = 0 },
    row("another name", .refused) { $0.host = 2 },
    row("a wildcard", .disputable) { ($0.host, $0.changes) = (3, [.init(.hosts, at: 0, 2)]) },
    row("a partial wildcard", .refused) { ($0.host, $0.changes) = (2, [.init(.hosts, at: 0, 8)]) },
    row("a common name", .disputable) {
      $0.changes = [.init(.hosts, at: 0, 0), .init(.subject, at: 0, 128)]
    },
    row("an address", .sound) { ($0.host, $0.changes) = (6, [.init(.addresses, at: 0, 2)]) },
    row("another address", .refused) { ($0.host, $0.changes) = (7, [.init(.addresses, at: 0, 2)]) },
    row("forged", .refused) { $0.changes = [.init(.signer, at: 254, 7)] },
    row("forged, without names of keys", .refused) {
      $0.changes = [.init(.keyNames, at: 254), .init(.signer, at: 254, 7)]
    },
    row("forged, long, with a list", .refused) {
      ($0.lengthCode, $0.lists) = (236, [.init(of: 255)])
      $0.changes = [.init(.keyNames, at: 254), .init(.signer, at: 254, 7)]
    },
    row("forged, longer, with a list, by a client", .refused) {
      ($0.lengthCode, $0.lists, $0.settings) = (243, [.init(of: 255)], 32)
      $0.changes = [.init(.damage, at: 254), .init(.purpose, at: 0, 2)]
    },
    row("expired", .refused) { $0.changes = [.init(.validity, at: 0, 5)] },
    row("its last second", .sound) { $0.changes = [.init(.validity, at: 0, 1)] },
    row("its first second", .sound) { $0.changes = [.init(.validity, at: 0, 3)] },
    row("expired, allowed", .sound) { ($0.settings, $0.changes) = (1, [.init(.validity, at: 1, 5)]) },
    row("expired root, allowed", .sound) { ($0.settings, $0.changes) = (2, [.init(.validity, at: 255, 5)]) },
    row("expired root, certificates allowed", .refused) {
      ($0.settings, $0.changes) = (1, [.init(.validity, at: 255, 5)])
    },
    row("not yet valid", .refused) { ($0.settings, $0.changes) = (7, [.init(.validity, at: 1, 6)]) },
    row("no authority", .refused) { $0.changes = [.init(.authority, at: 1, 1)] },
    row("no basic constraints", .refused) { $0.changes = [.init(.authority, at: 1, 0)] },
    row("may not sign", .refused) { $0.changes = [.init(.usage, at: 1, 4)] },
    row("a path too long", .refused) { ($0.lengthCode, $0.changes) = (2, [.init(.pathLength, at: 2, 0)]) },
    row("a path just short enough", .sound) { ($0.lengthCode, $0.changes) = (2, [.init(.pathLength, at: 2, 1)]) },
    row("for clients", .refused) { $0.changes = [.init(.purpose, at: 0, 2)] },
    row("a client for clients", .sound) { ($0.settings, $0.changes) = (32, [.init(.purpose, at: 0, 2)]) },
    row("excluded", .refused) { $0.changes = [.init(.excluded, at: 1, 8)] },
    row("permitted", .disputable) { $0.changes = [.init(.permitted, at: 1, 16)] },
    row("not permitted", .refused) { $0.changes = [.init(.permitted, at: 1, 1)] },
    row("excluded behind a wildcard", .refused) {
      ($0.host, $0.changes) = (2, [.init(.hosts, at: 0, 2), .init(.excluded, at: 1, 2)])
    },
    row("unknown critical extension", .refused) { $0.changes = [.init(.criticalExtension, at: 1)] },
    row("revoked", .refused) { $0.lists = [.init(of: 1, 8)] },
    row("revoked intermediate", .refused) { $0.lists = [.init(of: 255, 8)] },
    row("revoked intermediate of a longer chain", .refused) { ($0.lengthCode, $0.lists) = (3, [.init(of: 2, 8)]) },
    row("not revoked", .sound) { $0.lists = [.init(of: 1, 0), .init(of: 255, 0)] },
    row("a list that is over", .refused) { $0.lists = [.init(of: 1, 5 << 5)] },
    row("a list of the future", .refused) { $0.lists = [.init(of: 1, 6 << 5)] },
    row("a false list", .refused) { $0.lists = [.init(of: 1, 1)] },
    row("a false list that names no key", .refused) { $0.lists = [.init(of: 1, 6)] },
    row("any root", .disputable) { ($0.settings, $0.changes) = (4, [.init(.anchor, at: 255)]) },
    row("any root, forged", .refused) {
      ($0.settings, $0.changes) = (4, [.init(.anchor, at: 255), .init(.damage, at: 0)])
    },
    row("any root, and that has expired", .disputable) { ($0.lengthCode, $0.settings, $0.time) = (0, 5, 3) },
    row("no anchor", .refused) { $0.changes = [.init(.anchor, at: 255)] },
    row("the leaf as anchor", .disputable) { $0.changes = [.init(.anchor, at: 255), .init(.anchor, at: 0)] },
    row("an intermediate not sent", .refused) { $0.changes = [.init(.notSent, at: 1)] },
    row("cross-signed", .disputable) { $0.changes = [.init(.crossSigned, at: 1, 0)] },
    row("two of a name, one wrong", .disputable) { $0.changes = [.init(.copy, at: 1), .init(.key, at: 255, 6)] },
  ]

  static var programs: [ChainProgram] { rows.map(\.program) }

  @Test(arguments: rows) func isJudgedAsItMustBe(_ row: Row) {
    #expect(PathJudge(ChainCase(row.program)).judge() == row.judgement)
    #expect(ChainFuzzing.check(row.program) { try ChainFuzzing.verdict(on: $0) } == nil)
  }

  @Test(arguments: rows) func readsWhatItWrites(_ row: Row) {
    #expect(row.program.encoded.withUnsafeBytes { ChainProgram($0) } == row.program)
  }

  @Test func whereNothingIsCheckedNothingIs() {
    var program = ChainProgram()
    (program.settings, program.host, program.changes) = (24, 2, [.init(.damage, at: 0)])
    #expect(ChainFuzzing.check(program) { try ChainFuzzing.verdict(on: $0) } == nil)
    #expect(ChainFuzzing.check(program) { _ in false }?.invariant == "chain/unchecked")
  }

  @Test func lawsCanBeBroken() {
    for row in Self.rows {
      let ofCredulous = ChainFuzzing.check(row.program) { _ in true }
      let ofSuspicious = ChainFuzzing.check(row.program) { _ in false }
      #expect(ofCredulous?.invariant == (row.judgement == .refused ? "chain/sound" : nil), "\(row)")
      #expect(ofSuspicious?.invariant == (row.judgement == .sound ? "chain/complete" : nil), "\(row)")
    }
    struct Failure: Error {}
    #expect(ChainFuzzing.check(Self.programs[0]) { _ in throw Failure() }?.invariant == "chain/setup")
  }

  @Test func anythingIsAProgram() {
    var random = SeededStream(seed: 12)
    for _ in 0..<300 {
      let input = (0..<Int(random.next() % 60)).map { _ in random.nextByte() }
      let violation = input.withUnsafeBytes { ChainFuzzing.body($0) }
      #expect(violation == nil, "\(input)")
    }
  }
}
