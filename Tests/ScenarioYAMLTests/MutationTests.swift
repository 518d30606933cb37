import ScenarioModel
import ScenarioYAML
import Testing

/// Good files with random damage: the reader never traps, and either has a scenario or says why not.
@Suite struct MutationTests {
  private static let files = Samples.all.map { Array(Fixture.file($0.fragment).utf8) }

  @Test func damagedFilesAreReadOrRefused() {
    var random = ScenarioGenerator(seed: 20)
    for round in 0..<2_000 {
      let bytes = Self.damaged(Self.files[round % Self.files.count], &random)
      let result = ScenarioReader.read(bytes: bytes, id: "x") { _ in [1, 2, 3] }
      let hasError = result.diagnostics.contains { $0.severity == .error }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(result.scenarios.isEmpty == hasError, "\(text)")
      #expect(Self.areInside(result.diagnostics, text), "\(result.diagnostics) \(text)")
      #expect(result.diagnostics.map(\.position).isSorted)
      let printer = DiagnosticPrinter(path: "x", bytes: bytes)
      for diagnostic in result.diagnostics.prefix(3) { #expect(!printer.text(diagnostic).isEmpty) }
      if let scenario = result.scenario, round % 4 == 0 {
        let back = ScenarioReader.read(ScenarioWriter.yaml(scenario), id: scenario.id).scenario
        #expect(dump(back) == dump(scenario), "\(text)")
      }
    }
  }

  private static func damaged(_ file: [UInt8], _ random: inout ScenarioGenerator) -> [UInt8] {
    let scraps = [
      "[", "]", "{", "}", ":", ": ", "- ", "\n", "  ", "\"", "'", "#", "&a", "*a", "!", "~", "0",
      "99999999999999999999", "\t", "é", "|", ">", ",", "\u{0}", "x",
    ]
    var bytes = file
    for _ in 0...random.number(3) {
      let place = random.number(bytes.count)
      let end = min(bytes.count, place + 1 + random.number(random.number(4) == 0 ? 40 : 3))
      switch random.number(5) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: bytes[place..<end], at: random.number(bytes.count))
      case 2: bytes.replaceSubrange(place..<end, with: scraps[random.number(scraps.count)].utf8)
      case 3: bytes.insert(contentsOf: scraps[random.number(scraps.count)].utf8, at: place)
      default: if !bytes.isEmpty { bytes[min(place, bytes.count - 1)] = UInt8(random.number(256)) }
      }
    }
    return bytes
  }

  /// Naive: counts lines and characters by hand.
  private static func areInside(_ diagnostics: [Diagnostic], _ text: String) -> Bool {
    var lengths = [0]
    var last: Unicode.Scalar?
    let body = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    for scalar in body {
      let isBreak = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
      if isBreak, !(last == "\r" && scalar == "\n") {
        lengths.append(0)
      } else if !isBreak {
        lengths[lengths.count - 1] += 1
      }
      last = scalar
    }
    return diagnostics.allSatisfy { diagnostic in
      let position = diagnostic.position
      return position.line >= 1 && position.column >= 1 && position.line <= lengths.count
        && position.column <= lengths[position.line - 1] + 1
    }
  }
}

extension Collection where Element: Comparable {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
