import Foundation
import FuzzHarness

/// `Fuzz/regressions/known.json`: a list of `{ target, file, key, status, note }`, and `lane` where it is known in
/// which one the finding shows; all of them texts. A file below `Fuzz/regressions/TARGET/` whose entry is `open` must
/// still show its violation; one that is `fixed`, or has no entry, must not.
struct KnownRegressions {
  enum Status: String { case open, fixed }

  struct Entry {
    var target: String
    /// Below the target's folder.
    var file: String
    /// By which findings are told apart.
    var key: String
    var status: Status
    var note: String
    var lane: FuzzTarget.Lane?

    /// Whether it takes no sanitizer, and none of libFuzzer's limits, to show it.
    var showsByItself: Bool {
      let kind = key.split(separator: " ").dropFirst().first ?? ""
      return !["memory", "race", "leak", "oom", "timeout"].contains(kind)
    }
  }

  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  var entries: [Entry] = []

  /// Strict: nothing unknown, nothing missing, nothing twice.
  init(_ data: Data) throws {
    guard let list = try JSONSerialization.jsonObject(with: data) as? [[String: String]] else {
      throw Fault(description: "known.json is no list of objects whose values are texts")
    }
    for (index, fields) in list.enumerated() {
      guard Set(fields.keys).subtracting(["lane"]) == ["target", "file", "key", "status", "note"] else {
        throw Fault(description: "entry \(index) has the keys \(fields.keys.sorted())")
      }
      let text = { (key: String) in fields[key] ?? "" }
      guard let status = Status(rawValue: text("status")) else {
        throw Fault(description: "entry \(index): the status is `open` or `fixed`, not `\(text("status"))`")
      }
      guard FuzzTarget.named(text("target")) != nil else {
        throw Fault(description: "entry \(index): no target is called `\(text("target"))`")
      }
      guard !text("key").isEmpty, !text("file").isEmpty, !text("file").contains("..") else {
        throw Fault(description: "entry \(index) has no key, or no file below its target's folder")
      }
      let lane = fields["lane"].map { FuzzTarget.Lane(rawValue: $0) }
      if let lane, lane == nil { throw Fault(description: "entry \(index): there is no lane `\(text("lane"))`") }
      guard entry(text("target"), text("file")) == nil else {
        throw Fault(description: "\(text("target"))/\(text("file")) stands twice")
      }
      entries.append(
        Entry(
          target: text("target"), file: text("file"), key: text("key"), status: status, note: text("note"),
          lane: lane ?? nil))
    }
  }

  func entry(_ target: String, _ file: String) -> Entry? {
    entries.first { $0.target == target && $0.file == file }
  }
}
