import Foundation
import PlantedBugs
import Requirements
import ScenarioFiles
import ScenarioModel
import Testing

@testable import MutationRunner

/// What derived mutants show of citations, and whether the committed record says what is.
@Suite struct CitationRunTests {
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static let files = [
    "Requirements/index.yaml": "areas: { RD: Reading }\nsources: { S1: Wiki. }\n",
    "Requirements/rd.yaml": """
    RD-01: { must: Reads complete., scope: any, sources: [S1], mutations: [lose didRead, corrupt didRead] }
    RD-02: { must: Sockets connect., scope: any, sources: [S1], mutations: [misread connectedHost, delay didConnect] }
    RD-03: { must: Writes complete., scope: any, sources: [S1], mutations: [lose didWrite] }
    RD-04: { must: Resets are told., scope: any, sources: [S1],
      mutations: [exchange didDisconnect of ECONNRESET reset, exchange didDisconnect of EPIPE reset] }
    RD-05: { must: Ends are seen., scope: any, sources: [S1], mutations: [lose fin of graceful, lose fin of again] }
    """,
    "Scenarios/read/whole.yaml": """
    title: All is looked at
    requirements: [RD-01, RD-02, RD-03]
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }, after: didConnect, check: { connectedHost: "127.0.0.1" }]
    expect: [didConnect: { host: "127.0.0.1" }, didRead: { tag: 1, bytes: "abc" }]
    ending: open

    """,
    "Scenarios/read/reset.yaml": """
    title: A reset has its own error
    requirements: [RD-04]
    peer: [accept, after: didConnect, reset]
    subject: [connect]
    expect: [didConnect, didDisconnect: { error: ECONNRESET }]

    """,
    "Scenarios/read/left.yaml": """
    title: The peer sees the end
    requirements: [RD-05]
    peer: [accept, expectEnd: fin]
    subject: [connect, after: didConnect, disconnectAfterWriting]
    expect: [didConnect, didDisconnect: { error: none }]
    ending: subject fin

    """,
    "Scenarios/read/red.yaml": """
    title: It is red whatever happens
    requirements: [RD-01]
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }]
    expect: [didConnect, didRead: { tag: 1, bytes: "abd" }]
    ending: open

    """,
    "Scenarios/read/canary.yaml": """
    title: It must be red, and is not
    requirements: [RD-01]
    canary: true
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }]
    expect: [didConnect, didRead: { tag: 1, bytes: "abc" }]
    ending: open

    """,
    "Scenarios/read/blind.yaml": """
    title: Nothing is looked at but that there is a read
    requirements: [RD-02]
    peer: [accept, send: "abc"]
    subject: [connect, read: { length: 3B, tag: 1 }, after: didConnect, check: { connectedPort: present }]
    expect: [didConnect, didRead: { tag: 1 }]
    ending: open

    """,
  ]

  @Test func aCitationIsWorthWhatItsScenarioObjectsTo() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in Self.files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let register = try RequirementRegister(folder: folder.appendingPathComponent("Requirements").path)
    let library = try ScenarioLibrary(folder: folder.appendingPathComponent("Scenarios").path)
    #expect(library.entries.allSatisfy { !$0.hasErrors })
    let outcome = CitationRun(register, library, jobs: 2).run { _, _ in }
    func kills(_ requirement: String, _ witness: String) -> [String] {
      (outcome.kills[.init(requirement: requirement, witness: witness)] ?? []).sorted()
    }
    #expect(kills("RD-01", "read/whole") == ["corrupt didRead", "lose didRead"])
    #expect(kills("RD-02", "read/whole").contains("misread connectedHost"))
    #expect(!kills("RD-02", "read/blind").contains("misread connectedHost"))
    #expect(kills("RD-04", "read/reset") == ["exchange didDisconnect of ECONNRESET reset"])
    #expect(kills("RD-05", "read/left") == ["lose fin of graceful"])
    #expect(kills("RD-01", "read/red") == [] && kills("RD-01", "read/canary") == [], "what they show proves nothing")
    // It was never tried: nothing is written.
    let untried = KillRecord.Citation(requirement: "RD-03", witness: "read/whole")
    #expect(!outcome.tried.contains(untried) && outcome.kills[untried] == nil)

    var record = KillRecord()
    record.replace({ _, _ in true }, with: outcome.kills)
    #expect(CitationRun.replay(record, register, library, jobs: 2).lost == [])
    let wrong = KillRecord.Citation(requirement: "RD-02", witness: "read/blind")
    record.replace({ $1 == "delay didConnect" }, with: [wrong: ["misread connectedHost"], untried: ["lose didWrite"]])
    #expect(CitationRun.replay(record, register, library, jobs: 2).lost == [wrong, untried])
  }

  // MARK: - The committed record

  @Test func theRecordNamesWhatThereIs() throws {
    let register = try RequirementRegister(folder: "\(Self.root)/Requirements")
    let library = try ScenarioLibrary(folder: "\(Self.root)/Scenarios", citations: register.citations)
    let text = try String(contentsOfFile: "\(Self.root)/Requirements/\(KillRecord.name)", encoding: .utf8)
    let record = try KillRecord(text: text, in: register)
    #expect(record.text == text)
    var cited = Dictionary(
      library.scenarios.map { ($0.id, Set($0.requirements)) }, uniquingKeysWith: { first, _ in first })
    for path in Set(record.citations.filter(\.isOfTests).map(\.witness)) {
      let text = try String(contentsOfFile: "\(Self.root)/\(path)", encoding: .utf8)
      cited[path] = Set(TestScan.declarations(in: text, path: path).map(\.id))
    }
    let planted = Dictionary(PlantedBug.all.map { ($0.id, $0.violates) }, uniquingKeysWith: { first, _ in first })
    for citation in record.citations {
      let what = "\(citation.requirement) \(citation.witness)"
      #expect(cited[citation.witness]?.contains(citation.requirement) == true, "\(what): no such citation")
      for name in record[citation] {
        if KillRecord.isDerived(name) {
          #expect(
            register[citation.requirement]?.mutations.contains { $0.text == name } == true,
            "\(what): the register has no such mutation: \(name)")
        } else {
          #expect(planted[name]?.contains(citation.requirement) == true, "\(what): \(name) does not break it")
        }
      }
    }
  }
}
