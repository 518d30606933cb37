// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the rivals' libraries are no dependency of the lab's. It is measured in release only.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let subject = Target.Dependency.product(name: "CocoaAsyncSocket", package: "SocketLab")

let package = Package(
  name: "Benchmarks",
  products: [.executable(name: "bench", targets: ["bench"])],
  dependencies: [
    .package(name: "SocketLab", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    // The load generator and the rivals in C; links the system's OpenSSL.
    .target(
      name: "CRivals",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

    // The servers that are measured, one role each.
    .target(
      name: "Contestants",
      dependencies: [
        "CRivals", subject,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: strict),

    .executableTarget(name: "bench", dependencies: ["Contestants", "CRivals", argumentParser], swiftSettings: strict),
  ]
)
