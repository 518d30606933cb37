import ScenarioModel
import Testing

@testable import Requirements

/// What a register must be, and what is said of one that is not.
@Suite struct RegisterReaderTests {
  private static let index = "areas:\n  WR: Writing\nsources: { S1: The wiki., I: An issue. }\n"
  private static let writing = """
    WR-01:
      must: Writes form one queue.
      scope: any
      sources: [S1, I#4]
      see: [D-01, WR-02]
    WR-02:
      may: "Small ones: at once."
      upstream: Later.
      upstreamUnseen: Nobody waits.
      scope: run-loop
      sources: [S1]

    """
  private static let decisions = "D-01: { disputed: A or B., decided: A. }\n"
  private static let defects = "UB-01: { defect: It leaks., consequence: None left., requirements: [WR-01] }\n"

  private static func files(_ changes: [String: String?] = [:]) -> [RegisterFile] {
    let texts: [String: String?] = [
      "index": index, "wr": writing, "decisions": decisions, "defects": defects,
    ]
    return texts.merging(changes) { $1 }.compactMap { name, text in
      text.map { RegisterFile(path: "Requirements/\(name).yaml", bytes: Array($0.utf8)) }
    }
  }

  private static func register(_ changes: [String: String?] = [:]) throws -> RequirementRegister {
    try RegisterReader.register(of: files(changes), in: "Requirements")
  }

  /// `path:line:column code message (help)`, each file's in order.
  private static func remarks(_ changes: [String: String?]) -> [String] {
    do throws(RegisterFailure) {
      _ = try RegisterReader.register(of: files(changes), in: "Requirements")
      return []
    } catch {
      return error.files.flatMap { file in
        file.diagnostics.map {
          "\(file.path):\($0.position.line):\($0.position.column) \($0.code) \($0.message) (\($0.help ?? ""))"
        }
      }
    }
  }

  @Test func everyEntryIsHadByItsId() throws {
    let register = try Self.register()
    #expect(register.requirements.map(\.id) == ["WR-01", "WR-02"])
    let second = try #require(register["WR-02"])
    #expect(second.level == .may && second.scope == .runLoop && second.area == "WR")
    #expect(second.sentence == "Small ones: at once." && second.upstream == "Later.")
    #expect(second.upstreamUnseen == "Nobody waits.")
    let first = try #require(register["WR-01"])
    #expect(first.level == .must && first.scope == .any && first.upstream == nil)
    #expect(first.sources == ["S1", "I#4"] && first.see == ["D-01", "WR-02"])
    #expect(first.place == Located("Requirements/wr.yaml", at: SourcePosition(line: 1, column: 1)))
    #expect(register["WR-03"] == nil && register["D-01"] == nil)
    #expect(register.areas.map(\.title) == ["Writing"])
    #expect(register.lines(ofSources: ["I#4", "S1", "I#7"]) == ["I#4, I#7  An issue.", "S1  The wiki."])
    #expect(register.sentence(of: "D-01") == "A." && register.sentence(of: "UB-01") == "It leaks.")
    #expect(register.sentence(of: "WR-01") == "Writes form one queue." && register.sentence(of: "X-01") == nil)
  }

  @Test func whatMayNotBeCitedIsToldWithWhatMay() throws {
    let register = try Self.register()
    #expect(register.nearest(to: "WR-1") == "WR-01" && register.nearest(to: "NOTHING-77") == nil)
    #expect(register.help(forCitation: "WR-1").hasPrefix("did you mean WR-01? "))
    #expect(register.help(forCitation: "UB-01") == "UB-01 is a defect of the original; cite what it breaks: WR-01")
    #expect(register.help(forCitation: "D-01") == "D-01 is a decision; cite what follows from it: WR-01")
    let bare = try Self.register(["decisions": Self.decisions + "D-02: { disputed: A., decided: B. }\n"])
    #expect(bare.help(forCitation: "D-02") == "D-02 is a decision about the sources, and no requirement")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var changes: [String: String?]
    var remarks: [String]
    var testDescription: String { name }
  }

