import Testing

/// The arrows of ARCHITECTURE.md: what each target may import. SwiftPM does not notice an import that reaches a target
/// through another one's dependencies, so the sources are read.
@Suite struct ArrowTests {
  /// Modules that belong to the toolchain and the platform, by the rooms that may see them.
  private static let allowed: [String: Set<String>] = [
    // One function of the C library, and no other: the core does no I/O.
    "SocketCore": ["DequeModule", "Glibc.memchr"],
    // CSystem is swift-system's own module for the calls that Glibc's does not show: epoll.
    "SocketPOSIX": ["Glibc", "DequeModule", "HeapModule", "CSystem", "Synchronization"],
    "SocketTLS": ["SocketCore", "SocketPOSIX", "COpenSSL", "Glibc"],
    "CocoaAsyncSocket": [
      "SocketCore", "SocketTLS", "SocketPOSIX", "Dispatch", "Foundation", "Glibc", "Synchronization",
    ],
    "Security": ["CocoaAsyncSocket", "Dispatch", "Foundation"],
    "ScenarioModel": [],
    "ScenarioYAML": ["ScenarioModel", "Yams"],
    "TestCertificates": ["ScenarioModel", "COpenSSL", "Glibc", "Synchronization"],
    "ScriptedPeer": ["ScenarioModel", "TestCertificates", "SocketPOSIX", "COpenSSL", "Glibc"],
    "ScenarioRunner": ["ScenarioModel", "ScriptedPeer", "TestCertificates", "Synchronization"],
    "Reporting": ["ScenarioModel", "FuzzHarness", "FuzzCampaign", "Mustache", "Foundation", "Synchronization"],
    "FuzzHarness": ["Glibc"],
    "ReferenceModel": [],
    "BufferFuzzing": ["FuzzHarness", "SocketCore", "Glibc"],
    "CoreFuzzing": ["FuzzHarness", "ReferenceModel", "SocketCore"],
    "AddressFuzzing": ["FuzzHarness", "SocketCore", "SocketPOSIX", "Glibc"],
    "FuzzPrograms": [
      "FuzzHarness", "ReferenceModel", "CoreFuzzing", "ScenarioModel", "ScenarioYAML", "ScenarioRunner", "Simulation",
    ],
    "TextFuzzing": ["FuzzHarness", "ScenarioModel", "ScenarioYAML"],
    "PageFuzzing": ["FuzzHarness", "ScenarioModel", "Reporting"],
    "LabFuzzing": [
      "FuzzHarness", "ReferenceModel", "CoreFuzzing", "FuzzPrograms", "ScenarioModel", "ScenarioYAML", "ScenarioRunner",
      "Simulation",
    ],
    "SocketFuzzing": [
      "FuzzHarness", "SocketCore", "SocketTLS", "SocketPOSIX", "CocoaAsyncSocket", "TestCertificates", "COpenSSL",
      "Dispatch", "Foundation", "Glibc", "Synchronization",
    ],
    "ChainFuzzing": ["FuzzHarness", "SocketCore", "SocketTLS", "TestCertificates", "Synchronization"],
    "FuzzCampaign": ["FuzzHarness", "Foundation"],
    "PlantedBugs": [],
    "CoverageMarks": [],
    "SubjectSecurity": [
      "ScenarioModel", "TestCertificates", "SocketCore", "CocoaAsyncSocket", "Foundation", "Synchronization",
    ],
    "HostTools": ["ScenarioModel", "COpenSSL", "Dispatch", "Foundation", "Glibc", "Synchronization"],
    "ScenarioFiles": [
      "HostTools", "ScenarioModel", "ScenarioRunner", "ScenarioYAML", "Dispatch", "Foundation", "Glibc",
      "Synchronization",
    ],
    "CaseWorkers": ["ScenarioModel", "SocketPOSIX", "Glibc", "Synchronization"],
    "SubjectAdapters": [
      "ScenarioRunner", "ScenarioModel", "ScriptedPeer", "SubjectSecurity", "SocketPOSIX", "CocoaAsyncSocket",
      "Dispatch", "Foundation", "Glibc", "Synchronization",
    ],
    "Simulation": [
      "SocketCore", "SubjectSecurity", "ScenarioModel", "ScriptedPeer", "ScenarioRunner", "DequeModule", "HeapModule",
    ],
    "SuiteRunner": [
      "HostTools", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "CaseWorkers", "SubjectAdapters", "Simulation",
      "Reporting", "SocketPOSIX", "TestCertificates", "Dispatch", "Foundation", "Glibc", "Synchronization",
    ],
    "CoverageRunner": [
      "HostTools", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "CoverageMarks", "Foundation", "Synchronization",
    ],
    "CampaignRunner": [
      "HostTools", "ScenarioModel", "FuzzHarness", "FuzzCampaign", "FuzzPrograms", "ReferenceModel", "SubjectAdapters",
      "Reporting", "Foundation", "Glibc", "Synchronization",
    ],
    "MutationRunner": [
      "HostTools", "ScenarioModel", "FuzzHarness", "FuzzCampaign", "CampaignRunner", "PlantedBugs", "Reporting",
      "Foundation", "Synchronization",
    ],
    "TerminalText": [
      "HostTools", "ScenarioModel", "ScenarioRunner", "SuiteRunner", "CoverageRunner", "Reporting", "FuzzHarness",
      "FuzzCampaign", "CampaignRunner", "Foundation", "Glibc", "Synchronization",
    ],
    "BenchmarkProbes": [
      "SocketCore", "CocoaAsyncSocket", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "Simulation",
    ],
    "socketlab": [
      "HostTools", "ScenarioModel", "ScenarioFiles", "ScenarioYAML", "ScenarioRunner", "SuiteRunner", "TerminalText",
      "CaseWorkers", "SubjectAdapters", "Reporting", "TestCertificates", "FuzzHarness", "FuzzCampaign", "FuzzPrograms",
      "CampaignRunner", "MutationRunner", "PlantedBugs", "CoverageRunner", "ArgumentParser", "Dispatch",
      "Foundation", "Glibc", "Synchronization",
    ],
    "TestSupport": [
      "SocketCore", "SocketPOSIX", "CocoaAsyncSocket", "Dispatch", "Foundation", "Glibc", "Synchronization",
    ],
  ]

