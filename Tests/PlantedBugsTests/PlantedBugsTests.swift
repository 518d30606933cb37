import Foundation
import FuzzHarness
import PlantedBugs
import Requirements
import Testing

@Suite("Planted bugs")
struct PlantedBugsTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// A source that has changed under a mutant would leave the zoo with a hole.
  @Test(arguments: SourcePatch.paths())
  func everyPlaceIsThere(_ path: String) throws {
    let source = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    let patched = try SourcePatch.apply(to: path, source: source)
    for (index, mutant) in PlantedBug.all.enumerated()
    where mutant.edits.contains(where: { $0.path == path && $0.replace.contains("ACTIVATED") }) {
      #expect(patched.contains("Mutants.activated == \(index + 1))"), "\(mutant.id)")
    }
    #expect(!patched.contains("ACTIVATED"))
  }

  @Test func theTableIsSound() {
    #expect(PlantedBug.all.count >= 24)
    #expect(Set(PlantedBug.all.map(\.id)).count == PlantedBug.all.count)
    for mutant in PlantedBug.all {
      #expect(mutant.edits.contains { $0.replace.contains("ACTIVATED") }, "\(mutant.id) can't be let out")
      for target in mutant.targets { #expect(FuzzTarget.named(target) != nil, "\(mutant.id): \(target)") }
    }
    #expect(PlantedBug.number(of: PlantedBug.all[0].id) == 1)
    #expect(PlantedBug.number(of: "no-such") == nil)
  }

  @Test func everyMutantBreaksARequirementOfTheRegister() throws {
    let register = try RequirementRegister(folder: Self.root.appendingPathComponent("Requirements").path)
    for mutant in PlantedBug.all {
      #expect(!mutant.violates.isEmpty, "\(mutant.id) breaks nothing")
      #expect(Set(mutant.violates).count == mutant.violates.count, "\(mutant.id)")
      for id in mutant.violates {
        #expect(register[id] != nil, "\(mutant.id): there is no requirement \(id)")
        let isBreakable = register[id]?.permits == nil || mutant.equivalence != nil
        #expect(isBreakable, "\(mutant.id): no subject can break \(id)")
      }
    }
  }

  /// The class on a run loop has a host of its own, and so needs mutants of its own.
  @Test func bothClassesHaveTheirMutants() throws {
    let register = try RequirementRegister(folder: Self.root.appendingPathComponent("Requirements").path)
    let runLoops = PlantedBug.all.filter { mutant in
      mutant.edits.contains { $0.path.contains("RunLoop") || $0.path.contains("/AsyncSocket") }
        || mutant.violates.contains { register[$0]?.scope == .runLoop }
    }
    #expect(runLoops.count >= 60)
  }

  @Test func aPlaceThatIsGoneOrTakenIsRefused() {
    let a = PlantedBug("a", "x", "x", violates: [], targets: [], .init("f", "one two", "ACTIVATED"))
    let b = PlantedBug("b", "x", "x", violates: [], targets: [], .init("f", "two three", "ACTIVATED"))
    #expect(throws: SourcePatch.Failure.self) { try SourcePatch.apply([a], to: "f", source: "nothing") }
    #expect(throws: SourcePatch.Failure.self) { try SourcePatch.apply([a], to: "f", source: "one two, one two") }
    #expect(throws: SourcePatch.Failure.self) { try SourcePatch.apply([a, b], to: "f", source: "one two three") }
    #expect((try? SourcePatch.apply([a], to: "f", source: "< one two >")) == "< (Mutants.activated == 1) >")
  }
}
