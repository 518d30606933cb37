import ScenarioModel

@testable import Requirements

/// What the tests of records about citations have in common.
enum CitationSamples {
  /// Three requirements, WR-01 to WR-03.
  static func register() throws -> RequirementRegister {
    let writing = (1...3).map { "WR-0\($0): { must: \"Sentence \($0).\", scope: any, sources: [S1] }\n" }.joined()
    let files = [("index", "areas: { WR: Writing }\nsources: { S1: Wiki. }\n"), ("wr", writing)]
    return try RegisterReader.register(
      of: files.map { RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8)) }, in: "R")
  }

  static func citation(_ requirement: String, _ witness: String) -> KillRecord.Citation {
    KillRecord.Citation(requirement: requirement, witness: witness)
  }
}
