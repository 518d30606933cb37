import ArgumentParser
import Foundation
import HostTools
import ScenarioModel
import ScenarioYAML
import TerminalText
import TestCertificates

/// The lab's test certificates, for people and other tools.
struct PKICommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pki", abstract: "Lists the lab's test certificates, or writes them to files.",
    subcommands: [PKIListCommand.self, PKIExportCommand.self])
}

/// Lists all classes of certificates.
struct PKIListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists all classes of test certificates, and why each is good or bad.")

  func run() {
    let width = CertificateName.allCases.map(\.rawValue.count).max() ?? 0
    for name in CertificateName.allCases {
      let mark = name.isGood ? Console.styled("✓", .good) : Console.styled("✗", .bad)
      let padded = name.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
      Console.print("\(mark) \(padded)  \(name.explanation)")
    }
  }
}

/// What test certificates are valid around.
enum CertificateMoment: String, ExpressibleByArgument, CaseIterable {
  case pinned, real

  /// In Unix seconds.
  var instant: Int64 { self == .pinned ? TestPKI.pinnedNow : Int64(Date().timeIntervalSince1970) }
}

/// Writes classes of certificates to files.
struct PKIExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes test certificates to files, for use with other tools.",
    discussion: """
      Writes NAME.chain.pem, NAME.key.pem and NAME.anchor.pem for each name (all without names), root.pem, crl.pem and \
      README.txt, which says what each is. The keys come from a public seed: good for tests, and for nothing else.

      Exit codes: 0 written, 2 wrong usage, such as files that are there already, 4 files could not be written.
      """)

  @Argument(help: "The folder to write to; it is made if need be.")
  var folder: String

  @Argument(help: "The classes to write, by the names that `socketlab pki list` shows.")
  var names: [String] = []

  @Option(help: "What the certificates are valid around: pinned (2030-01-01T00:00:00Z, as in scenarios) or real.")
  var now = CertificateMoment.real

  @Flag(help: "Overwrites files that are there already.")
  var force = false

  func validate() throws {
    guard !folder.isEmpty else { throw ValidationError("The folder has no name. Say . for the one that you are in.") }
  }

  func run() throws {
    let wanted = try names.isEmpty ? CertificateName.allCases : names.map(Self.name)
    let files = try TestPKI(now: now.instant).files(for: wanted)
    do { try write(files) } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
    Console.print("Wrote \(QuantityText.count(files.count, "file")) to \(folder); README.txt says what they are.")
  }

  private static func name(_ text: String) throws -> CertificateName {
    if let name = CertificateName(rawValue: text) { return name }
    let suggestion = DidYouMean.suggestion(for: text, among: CertificateName.allCases.map(\.rawValue))
    throw ValidationError(
      "There is no class \(text)." + (suggestion.map { " Did you mean \($0)?" } ?? " See `socketlab pki list`."))
  }

  private func write(_ files: [TestPKI.File]) throws {
    try HostFiles.makeFolder(folder)
    let existing = files.filter { HostFiles.exists("\(folder)/\($0.name)") }
    if let first = existing.first, !force {
      throw ValidationError(
        "\(folder)/\(first.name) is there already\(existing.count > 1 ? ", and \(existing.count - 1) more" : ""); "
          + "nothing was written. Choose another folder or add --force.")
    }
    for file in files { try HostFiles.write(file.bytes, to: "\(folder)/\(file.name)") }
  }
}
