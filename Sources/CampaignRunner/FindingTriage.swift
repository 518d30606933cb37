import FuzzCampaign
import FuzzHarness
import HostTools

/// Looks again at what a campaign found: whether it shows every time, and where.
package struct FindingTriage {
  /// The command under which it works.
  package let session: FuzzSession
  /// Replays the inputs.
  package let examiner: FuzzExaminer
  /// The campaign's.
  package let folder: String
  /// Lanes in which the findings are replayed, in this order.
  package let lanes: [FuzzTarget.Lane]
  /// How often a finding is replayed in each lane.
  package let times: Int

  package init(
    session: FuzzSession, examiner: FuzzExaminer, folder: String, lanes: [FuzzTarget.Lane], times: Int
  ) {
    self.session = session
    self.examiner = examiner
    self.folder = folder
    self.lanes = lanes
    self.times = times
  }

  /// What the replays of a finding showed.
  package struct Outcome {
    /// The finding's target.
    package var target: FuzzTarget
    /// The path of the input that was replayed.
    package var input: String
    /// nil: nothing.
    package var key: FindingKey?
  }

  /// Replays the finding in the lane that found it and in every other, and gives it the status that it has now. nil:
  /// there is nothing to replay, or it could not be run: what is in the way goes to `note`; or the replays were
  /// interrupted. Then the finding stays as it was.
  package func replay(_ finding: inout Finding, note: (String) -> Void) throws -> Outcome? {
    guard let target = FuzzTarget.named(finding.target) else {
      note("\(finding.id): there is no target \(finding.target) any more.")
      return nil
    }
    guard let path = finding.input.minimisedPath ?? finding.input.originalPath else {
      note("\(finding.id): its input was lost.")
      return nil
    }
    let input = "\(folder)/\(path)"
    guard HostFiles.exists(input) else {
      note("\(finding.id): its input \(input) is gone. The finding stays as it was.")
      return nil
    }
    var all: [LaneReplay] = []
    var key: FindingKey?
    // The lane that found it belongs to them: another one may be unable to show it.
    let lanes = [finding.lane] + lanes.filter { $0 != finding.lane }
    for lane in lanes where target.lanes.contains(lane) && !session.isInterrupted {
      try session.prepare(target, lane)
      let first = try examiner.replayUntilShown(input, target, lane, times: times)
      if examiner.isInterrupted(first.replay) { break }
      if let problem = first.replay.problem {
        note("\(finding.id): its input could not be run (\(lane.rawValue)): \(problem). The finding stays as it was.")
        return nil
      }
      guard let crash = first.replay.crash else {
        all.append(LaneReplay(lane, reproduced: 0, of: first.tries))
        continue
      }
      let found = examiner.key(target, crash)
      key = key ?? found
      var replays = try examiner.reproduce(input, target, lane, times: times, as: found)
      // One that shows at the third try is no steady one, even if the next twenty show it.
      if first.tries > 1 {
        replays = LaneReplay(lane, reproduced: replays.reproduced + 1, of: replays.tries + first.tries)
      }
      all.append(replays)
      let stack = examiner.stack(crash)
      if !stack.isEmpty { finding.stack = stack }
    }
    guard !all.isEmpty || session.isInterrupted || examiner.isStopRequested else {
      note("\(finding.id): \(target.name) has no lane \(finding.lane.rawValue) any more, nor those that were named.")
      return nil
    }
    let isInterrupted = session.isInterrupted || examiner.isStopRequested
    guard !isInterrupted || all.contains(where: { $0.reproduced > 0 }) else { return nil }
    finding.replays = all
    let isAnother = key.map { $0.text != finding.key } ?? false
    if isAnother, let key { note("\(finding.id): shows something else now: \(key.text)") }
    Self.judge(&finding, showsAnother: isAnother)
    return Outcome(target: target, input: input, key: key)
  }

  /// A finding that no longer shows is fixed; one that shows sometimes is flaky; one whose input shows another defect
  /// than before is new.
  package static func judge(_ finding: inout Finding, showsAnother: Bool = false) {
    guard finding.replays.contains(where: { $0.reproduced > 0 }) else {
      finding.status = .fixed
      return
    }
    let isSteady = finding.replays.contains { $0.reproduced == $0.tries }
    // That the former defect is known says nothing of the one that its input shows now.
    if showsAnother || finding.status == .new || finding.status == .flaky || finding.status == .fixed {
      finding.status = isSteady ? .new : .flaky
    }
  }

  /// Looks for a smaller input and puts it into the campaign's folder; nil: there is none. Gives its place.
  package func minimise(_ finding: inout Finding, as outcome: Outcome, seconds: Int) throws -> String? {
    guard let key = outcome.key, let lane = finding.replays.first(where: { $0.reproduced > 0 })?.lane,
      let smaller = try examiner.minimise(outcome.input, outcome.target, lane, seconds: seconds, key: key)
    else { return nil }
    return try finding.keep(minimised: smaller, below: folder)
  }
}

extension Finding {
  /// The command that replays an input, in one paste.
  static func reproduce(_ target: String, _ input: String, _ lane: FuzzTarget.Lane) -> String {
    "./lab fuzz replay \(target) \(input) --lane \(lane.rawValue)"
  }

  /// Puts a smaller input beside the finding's own, and gives its place.
  @discardableResult
  package mutating func keep(minimised smaller: [UInt8], below folder: String) throws -> String {
    let place = "findings/\(id)/minimised"
    try HostFiles.write(smaller, to: "\(folder)/\(place)")
    input.minimisedPath = place
    input.count = smaller.count
    input.base64 = FindingStore.inline(smaller)
    return "\(folder)/\(place)"
  }
}