  @Test(arguments: Repository.sources)
  func importsOnlyWhatItsRoomMay(_ file: Repository.File) throws {
    let target = try #require(file.path.split(separator: "/").dropFirst().first.map(String.init))
    let allowed = try #require(Self.allowed[target], "\(target) is not in the table of rooms")
    for module in Self.imports(of: file) {
      #expect(allowed.contains(module), "\(file.path) must not import \(module)")
    }
  }

  /// A table that names rooms nobody lives in guards nothing.
  @Test func everyRoomOfTheTableHasSources() {
    for target in Self.allowed.keys {
      #expect(Repository.sources.contains { $0.path.hasPrefix("Sources/\(target)/") }, "\(target) has no sources")
    }
  }

  static func imports(of file: Repository.File) -> [String] {
    file.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), !line.hasPrefix("//"),
        words[..<index].allSatisfy({ $0.hasPrefix("@") || ["package", "public", "internal", "private"].contains($0) })
      else { return nil }
      // A function is named with its module: leave for one is no leave for the others.
      if words.count == index + 3, words[index + 1] == "func" { return String(words[index + 2]) }
      let kinds = ["struct", "class", "enum", "protocol", "var", "let", "typealias"]
      let name = words[(index + 1)...].first { !kinds.contains(String($0)) }
      return name.map { String($0.split(separator: ".")[0]) }
    }
  }

  @Test func readsImportsInAllTheirForms() {
    let file = Repository.File(
      path: "x",
      lines: [
        "import A", "@testable import B", "package import C", "import struct D.E", "// import F", "let import1 = 2",
        "import func F.g",
      ])
    #expect(Self.imports(of: file) == ["A", "B", "C", "D", "F.g"])
  }
}
