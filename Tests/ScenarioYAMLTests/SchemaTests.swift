import Foundation
import ScenarioModel
import ScenarioYAML
import Testing

/// Scenarios/schema.json serves editors; it must know what the reader knows.
@Suite struct SchemaTests {
  private func schema() throws -> [String: Any] {
    let data = try Data(contentsOf: LanguagePageTests.folder.appending(path: "schema.json"))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// All keys and all words of `enum` anywhere below.
  private func words(_ value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(words($1)) } }
    guard let object = value as? [String: Any] else { return (value as? String).map { [$0] } ?? [] }
    return object.reduce(into: []) { result, entry in
      result.insert(entry.key)
      if entry.key != "description", entry.key != "examples" { result.formUnion(words(entry.value)) }
    }
  }

  @Test func isStrictAtTheTop() throws {
    let schema = try schema()
    #expect(schema["$schema"] as? String == "http://json-schema.org/draft-07/schema#")
    #expect(schema["additionalProperties"] as? Bool == false)
  }

  @Test func knowsEveryWord() throws {
    let known = words(try schema())
    var wanted = Set(ScenarioReader.words)
    wanted.formUnion(SubjectProperty.allCases.map(\.rawValue).filter { $0 != "buffer" })
    wanted.formUnion(RunLoopErrorCode.own.map(\.name) + [SubjectError.misuse] + SubjectKind.allCases.map(\.rawValue))
    wanted.formUnion(LibraryErrorCode.allCases.map(\.name) + ErrnoName.all + ErrnoName.allLookup)
    wanted.formUnion(QueueTopology.allCases.map(\.rawValue) + Segmentation.allCases.map(\.rawValue))
    wanted.formUnion(Profile.allCases.map(\.rawValue) + Grade.allCases.map(\.rawValue))
    #expect(wanted.subtracting(known) == [])
  }

  @Test func knowsNoOtherKeyAtTheTop() throws {
    let properties = try #require(try schema()["properties"] as? [String: Any])
    for key in properties.keys {
      let codes = Fixture.read("\(key): ~").diagnostics.map(\.code)
      #expect(!codes.contains("unknown-key"), "\(key)")
    }
    #expect(properties.keys.allSatisfy(ScenarioReader.words.contains))
  }

  @Test func everyMappingIsClosed() throws {
    func check(_ value: Any, _ path: String) {
      if let list = value as? [Any] { list.forEach { check($0, path) } }
      guard let object = value as? [String: Any] else { return }
      if object["type"] as? String == "object" { #expect(object["additionalProperties"] != nil, "\(path)") }
      for (key, value) in object { check(value, path + "/" + key) }
    }
    check(try schema(), "")
  }
}
