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
  /// The lane in which that was seen.
  package let lane: FuzzTarget.Lane
  /// The promise that the input broke; nil: none, or it is not known which.
  package let violation: Violation?

  package init(
    target: FuzzTarget, layout: FuzzLayout, key: FindingKey?, lane: FuzzTarget.Lane, violation: Violation?
  ) {
    self.target = target
    self.layout = layout
    self.key = key
    self.lane = lane
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
    let earlier = Self.entry(of: content, name: name, target, known, layout)
    if key == nil, let shown = earlier?.lane, shown != lane {
      throw LabFailure(
        "\(input) was seen in the lane \(shown.rawValue); that it passes in \(lane.rawValue) says nothing. Nothing was "
          + "changed: try --lane \(shown.rawValue).")
    }
    guard let text = key?.text ?? earlier?.key else {
      throw LabFailure("\(input) shows nothing, and is not among the known findings; nothing was changed.")
    }
    let entry = KnownFindings.Entry(
      target: target.name, file: name ?? earlier?.file ?? key?.id ?? "input", key: text,
      status: key == nil ? .fixed : .open, note: note.isEmpty ? earlier?.note ?? "" : note,
      lane: key == nil ? earlier?.lane : lane)
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

  /// The lane in which an input is known to show something; nil: it is not known, or no lane is said.
  package static func lane(of input: String, name: String?, _ target: FuzzTarget, layout: FuzzLayout) throws
    -> FuzzTarget.Lane?
  {
    entry(of: try HostFiles.read(input), name: name, target, try KnownFindings(path: layout.known), layout)?.lane
  }

  private static func entry(
    of content: [UInt8], name: String?, _ target: FuzzTarget, _ known: KnownFindings, _ layout: FuzzLayout
  ) -> KnownFindings.Entry? {
    known.entries.first { entry in
      guard entry.target == target.name else { return false }
      return entry.file == name || (try? HostFiles.read("\(layout.regressions(target))/\(entry.file)")) == content
    }
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
