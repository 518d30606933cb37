import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// The same deviation of many variants is told once, and nothing else is told along with it.
@Suite struct AlikeCasesTests {
  private static let scenario = SampleReport.scenario("a/b", "t", [])

  private static func failed(
    _ actual: String, expected: String = "e", kind: Deviation.Kind = .wrongContent, line: Int? = 3,
    family: AddressFamily = .ipv4, cut: Variant.Cut = .whole, world: WorldName = .loopback, seed: UInt64 = 1
  ) -> CaseResult {
    SampleReport.result(
      scenario, .failed, world: world, family: family, cut: cut, seed: seed,
      deviations: [SampleReport.deviation(kind, expected: expected, actual: actual, line: line)])
  }

  @Test(arguments: [
    ("not seen by 363ms", "not seen by 1.2s"), ("at 617.893us from its origin", "at 1ms from its origin"),
    ("didConnect { host: 127.0.0.1, port: 40001 }", "didConnect { host: ::1, port: 51334 }"),
    ("path /tmp/lab-1/peer.sock, gone", "path /tmp/lab-77/peer.sock, gone"),
    ("fin after 40960 of them", "fin after 12 of them"), ("12 bytes in all", "9 bytes in all"),
    ("differs first at offset 12: expected", "differs first at offset 7: expected"),
    ("sockets to 127.0.0.1:40001, [::1]:40003", "sockets to 127.0.0.1:9000, [fe80::1%lo]:1"),
    ("at 0x000055d0c01b2f44 in drop", "at 0x00007f1d2c4e8a10 in drop"), ("plain", "plain"),
  ])
  func whatDiffersByVariantIsTheSame(one: String, other: String) {
    #expect(VariantNeutral.text(one) == VariantNeutral.text(other))
    let groups = AlikeCases.groups([Self.failed(one), Self.failed(other, family: .ipv6)])
    #expect(groups.count == 1)
    #expect(groups.first?.differs == (one != other))
  }

  @Test(arguments: [
    ("tag 1 came", "tag 2 came"), ("\"EHLO 127.0.0.1\" came", "\"EHLO 127.0.0.2\" came"),
    ("0x45 came", "0x46 came"), ("line 12 further on", "line 13 further on"), ("ECONNRESET", "EPIPE"),
    ("\"12 bytes\"", "\"13 bytes\""), ("\"a \\\" 3s\"", "\"a \\\" 4s\""), ("done 1", "done"),
  ])
  func whatSaysSomethingElseIsNot(one: String, other: String) {
    #expect(AlikeCases.groups([Self.failed(one), Self.failed(other, family: .ipv6)]).count == 2)
  }

  @Test func kindPlaceExpectationVerdictWorldAndReasonTellApart() {
    var timedOut = Self.failed("x")
    timedOut.verdict = .timeout
    var reasoned = Self.failed("x")
    reasoned.reason = "because"
    var required = Self.failed("x")
    required.deviations[0].requirement = "INV-04"
    var further = Self.failed("x")
    further.deviations.append(SampleReport.deviation(.missing, expected: "m", actual: "n"))
    let cases = [
      Self.failed("x"), Self.failed("x", kind: .late), Self.failed("x", line: 4), Self.failed("x", expected: "f"),
      Self.failed("x", world: .simulated), timedOut, reasoned, required, further,
    ]
    #expect(AlikeCases.groups(cases).map(\.places) == cases.indices.map { [$0] })
  }

  @Test func namesTellVariantsAndSeeds() {
    let one = AlikeCases.groups([Self.failed("x")])[0]
    #expect(one.name == "a/b [ipv4, loopback]" && one.seedsText() == "seed 1")
    let seeds = AlikeCases.groups([3, 17, 20, 21, 22, 23].map { Self.failed("x", seed: $0) })[0]
    #expect(seeds.name == "a/b [ipv4, loopback]" && seeds.seedsText(most: 2) == "seeds 3, 17 and 4 more")
    #expect(seeds.seedsText() == "seeds 3, 17, 20, 21, 22 and 23")
    let cuts = (1...20).map { Self.failed("x", cut: .split(at: $0)) }
    let variants = AlikeCases.groups(cuts + cuts)[0]
    #expect(variants.name == "a/b [20 variants, loopback]" && variants.count == 40)
    #expect(variants.variantsText(most: 2) == "ipv4-split1, ipv4-split2 and 18 more")
  }

  @Test func groupsAreLinear() {
    func seconds(_ count: Int) -> Double {
      let cases = (0..<count).map { Self.failed("x", cut: .split(at: $0), seed: UInt64($0)) }
      return ThreadProcessorTime.seconds(bestOf: 3) {
        let group = AlikeCases.groups(cases)
        #expect(group.count == 1 && group[0].variants.count == count && group[0].seeds.count == count)
      }
    }
    let (few, many) = (seconds(400), seconds(4_000))
    #expect(many < few * 30 + 0.05, "\(many) s after \(few) s")
  }

  @Test func thePageHasOnePanelForAllAndALineForEachFurther() throws {
    let cases = (1...8).map { Self.failed("x", cut: .split(at: $0)) }
    let page = String(decoding: HTMLReport.make(SampleReport.report(cases)), as: UTF8.self)
    let tags = StartTag.all(in: page)
    #expect(tags.count { $0.name == "details" && $0.fields.contains { $0 == ("class", "panel failed") } } == 1)
    #expect(page.ranges(of: "as told above").count == 7)
    #expect(page.contains("In 8 variants: ipv4-split1, ipv4-split2,"))
    let markdown = String(decoding: MarkdownSummary.make(SampleReport.report(cases)), as: UTF8.self)
    #expect(markdown.ranges(of: "wrong content:").count == 1)
    #expect(markdown.contains("8 cases alike") && markdown.contains("`a/b [ipv4-split4, loopback]` and 4 more\n"))
  }
}
