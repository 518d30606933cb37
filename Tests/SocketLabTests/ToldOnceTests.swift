import Foundation
import Testing

/// What `run` prints of deviations: each once, and of what hangs on a failed control a count.
@Suite struct ToldOnceTests {
  private static let matrix = "matrix: { segmentation: [whole, bytes], queues: [separate, shared, own] }\n"
  private static let hanging = "control: control/line\n"

  @Test func sixVariantsAreToldOnce() throws {
    let suite = try ScratchSuite(["read/line.yaml": ScratchSuite.failing + Self.matrix])
    for arguments in [["run"], ["run", "--world", "simulated", "--seeds", "3", "--repeat", "2"]] {
      let result = try suite.run(arguments)
      #expect(result.status == 1)
      let worlds = arguments.count == 1 ? 2 : 1
      #expect(result.output.ranges(of: "wrongContent").count == worlds, "\(result.output)")
      #expect(result.output.contains("✗ read/line [6 variants, simulated]  failed"), "\(result.output)")
      #expect(
        result.output.contains(
          "    in ipv4, ipv4-shared, ipv4-own, ipv4-bytes, ipv4-bytes-shared and ipv4-bytes-own\n"))
      if worlds == 1 {
        #expect(result.output.contains("    with seeds 1, 2 and 3\n"))
        #expect(result.output.contains("failed as told above, in 18 more cases"))
        #expect(result.output.contains("; seeds 4, 5 and 6"))
      }
    }
  }

  @Test func aFailedControlComesFirstAndFoldsWhatHangsOnIt() throws {
    let suite = try ScratchSuite([
      "control/line.yaml": ScratchSuite.failing, "accept/early.yaml": ScratchSuite.passing + Self.hanging,
      "read/real.yaml": ScratchSuite.failing, "read/hangs.yaml": ScratchSuite.failing + Self.hanging,
    ])
    let result = try suite.run(["run", "--world", "simulated"])
    #expect(result.status == 1)
    let output = result.output
    #expect(output.hasPrefix("✗ control/line [ipv4, simulated]  failed, and it is a control\n"), "\(output)")
    #expect(output.ranges(of: "wrongContent").count == 2, "\(output)")
    #expect(output.contains("✗ read/real [ipv4, simulated]  failed\n"))
    #expect(!output.contains("✗ read/hangs"))
    let cost = "    control/line: 2 cases of 2 scenarios prove nothing without it"
    #expect(output.contains("✗ 1 control did not pass\n\(cost)"))
    #expect(output.contains("1 of them deviates itself, see the reports; the first is read/hangs [ipv4, simulated]"))
    #expect(output.contains("✗ 4 of 4 scenarios not as expected"))
    let report = suite.folder.appendingPathComponent("reports/latest/report.json")
    let json = try String(contentsOf: report, encoding: .utf8)
    #expect(json.contains("\"voided\": {\"control\": \"control/line\", \"verdict\": \"passed\""))
  }

  @Test func manyDeviationsAreToldByTheirCause() throws {
    let files = (1...8).map { ("read/line-\($0).yaml", ScratchSuite.failing) }
    let suite = try ScratchSuite(Dictionary(uniqueKeysWithValues: files))
    let output = try suite.run(["run", "--world", "simulated"]).output
    #expect(output.ranges(of: "✗ read/line-").count == 6, "\(output)")
    #expect(output.contains("More deviations: their causes are told at the end."))
    #expect(output.contains("\n✗ 8 cases, 8 findings, 1 cause\n  1  didRead comes with wrong content, after a read"))
    #expect(output.contains("     8 cases of 8 scenarios, 8 findings\n     e.g. read/line-1 [ipv4, simulated]"))
    let all = try suite.run(["run", "--world", "simulated", "--cases"]).output
    #expect(all.ranges(of: "✗ read/line-").count == 8 && !all.contains("findings"), "\(all)")
  }
}
