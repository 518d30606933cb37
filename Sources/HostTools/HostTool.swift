import COpenSSL
import Foundation
import ScenarioModel

/// Programs of the toolchain and the system that fuzzing leans on.
package struct HostTool: Sendable {
  /// What it is for, to say when it is missing.
  package var purpose: String
  /// The names of its program, the preferred one first.
  package var names: [String]
  var remedy: String

  /// Builds the package.
  package static let swift = HostTool(
    purpose: "builds the fuzz targets", names: ["swift"],
    remedy: "Install Swift 6.3 or newer and put its usr/bin on PATH.")
  /// Prints the sizes of an object file's sections.
  package static let size = HostTool(
    purpose: "counts coverage counters", names: ["llvm-size", "size"], remedy: "Install binutils.")
  /// Prints an object file's symbols.
  package static let nm = HostTool(
    purpose: "looks for the sanitizer's calls", names: ["llvm-nm", "nm"], remedy: "Install binutils.")
  /// Turns addresses into functions and lines; sanitizers and crash reports use it.
  package static let symbolizer = HostTool(
    purpose: "names functions in stacks", names: ["llvm-symbolizer"], remedy: "Install llvm.")
  /// Turns Swift's symbols into names that people read.
  package static let demangle = HostTool(
    purpose: "turns symbols into names", names: ["swift-demangle"], remedy: "It comes with Swift.")
  /// Tells the commit of the checkout.
  package static let git = HostTool(purpose: "tells the commit", names: ["git"], remedy: "Install git.")

  /// The program's path: beside the Swift compiler if there, else on PATH.
  package var path: String? {
    let variable = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let folders = variable.split(separator: ":").map(String.init)
    let isExecutable = { (path: String) in FileManager.default.isExecutableFile(atPath: path) }
    let swift = folders.map { "\($0)/swift" }.first(where: isExecutable)
    let toolchain = swift.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path }
    return names.lazy.flatMap { name in ((toolchain.map { [$0] } ?? []) + folders).map { "\($0)/\(name)" } }
      .first(where: isExecutable)
  }

  /// The program's path; throws what is missing and how to get it.
  package func required() throws -> String {
    guard let path else { throw LabFailure("\(names[0]) is missing, which \(purpose). \(remedy)") }
    return path
  }

  /// What it prints, as lines; the error output is among them. In English, whatever the person's language is: programs
  /// look for words in it.
  package static func lines(
    _ path: String, _ arguments: [String], deathPipe: ParentDeathPipe
  ) throws -> (lines: [String], code: Int32) {
    var lines: [String] = []
    var plan = ChildPlan(executable: path, arguments: arguments, limit: .seconds(120))
    plan.environment["LC_ALL"] = "C"
    let child = ChildGroup(plan, deathPipe: deathPipe)
    let result = try child.run { lines.append($0.text) }
    return (lines, result.end.code)
  }
}

extension HostTool {
  /// `OpenSSL 3.0.13 30 Jan 2024`, of the library that is linked.
  package static var openSSLVersion: String { OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? "" }
}

/// SHA-256 as hexadecimal digits.
package enum Fingerprint {
  /// 64 lowercase digits; empty if OpenSSL can't do it.
  package static func of(_ bytes: some Collection<UInt8>) -> String {
    let bytes = Array(bytes)
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
    return digest.map { String(format: "%02x", $0) }.joined()
  }

  /// As `of`, of the file's content; nil: it can't be read.
  package static func ofFile(_ path: String) -> String? {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else { return nil }
    return of(data)
  }
}
