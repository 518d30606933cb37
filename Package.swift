// swift-tools-version: 6.2
import PackageDescription

/// Set by CI, which builds the lab and its tests in release, and each module once for both: tests that look inside of a
/// module want it compiled for that.
let isTestable = Context.environment["SOCKETLAB_TESTABLE"] != nil
let testable: [SwiftSetting] = isTestable ? [.unsafeFlags(["-enable-testing"])] : []

// Every target builds in Swift 6 mode with warnings as errors. ARCHITECTURE.md has the modules, what each may import,
// and a drawing of the arrows; TidyTests hold this file to it.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)] + testable

func library(_ name: String, _ dependencies: [Target.Dependency] = [], below folder: String = "Sources") -> Target {
  .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: strict)
}

/// Set by `fuzz build`, whose compiler is told of sanitizers: without them the flag below is refused. With names of
/// products in it, these are all that the package has.
let fuzzBuild = Context.environment["SOCKETLAB_FUZZ_BUILD"]
let isFuzzBuild = fuzzBuild != nil

/// A module that judges others: in a fuzz build one counter a function is enough of it. libFuzzer pays for each edge of
/// a binary that an input passes, and the edges that are to guide the search are those of the code under test.
func judge(_ name: String, _ dependencies: [Target.Dependency] = [], below folder: String = "Sources") -> Target {
  let flags = ["-Xfrontend", "-sanitize-coverage=func,inline-8bit-counters,pc-table"]
  return .target(
    name: name, dependencies: dependencies, path: "\(folder)/\(name)",
    swiftSettings: strict + (isFuzzBuild ? [.unsafeFlags(flags)] : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// A fuzz target: a program that replays inputs, or searches for new ones when built with libFuzzer.
func fuzz(_ name: String, over bodies: Target.Dependency) -> Target {
  .executableTarget(
    name: "fuzz_\(name)", dependencies: ["FuzzHarness", bodies], path: "Fuzz/\(name)", swiftSettings: strict)
}

/// The folder of the modules with bodies of fuzz targets.
let fuzzBodies = "Sources/FuzzBodies"

let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "SocketLab",
  products: [
    .library(name: "CocoaAsyncSocket", targets: ["CocoaAsyncSocket"]),
    .library(name: "Security", targets: ["Security"]),
    .executable(name: "socketlab", targets: ["socketlab"]),
    // For the package in Benchmarks/ only.
    .library(name: "BenchmarkProbes", targets: ["BenchmarkProbes"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Below both towers.
    library("SocketValues"),
    library("SocketPOSIX", ["SocketValues", deque, heap, system]),
    library("NetworkNamespaces", ["SocketPOSIX"]),

    // Subject tower: what is judged.
    library("SocketCore", ["SocketValues", deque]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    library("SocketTLS", ["SocketValues", "SocketCore", "SocketPOSIX", "COpenSSL"]),
    library("SocketRunLoop", ["SocketValues", "SocketPOSIX", deque]),
    library("CocoaAsyncSocket", ["SocketValues", "SocketCore", "SocketTLS", "SocketPOSIX", "SocketRunLoop", deque]),
    library("Security", ["CocoaAsyncSocket"]),

    // Lab tower: what judges.
    library("ScenarioModel"),
    library("PacketRelay", ["ScenarioModel"]),
    library("ScenarioYAML", ["ScenarioModel", yams]),
    judge("TestCertificates", ["ScenarioModel", "COpenSSL"]),
    library("ScriptedPeer", ["ScenarioModel", "TestCertificates", "SocketValues", "SocketPOSIX", "COpenSSL"]),
    library("ScenarioRunner", ["ScenarioModel", "ScriptedPeer", "TestCertificates"]),
    library("HostTools", ["ScenarioModel", "COpenSSL"]),
    library("SubjectProtocol", ["ReportMarkup", "ScenarioModel"]),
    library(
      "SubjectPrograms",
      ["HostTools", "ReportMarkup", "ScenarioModel", "SubjectProtocol", "TestCertificates", "COpenSSL"]),
    library("ScenarioFiles", ["HostTools", "ScenarioModel", "ScenarioRunner", "ScenarioYAML"]),
    library("Requirements", ["HostTools", "ReportMarkup", "ScenarioModel", "ScenarioYAML"]),
    library("KnownDeviations", ["HostTools", "RunReports", "ScenarioModel", "ScenarioYAML"]),
    library("CaseWorkers", ["ScenarioModel", "SocketPOSIX"]),
    library("ReportMarkup"),
    library("RunReports", ["PacketRelay", "ReportMarkup", "ScenarioModel"]),
    library("RunComparison", ["ReportMarkup", "RunReports", "ScenarioModel"]),
    library("RunHistory", ["ReportMarkup", "RunComparison", "RunReports", "ScenarioModel"]),
    library("CaseReduction", ["RunReports", "ScenarioModel", "ScenarioYAML"]),
    library("Conversations", ["ScenarioModel", "ScenarioYAML"]),
    library("ScenarioDrafts", ["Conversations", "HostTools", "ScenarioModel", "ScenarioYAML"]),
    library("TLSDecryption", ["Conversations", "ScenarioModel", "COpenSSL"]),
    library("CaptureImport", ["Conversations", "ScenarioModel", "TLSDecryption"]),
    library("SoloPeer", ["ScenarioModel", "ScriptedPeer", "SocketPOSIX", "SocketValues"]),
    library(
      "ConversationRecorder",
      [
        "Conversations", "ScenarioModel", "ScriptedPeer", "TestCertificates", "COpenSSL", "SocketPOSIX",
        "SocketValues",
      ]),

    library(
      "SuiteRunner",
      [
        "HostTools", "KnownDeviations", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "CaseWorkers",
        "SubjectAdapters", "Simulation", "RunReports", "RunComparison", "RunHistory", "SocketPOSIX",
        "TestCertificates", "CaseReduction", "ScenarioYAML", "SubjectPrograms", "SubjectProtocol",
      ]),

    library(
      "CoverageRunner",
      [
        "HostTools", "Requirements", "RunReports", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "SuiteRunner",
        "CoverageMarks",
      ]),
    library(
      "TerminalText",
      [
        "HostTools", "ReportMarkup", "Requirements", "ScenarioModel", "ScenarioRunner", "SuiteRunner", "CoverageRunner",
        "RunReports", "RunComparison", "RunHistory", "CaseReduction", "FuzzHarness", "FuzzCampaign", "CampaignRunner",
        "ExplorationRunner",
      ]),

    // The only modules that see both towers.
    judge("SubjectSecurity", ["ScenarioModel", "TestCertificates", "SocketCore", "CocoaAsyncSocket"]),
    library(
      "SubjectAdapters",
      [
        "ScenarioRunner", "ScenarioModel", "ScriptedPeer", "SubjectSecurity", "SocketValues", "SocketPOSIX",
        "CocoaAsyncSocket", "NetworkNamespaces", "PacketRelay", "SubjectPrograms", "SubjectProtocol",
        "TestCertificates",
      ]),
    library(
      "Simulation",
      [
        "SocketValues", "SocketCore", "SubjectSecurity", "ScenarioModel", "ScriptedPeer", "ScenarioRunner", deque, heap,
      ]),
    library(
      "BenchmarkProbes",
      ["SocketCore", "CocoaAsyncSocket", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "Simulation"]),

    // The fuzz laboratory.
    judge("FuzzHarness"),
    judge("ReferenceModel"),
    judge("BufferFuzzing", ["FuzzHarness", "SocketCore"], below: fuzzBodies),
    judge("CoreFuzzing", ["FuzzHarness", "ReferenceModel", "SocketValues", "SocketCore"], below: fuzzBodies),
    // Apart, so that the core's targets don't carry the counters of everything that system calls need. It has all its
    // edges: they lead the search to odd addresses, and cost little.
    library("AddressFuzzing", ["FuzzHarness", "SocketValues", "SocketCore", "SocketPOSIX"], below: fuzzBodies),
    judge(
      "FuzzPrograms",
      ["FuzzHarness", "ReferenceModel", "CoreFuzzing", "ScenarioModel", "ScenarioYAML", "ScenarioRunner", "Simulation"]),
    // A module each, so that the parsers' targets don't carry the counters of the simulated world.
    judge("TextFuzzing", ["FuzzHarness", "ScenarioModel", "ScenarioYAML"], below: fuzzBodies),
    judge(
      "CaptureFuzzing", ["FuzzHarness", "CaptureImport", "Conversations", "ScenarioModel", "ScenarioYAML"],
      below: fuzzBodies),
    judge("PageFuzzing", ["FuzzHarness", "ScenarioModel", "RunReports"], below: fuzzBodies),
    judge(
      "SimulationFuzzing",
      [
        "FuzzHarness", "ReferenceModel", "FuzzPrograms", "ScenarioModel", "ScenarioRunner", "Simulation",
      ], below: fuzzBodies),
    judge(
      "SocketFuzzing",
      [
        "FuzzHarness", "SocketValues", "SocketCore", "SocketTLS", "SocketPOSIX", "CocoaAsyncSocket", "TestCertificates",
      ], below: fuzzBodies),
    // Apart, so that it carries the counters of SocketTLS alone, and none of sockets.
    judge(
      "ChainFuzzing", ["FuzzHarness", "SocketCore", "SocketTLS", "TestCertificates", "COpenSSL"], below: fuzzBodies),
    judge("RelayFuzzing", ["FuzzHarness", "PacketRelay", "ScenarioModel"], below: fuzzBodies),
    judge(
      "SubjectFuzzing", ["FuzzHarness", "ReportMarkup", "ScenarioModel", "SubjectProtocol"], below: fuzzBodies),
    judge(
      "RecordFuzzing",
      [
        "FuzzHarness", "CaseWorkers", "FuzzCampaign", "KnownDeviations", "ReportMarkup", "Requirements",
        "RunComparison", "RunHistory", "RunReports", "ScenarioModel", "ScenarioRunner",
      ], below: fuzzBodies),
    library("FuzzCampaign", ["FuzzHarness"]),
    library("CampaignReports", ["ReportMarkup", "RunHistory", "ScenarioModel", "FuzzHarness", "FuzzCampaign"]),
    library(
      "CampaignRunner",
      [
        "HostTools", "ReportMarkup", "ScenarioModel", "FuzzHarness", "FuzzCampaign", "FuzzPrograms", "ReferenceModel",
        "SubjectAdapters", "CampaignReports",
      ]),
    library(
      "MutationRunner",
      [
        "HostTools", "ScenarioModel", "ScenarioRunner", "ScenarioFiles", "Requirements",
        "Simulation", "FuzzHarness",
        "FuzzCampaign", "CampaignRunner", "PlantedBugs", "RunReports",
      ]),
    library(
      "Exploration",
      [
        "CaseReduction", "FuzzCampaign", "FuzzPrograms", "ReferenceModel", "ScenarioModel", "ScenarioYAML",
      ]),
    library(
      "ExplorationRunner",
      [
        "CampaignRunner", "CaseReduction", "Exploration", "FuzzCampaign", "FuzzHarness", "FuzzPrograms", "HostTools",
        "KnownDeviations", "RunReports", "ScenarioModel", "ScenarioRunner", "SubjectAdapters", "SuiteRunner",
      ]),
    library("PlantedBugs"),
    library("CoverageMarks"),

    .executableTarget(
      name: "socketlab",
      dependencies: [
        "HostTools", "Requirements", "ScenarioModel", "ScenarioFiles", "ScenarioYAML", "ScenarioRunner", "SuiteRunner",
        "TerminalText", "CaseWorkers", "KnownDeviations", "SubjectAdapters", "RunReports", "RunComparison",
        "RunHistory", "CaseReduction", "CampaignReports", "TestCertificates", "SubjectPrograms", "SubjectProtocol",
        "Conversations", "CaptureImport", "ConversationRecorder", "SoloPeer", "SocketPOSIX",
        "ScenarioDrafts", "TLSDecryption",
        "FuzzHarness", "FuzzCampaign", "FuzzPrograms", "CampaignRunner", "MutationRunner", "PlantedBugs",
        "CoverageRunner", "Exploration", "ExplorationRunner",
        argumentParser,
      ],
      swiftSettings: strict
    ),

    fuzz("scanner", over: "BufferFuzzing"),
    fuzz("prebuffer", over: "BufferFuzzing"),
    fuzz("readqueue", over: "CoreFuzzing"),
    fuzz("writequeue", over: "CoreFuzzing"),
    fuzz("duplex", over: "CoreFuzzing"),
    fuzz("connection", over: "CoreFuzzing"),
    fuzz("address", over: "AddressFuzzing"),
    fuzz("scenario", over: "TextFuzzing"),
    fuzz("runner", over: "SimulationFuzzing"),
    fuzz("report", over: "PageFuzzing"),
    fuzz("capture", over: "CaptureFuzzing"),
    fuzz("tls", over: "SocketFuzzing"),
    fuzz("chain", over: "ChainFuzzing"),
    fuzz("credentials", over: "ChainFuzzing"),
    fuzz("relay", over: "RelayFuzzing"),
    fuzz("subject", over: "SubjectFuzzing"),
    fuzz("records", over: "RecordFuzzing"),
    fuzz("lifecycle", over: "SocketFuzzing"),
    // Wrong on purpose: a campaign must find it.
    .executableTarget(
      name: "fuzz_canary", dependencies: ["FuzzHarness"], path: "Fuzz/canary", swiftSettings: strict),

    // The library as a subject beside others: it speaks their protocol.
    .executableTarget(
      name: "CocoaSubject", dependencies: ["CocoaAsyncSocket"], path: "Subjects/cocoa",
      exclude: ["README.md", "prepare", "run"], swiftSettings: strict),

    // Examples: what a user of the library writes.
    .executableTarget(
      name: "EchoServer", dependencies: ["CocoaAsyncSocket"], path: "Examples/EchoServer", swiftSettings: strict),
    .executableTarget(
      name: "HTTPClient", dependencies: ["CocoaAsyncSocket"], path: "Examples/HTTPClient", swiftSettings: strict),
    .executableTarget(
      name: "HTTPServer", dependencies: ["CocoaAsyncSocket"], path: "Examples/HTTPServer", swiftSettings: strict),
    .executableTarget(
      name: "MQTTClient", dependencies: ["CocoaAsyncSocket"], path: "Examples/MQTTClient", swiftSettings: strict),
    .executableTarget(
      name: "RunLoopEchoServer", dependencies: ["CocoaAsyncSocket"], path: "Examples/RunLoopEchoServer",
      swiftSettings: strict),
    .executableTarget(
      name: "WorkerThreadServer", dependencies: ["CocoaAsyncSocket"], path: "Examples/WorkerThreadServer",
      swiftSettings: strict),

    // Tests.
    library("TestSupport", ["SocketValues", "SocketCore", "CocoaAsyncSocket", "SocketPOSIX", "ScenarioModel"]),
    tests("SocketValuesTests", ["SocketValues", "TestSupport"]),
    tests("SocketCoreTests", ["SocketValues", "SocketCore", "TestSupport"]),
    tests(
      "SocketTLSTests", ["SocketValues", "SocketTLS", "SocketCore", "TestCertificates", "ScenarioModel", "COpenSSL"]),
    tests("TestCertificatesTests", ["TestCertificates", "ScenarioModel", "COpenSSL"]),
    tests("SocketPOSIXTests", ["SocketValues", "SocketPOSIX", "TestSupport"]),
    tests("RunLoopSocketTests", ["CocoaAsyncSocket", "SocketRunLoop", "SocketValues", "TestSupport"]),
    tests(
      "CocoaAsyncSocketTests",
      ["SocketValues", "CocoaAsyncSocket", "SocketPOSIX", "TestSupport", "TestCertificates", "ScenarioModel"]),
    tests("ScenarioModelTests", ["ScenarioModel"]),
    tests("PacketRelayTests", ["PacketRelay", "ScenarioModel", "TestSupport"]),
    tests("NetworkNamespacesTests", ["NetworkNamespaces", "SocketPOSIX"]),
    tests("ScenarioYAMLTests", ["ScenarioYAML", "ScenarioModel"]),
    tests(
      "ScriptedPeerTests",
      ["ScriptedPeer", "ScenarioModel", "TestCertificates", "SocketValues", "SocketPOSIX", "COpenSSL"]),
    tests("CaseWorkersTests", ["CaseWorkers", "ScenarioModel", "SocketPOSIX", "TestSupport"]),
    tests("ScenarioRunnerTests", ["ScenarioRunner", "ScenarioModel"]),
    tests("SubjectProtocolTests", ["SubjectProtocol", "ReportMarkup", "ScenarioModel"]),
    tests(
      "SubjectProgramsTests",
      [
        "SubjectPrograms", "SubjectProtocol", "SubjectAdapters", "HostTools", "ScenarioModel", "ScenarioRunner",
        "TestSupport",
      ]),
    tests("SimulationTests", ["Simulation", "SocketCore", "ScenarioModel", "ScenarioRunner", "ScenarioYAML"]),
    .target(name: "ReportTestSupport", path: "Tests/ReportTestSupport", swiftSettings: strict),
    tests("ReportMarkupTests", ["ReportMarkup", "ReportTestSupport"]),
    tests(
      "RunReportsTests",
      ["RunReports", "ReportMarkup", "ReportTestSupport", "ScenarioModel", "TestCertificates", "COpenSSL"],
      resources: [.copy("Golden")]),
    tests(
      "RunComparisonTests", ["RunComparison", "RunReports", "ReportMarkup", "ReportTestSupport", "ScenarioModel"]),
    tests(
      "RunHistoryTests", ["RunHistory", "RunComparison", "RunReports", "ReportTestSupport", "ScenarioModel"]),
    tests(
      "CaseReductionTests",
      [
        "CaseReduction", "HostTools", "RunReports", "ScenarioFiles", "ScenarioModel", "ScenarioRunner", "ScenarioYAML",
        "Simulation",
      ]),
    tests("ConversationsTests", ["Conversations", "ScenarioModel", "ScenarioYAML"]),
    tests(
      "ScenarioDraftsTests", ["ScenarioDrafts", "Conversations", "HostTools", "ScenarioModel", "ScenarioYAML"]),
    tests("SoloPeerTests", ["SoloPeer", "ScenarioModel", "ScenarioYAML", "SocketPOSIX", "SocketValues"]),
    tests(
      "ConversationRecorderTests",
      [
        "ConversationRecorder", "Conversations", "ScenarioModel", "TLSDecryption", "TestCertificates", "COpenSSL",
        "SocketPOSIX", "SocketValues",
      ]),
    tests(
      "CaptureImportTests",
      [
        "CaptureImport", "Conversations", "RunReports", "ScenarioFiles", "ScenarioModel", "ScenarioRunner",
        "ScenarioYAML", "Simulation", "SubjectAdapters", "TLSDecryption",
      ]),
    tests("TLSDecryptionTests", ["TLSDecryption", "Conversations", "ScenarioModel", "TestCertificates", "COpenSSL"]),
    tests("HostToolsTests", ["HostTools", "ScenarioModel", "TestSupport"]),
    tests("KnownDeviationsTests", ["KnownDeviations", "HostTools", "ScenarioModel", "RunReports", "TestSupport"]),
    tests(
      "RequirementsTests", ["Requirements", "ScenarioFiles", "ScenarioModel", "ScenarioYAML", "TestSupport"]),
    tests(
      "ScenarioFilesTests", ["ScenarioFiles", "HostTools", "ScenarioModel", "ScenarioRunner", "TestSupport"]),
    tests(
      "CampaignReportsTests",
      ["CampaignReports", "ReportMarkup", "ReportTestSupport", "FuzzCampaign", "FuzzHarness"],
      resources: [.copy("Golden")]),
    tests(
      "SuiteRunnerTests",
      [
        "SuiteRunner", "TerminalText", "HostTools", "KnownDeviations", "ScenarioFiles", "ScenarioModel",
        "ScenarioRunner", "CaseWorkers", "ReportTestSupport", "RunHistory", "RunReports", "SubjectPrograms",
        "SubjectProtocol", "TestSupport",
      ]),
    tests(
      "CampaignRunnerTests",
      ["CampaignRunner", "HostTools", "ScenarioModel", "FuzzHarness", "FuzzCampaign", "TestSupport"]),
    tests(
      "MutationRunnerTests",
      [
        "MutationRunner", "TerminalText", "HostTools", "ScenarioModel", "ScenarioFiles", "Requirements", "PlantedBugs",
        "FuzzHarness", "FuzzCampaign", "RunReports",
      ]),
    tests(
      "TerminalTextTests",
      [
        "TerminalText", "SuiteRunner", "RunHistory", "RunComparison", "RunReports", "HostTools", "Requirements",
        "ScenarioModel", "ScenarioRunner",
      ]),
    tests(
      "CoverageRunnerTests",
      [
        "CoverageRunner", "TerminalText", "HostTools", "ScenarioModel", "CoverageMarks", "Requirements", "RunReports",
        "ScenarioFiles",
      ]),
    tests(
      "SocketLabTests", ["socketlab", "HostTools", "FuzzHarness", "FuzzCampaign", "TestSupport"]),
    tests(
      "ScenarioSuiteTests",
      [
        "Requirements", "ScenarioModel", "ScenarioFiles", "ScenarioRunner", "SubjectAdapters", "SubjectProtocol",
        "Simulation", "RunReports", "SocketPOSIX", "SocketValues",
      ]),
    tests("FuzzHarnessTests", ["FuzzHarness"]),
    tests("ReferenceModelTests", ["ReferenceModel", "CoreFuzzing", "FuzzHarness", "SocketCore"]),
    tests(
      "FuzzBodyTests",
      [
        "FuzzHarness", "BufferFuzzing", "CoreFuzzing", "AddressFuzzing", "TextFuzzing", "PageFuzzing",
        "CaptureFuzzing",
        "SimulationFuzzing",
        "SocketFuzzing", "ChainFuzzing", "RelayFuzzing", "SubjectFuzzing", "RecordFuzzing", "TestCertificates",
        "SubjectProtocol", "PacketRelay",
        "FuzzPrograms", "ReferenceModel", "ScenarioModel", "ScenarioYAML", "RunReports", "SocketValues", "SocketCore",
        "SocketTLS", "SocketPOSIX", "CocoaAsyncSocket",
      ]),
    tests(
      "FuzzProgramsTests",
      [
        "FuzzPrograms", "FuzzHarness", "ReferenceModel", "CoreFuzzing", "ScenarioModel", "ScenarioYAML",
        "ScenarioRunner", "Simulation",
      ]),
    tests(
      "ExplorationTests",
      [
        "Exploration", "CaseReduction", "FuzzPrograms", "ReferenceModel", "ScenarioFiles", "ScenarioModel",
        "ScenarioRunner", "ScenarioYAML", "Simulation",
      ]),
    tests("PlantedBugsTests", ["PlantedBugs", "Requirements", "FuzzHarness"]),
    tests("CoverageMarksTests", ["CoverageMarks"]),
    tests("FuzzCampaignTests", ["FuzzCampaign", "FuzzHarness"], resources: [.copy("Logs")]),
    tests(
      "SecurityTests", ["Security", "CocoaAsyncSocket", "TestCertificates", "ScenarioModel", "COpenSSL"]),
    // What real programs write must compile in both language modes; warnings are errors here, too.
    .testTarget(
      name: "SourceCompatibilityTests", dependencies: ["CocoaAsyncSocket", "Security", "TestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    tests("SourceCompatibility6Tests", ["CocoaAsyncSocket", "Security"]),
    tests("TidyTests", []),
  ]
)

// A list below that names a target by its former name would be without effect, and nobody would see it.
@MainActor func existing(_ names: Set<String>) -> Set<String> {
  let unknown = names.subtracting(package.targets.map(\.name))
  precondition(unknown.isEmpty, "there is no target \(unknown.sorted().joined(separator: ", "))")
  return names
}

// Set by CI and by `reach`, whose builds run a few times: in tests, and in modules that a scenario spends little time
// in, the optimiser takes longer than it saves. Not so where tests make many pages, captures and drafts, or messages
// between a run and its workers: there it saves them half of their time. A module's interface is written with its code,
// and not by a process of its own that checks all types once more. These flags come after SwiftPM's own, and the
// compiler obeys the last one.
if let kind = Context.environment["SOCKETLAB_QUICK_BUILD"] {
  let plain = existing([
    "socketlab", "TerminalText", "SuiteRunner", "CampaignRunner", "MutationRunner", "CoverageRunner", "HostTools",
    "ExplorationRunner", "Exploration", "ConversationRecorder", "ScenarioDrafts", "SoloPeer", "RunComparison",
    "RunHistory", "KnownDeviations", "CampaignReports", "SubjectPrograms", "SubjectProtocol",
    "FuzzCampaign", "FuzzPrograms", "FuzzHarness", "CoreFuzzing", "ReferenceModel", "PlantedBugs", "CoverageMarks",
  ])
  // The reverse, for a build in debug, which leaves packages of others unoptimised as well: what a scenario runs in.
  let optimised = existing([
    "SocketValues", "SocketCore", "SocketPOSIX", "SocketTLS", "CocoaAsyncSocket", "Simulation", "ScriptedPeer",
    "ScenarioRunner",
  ])
  for target in package.targets where target.type != .system {
    var flags = ["-no-emit-module-separately-wmo"]
    if plain.contains(target.name) || target.isTest { flags.append("-Onone") }
    if kind == "debug", optimised.contains(target.name) { flags.append("-O") }
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
  }
  // They have a build of their own.
  if Context.environment["SOCKETLAB_TIDY"] == nil { package.targets.removeAll { $0.name == "TidyTests" } }
}

// Set by CI's sanitizer builds: what runs on several threads or holds memory by hand, and its tests. All the rest would
// be built once more for each sanitizer, and not run.
if Context.environment["SOCKETLAB_SANITIZED_TESTS"] != nil {
  let modules = existing([
    "SocketValues", "SocketCore", "SocketPOSIX", "COpenSSL", "SocketTLS", "CocoaAsyncSocket", "ScenarioModel",
    "TestCertificates", "TestSupport", "SocketCoreTests", "SocketPOSIXTests", "SocketTLSTests", "CocoaAsyncSocketTests",
    "SocketRunLoop", "RunLoopSocketTests",
  ])
  // Of these tests, no more than the named files; of the others, all.
  let files = [
    "SocketCoreTests": ["SecuringTests.swift"],
    "SocketPOSIXTests": [
      "EventLoopTests.swift", "EventLoopDeadlineTests.swift", "EventLoopIdleTests.swift", "EventLoopLendingTests.swift",
      "Probe.swift",
    ],
    "CocoaAsyncSocketTests": [
      "CallOrderTests.swift", "ConcurrencyTests.swift", "InlineDeliveryTests.swift", "IsolationTests.swift",
      "LifetimeTests.swift", "SecureConnectionTests.swift",
    ],
  ]
  package.targets.removeAll { !modules.contains($0.name) }
  package.products.removeAll { $0.name != "CocoaAsyncSocket" }
  for target in package.targets { target.sources = files[target.name] }
}

// Set by CI's build of the tests, which has no use for programs that search: CI builds those with their sanitizers.
if Context.environment["SOCKETLAB_WITHOUT_FUZZ_TARGETS"] != nil {
  package.targets.removeAll { $0.name.hasPrefix("fuzz_") }
}

// Set by `./lab tidy`: tests that read the tree as text need nothing else of it.
if Context.environment["SOCKETLAB_TIDY"] != nil {
  package.targets.removeAll { $0.name != "TidyTests" }
  package.products = []
}

// SwiftPM builds one product or everything: several fuzz targets, or the tests of a module, are everything of a package
// that has no more than them and what they need. The tests are named by `./lab test --only`.
let onlyTests = Context.environment["SOCKETLAB_ONLY_TESTS"]
if let names = onlyTests ?? fuzzBuild, names != "1" {
  var wanted = existing(Set(names.split(separator: ",").map(String.init)))
  // Started by these tests, and not imported.
  if wanted.contains("SubjectProgramsTests") { wanted.insert("CocoaSubject") }
  if wanted.contains("CocoaAsyncSocketTests") {
    wanted.formUnion(package.targets.filter { $0.path?.hasPrefix("Examples/") == true }.map(\.name))
  }
  var found = 0
  while found < wanted.count {
    found = wanted.count
    for target in package.targets where wanted.contains(target.name) {
      for case .byNameItem(let name, _) in target.dependencies { wanted.insert(name) }
    }
  }
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products = []
}
