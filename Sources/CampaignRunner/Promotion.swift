import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel

/// Keeps an input in the repository, by what a replay of it showed.
package struct Promotion {
  /// The target that the input is for.
  package let target: FuzzTarget
  /// Where regressions and scenarios lie.
  package let layout: FuzzLayout
  /// nil: it shows nothing any more.
  package let key: FindingKey?
  /// The promise that the input broke; nil: none, or it is not known which.
  package let violation: Violation?

  package init(target: FuzzTarget, layout: FuzzLayout, key: FindingKey?, violation: Violation?) {
    self.target = target
    self.layout = layout
    self.key = key
    self.violation = violation
  }

  /// An input that was kept.
  package struct Kept {
    /// Its entry among the known findings.
    package var entry: KnownFindings.Entry
    /// The path of its file.
    package var place: String
    var content: [UInt8]
  }

  /// Puts the file among the regressions and into the list of what is known. Throws, and changes nothing, if it neither
  /// shows something nor is known, or if another file has the name.
  ///
  /// - Parameters:
  ///   - name: the file's name from now on; nil: the one that it has, or its key's.
  ///   - note: what is wrong; empty: as it was.
  package func keep(_ input: String, name: String?, note: String) throws -> Kept {
    var known = try KnownFindings(path: layout.known)
    let content = try HostFiles.read(input)
    let earlier = known.entries.first { entry in
      entry.target == target.name && (entry.file == name || isSame(content, entry))
    }
    guard let text = key?.text ?? earlier?.key else {
      throw LabFailure("\(input) shows nothing, and is not among the known findings; nothing was changed.")
    }
    let entry = KnownFindings.Entry(
      target: target.name, file: name ?? earlier?.file ?? key?.id ?? "input", key: text,
      status: key == nil ? .fixed : .open, note: note.isEmpty ? earlier?.note ?? "" : note)
    let place = "\(layout.regressions(target))/\(entry.file)"
    if HostFiles.exists(place), (try? HostFiles.read(place)) != content {
      throw LabFailure("\(place) holds something else already; nothing was changed. Choose another --name.")
    }
    try HostFiles.makeFolder(layout.regressions(target))
    try HostFiles.write(content, to: place)
    known.set(entry)
    try known.write(to: layout.known)
    return Kept(entry: entry, place: place, content: content)
  }

  private func isSame(_ content: [UInt8], _ entry: KnownFindings.Entry) -> Bool {
    (try? HostFiles.read("\(layout.regressions(target))/\(entry.file)")) == content
  }

  /// What became of the scenario of an input.
  package enum Scenario: Hashable {
    /// The target's inputs are no scenarios.
    case none
    case impossible(String)
    case existing(String)
    case made(String, id: String)
  }

  /// Where the input can be said as a scenario, it becomes one of the suite's.
  package func tellScenario(of kept: Kept) throws -> Scenario {
    guard target.tellsScenarios else { return .none }
    let id = "found/\(kept.entry.file.replacingOccurrences(of: "_", with: "-"))"
    let text: String
    switch FuzzScenario.text(kept.content, target, id: id, violation: violation) {
    case .success(let told): text = told
    case .failure(let failure): return .impossible(failure.message)
    }
    let place = "\(layout.scenarios)/\(id).yaml"
    guard !HostFiles.exists(place) else { return .existing(place) }
    try HostFiles.makeFolder("\(layout.scenarios)/found")
    try HostFiles.write(text.utf8, to: place)
    return .made(place, id: id)
  }
}
