import Foundation
import Testing

/// What the documents count of the tree is so: a number before one of the nouns below is the tree's, exactly, or within
/// a tenth after "about". Other numbers of such things are left out, or stand in what a command makes.
@Suite struct QuotedNumberTests {
  private static let documents = [
    "README.md", "ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md", "SECURITY.md", "Scenarios/README.md",
    "Fuzz/README.md", "Benchmarks/README.md", "Examples/README.md", "reports/README.md",
  ]

  private static let words = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
  ]

  /// Things of which documents may tell the number. nil: nothing here counts them, so nobody tells it.
  private static func counts() throws -> [String: Int?] {
    let manifest = try #require(Repository.file("Package.swift")).lines
    let occurrences = { (text: String, files: [Repository.File]) in
      files.reduce(0) { $0 + $1.lines.filter { $0.drop { $0 == " " }.hasPrefix(text) }.count }
    }
    let scenarios = Repository.scenarios.filter { !$0.path.contains("/canary/") }
    let targets = manifest.filter { $0.hasPrefix("    fuzz(\"") }.count
    let examples = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path + "/Examples")
    return [
      "scenario files": scenarios.count, "tests": occurrences("@Test", Repository.tests), "targets": targets,
      "fuzz targets": targets, "modules": try House.ofTheRepository().table.rows.count,
      "examples": examples.count - 1, "scenarios": nil, "planted bugs": nil, "requirements": nil, "cases": nil,
      "suites": nil, "test cases": nil, "lines of Swift": nil, "coverage marks": nil, "templates": nil,
    ]
  }

  /// Numbers that are no counts of what there is: limits, samples, and what a sentence is about.
  private static let others: Set = [
    "reports/README.md: 200 cases"
  ]

  @Test func whatIsQuotedIsCounted() throws {
    let counts = try Self.counts()
    for path in Self.documents {
      let file = try #require(Repository.file(path), "\(path) is gone")
      for complaint in Self.complaints(about: file, counts: counts) { Issue.record("\(complaint)") }
    }
  }

  private static func complaints(about file: Repository.File, counts: [String: Int?]) -> [String] {
    let number = "[0-9][0-9,]*|\(words.dropFirst().joined(separator: "|"))"
    let nouns = counts.keys.sorted().joined(separator: "|")
    guard let pattern = try? Regex("(about )?\\b(\(number)) (\(nouns))\\b", as: Quote.self).ignoresCase() else {
      return ["the nouns are no pattern"]
    }
    return file.lines.enumerated().flatMap { index, line in
      line.matches(of: pattern).compactMap { match in
        complaint(about: match.output, count: counts[match.output.3.lowercased()] ?? nil, in: file)
          .map { "\(file.path):\(index + 1): \($0)" }
      }
    }
  }

  /// The whole, perhaps "about ", the number, and the noun.
  private typealias Quote = (Substring, Substring?, Substring, Substring)

  private static func complaint(about quote: Quote, count: Int?, in file: Repository.File) -> String? {
    guard !others.contains("\(file.path): \(quote.0)") else { return nil }
    guard let count else { return "\"\(quote.0)\": nothing counts them; leave the number out" }
    let number = String(quote.2)
    let isRound = quote.1 != nil
    if let value = value(of: number), abs(value - count) <= (isRound ? count / 10 : 0) { return nil }
    let wanted = isRound ? rounded(count) : count
    return "\"\(quote.0)\": write \(quote.1 ?? "")\(text(wanted, like: number))"
  }

  private static func value(of number: String) -> Int? {
    words.firstIndex(of: number.lowercased()).map { $0 + 1 } ?? Int(number.filter { $0 != "," })
  }

  /// To two digits.
  private static func rounded(_ count: Int) -> Int {
    var step = 1
    while count / step >= 100 { step *= 10 }
    return (count + step / 2) / step * step
  }

  private static func text(_ count: Int, like number: String) -> String {
    if words.contains(number.lowercased()), count <= words.count { return words[count - 1] }
    let digits = String(count)
    return count < 1000 ? digits : "\(digits.dropLast(3)),\(digits.suffix(3))"
  }

  @Test func seesNumbersThatAreWrong() {
    let file = Repository.File(
      path: "x.md",
      lines: [
        "Fourteen targets, 12 fuzz targets and thirteen targets; one target.", "about 780 scenarios, 877 scenarios",
        "about 900 scenarios, 1,877 scenarios", "9 modest modules, 30 modules, 31 modules", "22 cases",
      ])
    let counts = ["targets": 13, "fuzz targets": 13, "scenarios": 877, "modules": 31, "cases": nil] as [String: Int?]
    #expect(
      Self.complaints(about: file, counts: counts) == [
        "x.md:1: \"Fourteen targets\": write thirteen", "x.md:1: \"12 fuzz targets\": write 13",
        "x.md:2: \"about 780 scenarios\": write about 880", "x.md:3: \"1,877 scenarios\": write 877",
        "x.md:4: \"30 modules\": write 31", "x.md:5: \"22 cases\": nothing counts them; leave the number out",
      ])
    #expect([3, 99, 877, 1396, 6686].map(Self.rounded) == [3, 99, 880, 1400, 6700])
  }
}
