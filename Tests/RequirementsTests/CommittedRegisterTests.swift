import Foundation
import ScenarioFiles
import ScenarioModel
import ScenarioYAML
import TestSupport
import Testing

@testable import Requirements

/// The register of this repository.
@Suite struct CommittedRegisterTests {
  static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static func register() throws -> RequirementRegister {
    do {
      return try RequirementRegister(folder: "\(root)/\(RequirementRegister.folder)")
    } catch let failure as RegisterFailure {
      for file in failure.files {
        Issue.record("\(DiagnosticPrinter(path: file.path, bytes: file.bytes).text(file.diagnostics))")
      }
      throw failure
    }
  }

  /// The contract's numbers: 223 of both classes, 167 of GCDAsyncSocket, 60 of AsyncSocket (TLS-08, which it marks as
  /// GCDAsyncSocket's, says the same of AsyncSocket); two more of GCDAsyncSocket, CFG-19 and TLS-45, which the sources
  /// ask for beyond it; and TLS-46 to TLS-50 of both, what TLS itself asks of a peer.
  @Test func hasTheWholeContract() throws {
    let register = try Self.register()
    let scopes = Dictionary(grouping: register.requirements, by: \.scope).mapValues(\.count)
    #expect(scopes == [.any: 228, .gcd: 169, .runLoop: 60])
    #expect(register.decisions.count == 36 && register.defects.count == 29 && register.areas.count == 21)
    #expect(register["RD-DELIM-04"]?.sources == ["U"])
    #expect(register["TLS-45"]?.sentence.contains("peer's certificate") == true)
  }

  @Test func idsCountWithoutGaps() throws {
    let register = try Self.register()
    for area in register.areas {
      let numbers = register.requirements.filter { $0.area == area.id }.compactMap { Int($0.id.suffix(2)) }
      #expect(numbers == Array(1...max(1, numbers.count)), "\(area.id)")
    }
  }

  /// A sentence must be understood by who sees it alone, in a report: it refers to nothing but requirements.
  @Test func sentencesStandAlone() throws {
    let register = try Self.register()
    var texts = register.requirements.map { ($0.id, $0.sentence) }
    texts += register.requirements.compactMap { entry in entry.upstream.map { (entry.id, $0) } }
    // These stand behind `upstream`, wherever they are shown.
    let reasons = register.requirements.compactMap { entry in entry.upstreamUnseen.map { (entry.id, $0) } }
    #expect(reasons.allSatisfy { $1.hasSuffix(".") && !$1.contains(/\bUB-\d|\bD-\d/) })
    texts += register.decisions.flatMap { [($0.id, $0.disputed), ($0.id, $0.decided)] }
    texts += register.defects.flatMap { [($0.id, $0.defect), ($0.id, $0.consequence)] }
    for (id, text) in texts {
      #expect(text.first?.isWhitespace == false && text.hasSuffix("."), "\(id): \(text)")
      #expect(!text.contains(/\bUB-\d|\bD-\d|§|→|▸|‹/), "\(id): \(text)")
      #expect(
        !text.contains(/^(It|They|Same|Also|Any of them|This)\b/) || id.hasPrefix("UB") || id.hasPrefix("D"), "\(id)")
    }
    for entry in register.requirements {
      guard let permits = entry.permits else { continue }
      #expect(permits.first?.isUppercase == true && permits.hasSuffix("."), "\(entry.id): \(permits)")
    }
    let sentences = register.requirements.map(\.sentence)
    #expect(Set(sentences).count == sentences.count)
  }

  /// What the original does otherwise is shown by a scenario under its profile, or there is a reason why not.
  @Test func whatTheOriginalDoesIsShownOrHasItsReason() throws {
    let register = try Self.register()
    let library = try ScenarioLibrary(folder: "\(Self.root)/Scenarios", citations: register.citations)
    let sight = UpstreamCoverage(register, scenarios: library.scenarios)
    #expect(sight.unexplained == [])
    // The decisions in which the original is not followed, or does more than was decided.
    let seen = Set(register.requirements.filter { $0.upstream != nil }.flatMap(\.see))
    for id in ["D-03", "D-04", "D-25", "D-28", "D-29", "D-30", "D-31", "D-32", "D-33"] {
      #expect(seen.contains(id), "no requirement says what the original does where \(id) decides otherwise")
    }
  }

  @Test func aFolderThatIsNotThereIsToldWithWhatToDo() throws {
    let scratch = try Scratch()
    #expect(throws: LabFailure.self) { try RequirementRegister(folder: scratch.path("none")) }
    try Data("areas: {}".utf8).write(to: scratch.folder.appendingPathComponent("index.yaml"))
    let failure = #expect(throws: RegisterFailure.self) { try RequirementRegister(folder: scratch.folder.path) }
    #expect(failure?.files.map(\.path) == [scratch.path("index.yaml")])
  }
}
