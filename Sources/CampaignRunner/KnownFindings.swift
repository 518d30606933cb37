import Foundation
import FuzzHarness
import HostTools
import ReportMarkup
import ScenarioModel

/// The findings that are kept in the repository: `Fuzz/regressions/known.json`, one entry a file below
/// `Fuzz/regressions/TARGET/`.
package struct KnownFindings: Hashable, Sendable {
  /// One file among the regressions.
  package struct Entry: Hashable, Sendable, Codable {
    package enum Status: String, Codable, Sendable {
      /// The defect is there still: the file violates, and must.
      case open
      /// The defect is mended: the file must pass.
      case fixed
    }

    /// The target's name in the catalogue.
    package var target: String
    /// Below the target's folder.
    package var file: String
    /// By which findings are told apart.
    package var key: String
    /// Whether the file must violate or must pass.
    package var status: Status
    /// What is wrong, in words; may be empty.
    package var note: String
    /// The lane in which it shows, when others may be unable to show it; nil: not said.
    package var lane: FuzzTarget.Lane?
  }

  /// Those that were set are sorted by target, then by file; those that were read stand as in the file.
  package private(set) var entries: [Entry] = []

  package init(entries: [Entry] = []) { self.entries = entries }

  /// Nothing if there is no such file; a `FileFailure` with the place if it can't be understood.
  package init(path: String) throws {
    guard HostFiles.exists(path) else { return }
    let bytes = try HostFiles.read(path)
    do {
      try bytes.withUnsafeBufferPointer { buffer in
        var scanner = JSONScanner(buffer)
        try scanner.list { scanner in entries.append(try Entry(&scanner)) }
        guard scanner.isAtEnd() else { throw scanner.failure("there is more behind its end") }
      }
    } catch let failure as JSONScanner.Failure {
      let (line, column) = failure.position(in: bytes)
      throw FileFailure(
        "\(path):\(line):\(column): \(failure.problem). Mend the list of known findings there, or take it from the "
          + "repository again.")
    }
  }

  func isOpen(_ target: FuzzTarget, file: String) -> Bool { openEntry(target, file: file) != nil }

  /// The open entry of a file of the target's; nil: there is none.
  func openEntry(_ target: FuzzTarget, file: String) -> Entry? {
    entries.first { $0.target == target.name && $0.file == file && $0.status == .open }
  }

  /// The files of the target's entries that do not lie among the regressions, in the order of the list.
  func lostFiles(of target: FuzzTarget, layout: FuzzLayout) -> [String] {
    entries.filter { $0.target == target.name }.map { "\(layout.regressions(target))/\($0.file)" }
      .filter { !HostFiles.exists($0) }
  }

  /// The first of the target's entries with this key; nil: none.
  package func entry(key: String, _ target: String) -> Entry? {
    entries.first { $0.target == target && $0.key == key }
  }

  /// Adds or replaces the entry of a file.
  package mutating func set(_ entry: Entry) {
    entries.removeAll { $0.target == entry.target && $0.file == entry.file }
    entries.append(entry)
    entries.sort { ($0.target, $0.file) < ($1.target, $1.file) }
  }

  /// Writes the list as JSON in place of the file. Throws if that can't be done.
  package func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try HostFiles.write(try encoder.encode(entries) + [10], to: path)
  }
}

extension KnownFindings.Entry {
  /// Keys that are not known are passed over.
  fileprivate init(_ scanner: inout JSONScanner) throws {
    self.init(target: "", file: "", key: "", status: .open, note: "")
    var keys: Set<String> = []
    try scanner.object { key, scanner in
      keys.insert(key)
      switch key {
      case "target": target = try scanner.text()
      case "file": file = try scanner.text()
      case "key": self.key = try scanner.text()
      case "status": status = try scanner.word(of: "a status")
      case "note": note = try scanner.text()
      case "lane": lane = try scanner.word(of: "a lane") as FuzzTarget.Lane
      default: try scanner.skip()
      }
    }
    for key in ["target", "file", "key", "status", "note"] where !keys.contains(key) {
      throw scanner.failure("an entry without the key \(key)")
    }
  }
}
