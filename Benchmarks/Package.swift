// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the rivals' libraries are no dependency of the lab's. It is measured in release only.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let probes = Target.Dependency.product(name: "BenchmarkProbes", package: "SocketLab")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let subject = Target.Dependency.product(name: "CocoaAsyncSocket", package: "SocketLab")

// Set by CI: NIO's own BoringSSL, which two entries need, takes as long to build as everything else of this package.
let isQuick = Context.environment["SOCKETLAB_QUICK_BUILD"] != nil
let tlsRival = isQuick ? [] : [Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")]
let quick: [SwiftSetting] = isQuick ? [.define("WITHOUT_NIOSSL")] : []

let package = Package(
  name: "Benchmarks",
  products: [.executable(name: "bench", targets: ["bench"])],
  dependencies: [
    .package(name: "SocketLab", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
  ] + (isQuick ? [] : [.package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6")]),
  targets: [
    // Values: workloads, results, statistics.
    .target(name: "BenchmarkModel", swiftSettings: strict + quick),

    // Results to a page, Markdown and a terminal's table; no I/O.
    .target(name: "BenchmarkPage", dependencies: ["BenchmarkModel", mustache], swiftSettings: strict),

    // The load generator and the rivals in C; links the system's OpenSSL.
    .target(
      name: "CRivals",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

    // The servers that are measured, one role each.
    .target(
      name: "Contestants",
      dependencies: [
        "BenchmarkModel", "CRivals", subject, probes,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ] + tlsRival,
      swiftSettings: strict + quick),

    // Rounds, children, measurements.
    .target(
      name: "BenchmarkHarness", dependencies: ["BenchmarkModel", "CRivals", probes], swiftSettings: strict),

    .executableTarget(
      name: "bench",
      dependencies: ["BenchmarkModel", "BenchmarkPage", "BenchmarkHarness", "Contestants", "CRivals", argumentParser],
      swiftSettings: strict),

    .testTarget(
      name: "BenchmarkTests", dependencies: ["BenchmarkModel", "BenchmarkPage", "BenchmarkHarness", "bench"],
      swiftSettings: strict),
  ]
)