  private static let entry = "scope: any, sources: [S1] }\n"

  @Test func mutationsAreReadWithTheirRequirement() throws {
    let text = "WR-01: { must: A., scope: any, sources: [S1], mutations: [lose didWrite, misread isSecure of again] }\n"
    let register = try Self.register(["wr": text, "decisions": nil, "defects": nil])
    #expect(register["WR-01"]?.mutations.map(\.text) == ["lose didWrite", "misread isSecure of again"])
    let wrong = Self.remarks([
      "wr": text.replacing("lose didWrite", with: "lose didRite").replacing("of again", with: "of course"),
      "decisions": nil, "defects": nil,
    ])
    #expect(wrong.count == 2, "\(wrong)")
    let first = "Requirements/wr.yaml:1:59 unknown-word `lose didRite` is no mutation"
    #expect(wrong.first?.hasPrefix(first) == true, "\(wrong)")
  }

  @Test func whatNoSubjectCanBreakSaysWhyAndHasNoMutations() throws {
    let text = "WR-01: { may: It may or not., scope: any, sources: [S1], permits: Both. }\n"
    let others: [String: String?] = ["decisions": nil, "defects": nil]
    let register = try Self.register(others.merging(["wr": text]) { $1 })
    #expect(register["WR-01"]?.permits == "Both.")
    let wrong = Self.remarks(
      others.merging(["wr": text.replacing("permits", with: "mutations: [lose didWrite], permits")]) { $1 })
    #expect(
      wrong == [
        "Requirements/wr.yaml:1:58 conflicting-keys WR-01 permits whatever a subject does, and has `mutations`"
          + " (a mutation breaks the sentence: keep the key that is right)"
      ])
    let empty = Self.remarks(others.merging(["wr": text.replacing("Both.", with: "\" \"")]) { $1 })
    #expect(empty == ["Requirements/wr.yaml:1:67 empty-value `permits` is empty (say it in a sentence)"])
  }

  static let rows = [
    Row(
      name: "a doubled id", changes: ["wr": writing + "WR-01: { must: Again., \(entry)"],
      remarks: [
        "Requirements/wr.yaml:12:1 duplicate-key `WR-01` stands twice in this mapping (the first is in line 1,"
          + " column 1; keep one of them)"
      ]),
    Row(
      name: "a malformed id, one of another area, and one that is no text",
      changes: ["wr": writing + "WR-3: { must: A., \(entry)RD-04: { must: A., \(entry)WR-05: later\n"],
      remarks: [
        "Requirements/wr.yaml:12:1 bad-requirement `WR-3` is not an id of this file (ids here are WR- and two"
          + " digits, such as WR-01)",
        "Requirements/wr.yaml:13:1 bad-requirement `RD-04` is not an id of this file (ids here are WR- and two"
          + " digits, such as WR-01)",
        "Requirements/wr.yaml:14:8 wrong-type WR-05 is a mapping, not `later` (write `must: …`, `scope: any`,"
          + " `sources: [S1]`)",
      ]),
    Row(
      name: "an entry without a sentence, with two, and with an empty one",
      changes: [
        "wr": writing + "WR-03: { \(entry)WR-04: { must: A., may: B., \(entry)WR-05: { must: \" \", \(entry)"
      ],
      remarks: [
        "Requirements/wr.yaml:12:1 missing-key WR-03 needs its sentence under one of the keys must, should, may"
          + " (write `must: …`)",
        "Requirements/wr.yaml:13:20 conflicting-keys WR-04 needs its sentence under one of the keys must,"
          + " should, may (keep the one that fits)",
        "Requirements/wr.yaml:14:16 empty-value the sentence of WR-05 is empty (say it in a sentence)",
      ]),
    Row(
      name: "a wrong scope, none, an unknown key, an unknown source, none",
      changes: [
        "wr": "WR-01: { must: A., scope: gdc, sources: [S1] }\nWR-02: { must: A., sources: [S1] }\n"
          + "WR-03: { must: A., levl: x, scope: any, sources: [S7, I#1] }\nWR-04: { must: A., scope: any }\n"
      ],
      remarks: [
        "Requirements/wr.yaml:1:27 unknown-word `gdc` is not a scope (did you mean `gcd`? one of: any, gcd,"
          + " run-loop)",
        "Requirements/wr.yaml:2:8 missing-key WR-02 needs the key `scope` (write `scope: any`, `gcd` or `run-loop`)",
        "Requirements/wr.yaml:3:20 unknown-key WR-03 has no key `levl` (it knows: must, should, may, upstream,"
          + " upstreamUnseen, scope, sources, see, mutations, permits)",
        "Requirements/wr.yaml:3:51 unknown-word `S7` is not a source of index.yaml (did you mean `S1`? one of:"
          + " I, S1)",
        "Requirements/wr.yaml:4:8 missing-key WR-04 needs the key `sources` (write `sources: [S1]`)",
      ]),
    Row(
      name: "a reason why something is not seen that nobody has named, and an empty one",
      changes: [
        "wr": "WR-01: { must: A., upstreamUnseen: B., scope: any, sources: [S1] }\n"
          + "WR-02: { must: A., upstream: B., upstreamUnseen: \" \", scope: any, sources: [S1] }\n"
      ],
      remarks: [
        "Requirements/wr.yaml:1:36 missing-key WR-01 says why something is not seen, and not what (write"
          + " `upstream: …`, what the original does, or leave `upstreamUnseen` out)",
        "Requirements/wr.yaml:2:50 empty-value `upstreamUnseen` is empty (say it in a sentence)",
      ]),
    Row(
      name: "mentions of what is not there, each in its file",
      changes: [
        "wr": writing.replacing("WR-02]", with: "WR-92]"),
        "defects": "UB-01: { defect: A., consequence: B., requirements: [WR-1, D-01] }\n",
      ],
      remarks: [
        "Requirements/defects.yaml:1:54 bad-requirement `WR-1` is not the id of a requirement (did you mean WR-01?)",
        "Requirements/defects.yaml:1:60 bad-requirement `D-01` is not the id of a requirement (write one of"
          + " this register's ids)",
        "Requirements/wr.yaml:5:15 bad-requirement the register has no `WR-92` (did you mean WR-02?)",
      ]),
    Row(
      name: "an area without a file, and a file without an area",
      changes: ["index": index.replacing("  WR: Writing", with: "  WR: Writing\n  TLS: TLS"), "tsl": "TLS-01: {}\n"],
      remarks: [
        "Requirements/index.yaml:3:3 missing-file the area TLS has no file tls.yaml (write it beside this one)",
        "Requirements/tsl.yaml:1:1 bad-name no area of index.yaml has this name (did you mean tls.yaml? a file"
          + " is named after its area in small letters, such as rd-delim.yaml)",
      ]),
    Row(
      name: "no index", changes: ["index": String?.none],
      remarks: [
        "Requirements/index.yaml:1:1 missing-file the register has no such file (it names areas and sources)"
      ]),
    Row(
      name: "an index that is none", changes: ["index": "areas: { wr: Writing }\n"],
      remarks: [
        "Requirements/index.yaml:1:1 missing-key the index needs the key `sources` (write `{ ID: \"…\" }`)",
        "Requirements/index.yaml:1:10 bad-requirement `wr` is not the id of an area (one or two groups of"
          + " capitals, such as WR or RD-DELIM)",
      ]),
    Row(
      name: "text that is not YAML, and a file with nothing in it", changes: ["wr": "WR-01: [", "defects": "# none\n"],
      remarks: [
        "Requirements/defects.yaml:1:1 empty-file the file is empty ()",
        "Requirements/wr.yaml:1:9 syntax this is not YAML: did not find expected node content (while parsing a"
          + " flow node, begun in line 2, column 1) ()",
      ]),
  ]

  @Test(arguments: rows) func whatIsWrongIsToldWithItsPlace(row: Row) {
    #expect(Self.remarks(row.changes) == row.remarks)
  }
}
