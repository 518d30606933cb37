import Foundation
import FuzzCampaign
import ReportTestSupport
import Testing

@testable import CampaignReports

/// The reports of a fuzz campaign. `UPDATE_GOLDEN=1 swift test --filter CampaignReportTests` writes the golden files
/// anew; look at the difference before committing it, and at the pages in a browser.
@Suite struct CampaignReportTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  private static let campaigns: [(name: String, campaign: Campaign)] = [
    ("full", SampleCampaign.full), ("clean", SampleCampaign.clean), ("nothing", SampleCampaign.nothing),
    ("hostile", HostileCampaign.campaign),
  ]

  private static func campaign(_ name: String) throws -> Campaign {
    try #require(campaigns.first { $0.name == name }?.campaign)
  }

  private static func file(_ name: String, of campaign: Campaign) throws -> [UInt8] {
    try #require(try CampaignFiles.make(campaign).first { $0.name == name }?.bytes)
  }

  private static func text(_ name: String, of campaign: Campaign) throws -> String {
    String(decoding: try file(name, of: campaign), as: UTF8.self)
  }

  static let golden = ["full", "clean"].flatMap { campaign in
    ["campaign.json", "junit.xml", "results.sarif", "plot.csv", "summary.md", "index.html"].map { "\(campaign)/\($0)" }
  }

  @Test(arguments: golden)
  func fileIsAsRecorded(path: String) throws {
    let parts = path.split(separator: "/").map(String.init)
    let bytes = try Self.file(parts[1], of: Self.campaign(parts[0]))
    let recorded = Self.folder.appending(path: path)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try FileManager.default.createDirectory(
        at: recorded.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: recorded)
    }
    #expect(Data(bytes) == (try Data(contentsOf: recorded)), "\(path) differs from its golden file")
  }

  private static func schema() throws -> SchemaChecker {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return SchemaChecker(try ReadJSON(Data(contentsOf: root.appending(path: "campaign.schema.json"))))
  }

  @Test(arguments: ["full", "clean", "nothing"])
  func fitsThePublishedSchema(name: String) throws {
    let problems = try Self.schema().problems(ReadJSON(Self.file("campaign.json", of: Self.campaign(name))))
    #expect(problems == [])
  }

  @Test func theSchemaSeesWhatIsWrong() throws {
    let bad = #"{"schema": 2, "provenance": {}, "targets": [{"runs": [{"exit": {"kind": "fine"}}]}], "more": 1}"#
    let problems = try Self.schema().problems(ReadJSON(Array(bad.utf8)))
    for sign in ["$.schema", "lacks findings", "$.provenance: lacks builds", "exit.kind", "undescribed key more"] {
      #expect(problems.contains { $0.contains(sign) }, "\(sign) not in \(problems)")
    }
  }

  @Test(arguments: campaigns.map(\.name))
  func whatIsWrittenCanBeReadBack(name: String) throws {
    let campaign = try Self.campaign(name)
    let bytes = try Self.file("campaign.json", of: campaign)
    let read = try CampaignJSON.decode(bytes)
    if name != "hostile" { #expect(read == campaign) }
    // Values that are no numbers are not equal to themselves; their spelling is.
    #expect(try CampaignJSON.encode(read) == bytes)
  }

  @Test(arguments: campaigns.map(\.name))
  func sameCampaignSameBytes(name: String) throws {
    let campaign = try Self.campaign(name)
    for (first, second) in try zip(CampaignFiles.make(campaign), CampaignFiles.make(campaign)) {
      #expect(first.bytes == second.bytes, "\(first.name)")
    }
  }

  @Test func hostileTextMakesNoElementAndNoAttribute() throws {
    let calm = StartTag.all(in: try Self.text("index.html", of: SampleCampaign.full))
    let hostile = StartTag.all(in: try Self.text("index.html", of: HostileCampaign.campaign))
    let names = Set(calm.map(\.name))
    let fields = Set(calm.flatMap { $0.fields.map(\.name) })
    #expect(names.contains("svg") && fields.contains("href"))
    #expect(Set(hostile.map(\.name)).subtracting(names) == [])
    #expect(Set(hostile.flatMap { $0.fields.map(\.name) }).subtracting(fields) == [])
    #expect(hostile.count { $0.name == "script" } == 1)
    #expect(hostile.count > 500)
  }

  @Test(arguments: campaigns.map(\.name))
  func everyLinkLeadsSomewhereOnThePage(name: String) throws {
    let tags = StartTag.all(in: try Self.text("index.html", of: Self.campaign(name)))
    let ids = tags.flatMap { $0.fields.filter { $0.name == "id" }.map(\.value) }
    #expect(Set(ids).count == ids.count)
    let links = tags.flatMap { $0.fields.filter { $0.name == "href" }.map(\.value) }
    #expect(links.filter { !ids.contains(String($0.dropFirst())) } == [])
  }

  @Test(arguments: ["full", "clean", "nothing"])
  func nothingIsLoadedFromAnywhere(name: String) throws {
    let page = try Self.text("index.html", of: Self.campaign(name))
    for sign in ["http:", "https:", "@import", "url(", "<link", "src="] { #expect(!page.contains(sign), "\(sign)") }
    #expect(page.contains("default-src 'none'"))
  }

  @Test(arguments: campaigns.map(\.name))
  func junitIsXMLWhoseCountsAddUp(name: String) throws {
    let root = try XMLNode.parse(Self.file("junit.xml", of: Self.campaign(name)))
    let suites = root.children.filter { $0.name == "testsuite" }
    for suite in suites + [root] {
      let cases = suite === root ? suites.flatMap(\.children) : suite.children
      #expect(suite.fields["tests"] == "\(cases.count)")
      for (key, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
        #expect(suite.fields[key] == "\(cases.count { $0.children.contains { $0.name == element } })")
      }
    }
  }

  @Test func aCampaignThatHasNotEndedSaysSoEverywhere() throws {
    var campaign = SampleCampaign.nothing
    (campaign.isUnfinished, campaign.shard, campaign.gates) = (true, "1/2", [])
    for name in ["summary.md", "index.html"] {
      #expect(try Self.text(name, of: campaign).contains("Not ended: it is under way, or it died"), "\(name)")
    }
    #expect(try XMLNode.parse(Self.file("junit.xml", of: campaign)).fields["errors"] == "1")
    #expect(try Self.schema().problems(ReadJSON(Self.file("campaign.json", of: campaign))) == [])
    #expect(try CampaignJSON.decode(Self.file("campaign.json", of: campaign)) == campaign)
  }

  @Test(arguments: campaigns.map(\.name))
  func sarifIsJSONOfTheRightShape(name: String) throws {
    let campaign = try Self.campaign(name)
    let json = try ReadJSON(Self.file("results.sarif", of: campaign))
    #expect(json["version"]?.text == "2.1.0")
    let run = try #require(json["runs"]?.items.first)
    let rules = run["tool"]?["driver"]?["rules"]?.items.compactMap { $0["id"]?.text } ?? []
    let results = run["results"]?.items ?? []
    #expect(results.count == campaign.findings.count { $0.status != .fixed })
    for result in results {
      let index = Int(result["ruleIndex"]?.number ?? -1)
      #expect(rules.indices.contains(index) && rules[index] == result["ruleId"]?.text)
      #expect(result["message"]?["text"]?.text?.isEmpty == false)
    }
  }

  @Test(arguments: campaigns.map(\.name))
  func everyLineOfThePlotHasItsFields(name: String) throws {
    let campaign = try Self.campaign(name)
    let text = try Self.text("plot.csv", of: campaign)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 1 + campaign.targets.flatMap(\.runs).map(\.series.count).reduce(0, +))
    for line in lines.dropFirst() where !line.hasPrefix("\"") { #expect(line.count { $0 == "," } >= 10) }
  }

  /// The three tell the same outcome.
  @Test func theReportsAgree() throws {
    let campaign = SampleCampaign.full
    let page = try Self.text("index.html", of: campaign)
    let summary = try Self.text("summary.md", of: campaign)
    for word in ["Failed: findings", "2 new findings (1 known or fixed)"] { #expect(page.contains(word), "\(word)") }
    #expect(summary.contains("2 new findings"))
    #expect(summary.contains("stale-search-memo survives"))
    for finding in campaign.findings { #expect(page.contains(finding.reproduce)) }
  }

  @Test func theHeadlineNamesAnInterruptionThatIsAll() {
    var campaign = SampleCampaign.clean
    #expect(CampaignWords.headline(campaign) == "Passed")
    campaign.isInterrupted = true
    campaign.gates = campaign.judged()
    #expect(CampaignWords.headline(campaign) == "Interrupted: not everything ran")
    campaign.targets[0].replay?.failures = [ReplayFailure(path: "p", message: "m")]
    campaign.gates = campaign.judged()
    #expect(CampaignWords.headline(campaign) == "Failed: regressions, completeness")
  }

  @Test func aCleanCampaignNeverClaimsThatThereAreNoBugs() throws {
    for name in ["index.html", "summary.md", "junit.xml"] {
      let text = try Self.text(name, of: SampleCampaign.clean)
      #expect(!text.lowercased().contains("no bug"))
    }
    #expect(try Self.text("index.html", of: SampleCampaign.clean).contains("No new finding in 251,580,000 executions"))
  }

  @Test func scenarioFirstBytesSecondSurvivorsFirst() throws {
    let page = try Self.text("index.html", of: SampleCampaign.full)
    let scenario = try #require(page.range(of: "As a scenario"))
    let bytes = try #require(page.range(of: ">Input<"))
    #expect(scenario.lowerBound < bytes.lowerBound)
    let survivor = try #require(page.range(of: "<code>stale-search-memo"))
    let found = try #require(page.range(of: "<code>delimiter-lost-at-seam"))
    #expect(survivor.lowerBound < found.lowerBound)
  }
}
