import ScenarioModel

extension Reading {
  /// What of a simulated case's schedule is drawn: `quiet`, or a seed and the draws that are left.
  mutating func schedule(_ node: YAMLNode) -> Schedule? {
    if node.word == "quiet" { return .quiet }
    let help = "write `quiet`, or `{ seed: 7, draws: [delivery.0.3] }`"
    guard let fields = fields(node, of: "`schedule`", allowed: ["seed", "draws"], help: help),
      let seedNode = required("seed", in: fields, of: "`schedule`", help: help),
      let seed = seed(seedNode, of: "`seed`")
    else { return nil }
    guard let list = fields["draws"] else { return Schedule(seed: seed, draws: nil) }
    guard let items = self.list(list, of: "`draws`", help: "leave `draws` away if all draws are left") else {
      return nil
    }
    var draws: Set<Schedule.Draw> = []
    for item in items {
      guard let text = text(item, of: "a draw") else { continue }
      guard let draw = Schedule.Draw(text: text) else {
        report(
          .badName, at: item.position, "`\(text.shortened)` is no draw",
          help: "a draw is the stream it comes from and its number, such as delivery.0.3")
        continue
      }
      if !draws.insert(draw).inserted {
        report(.duplicateName, at: item.position, "`\(draw.text)` stands twice in this list")
      }
    }
    return Schedule(seed: seed, draws: draws)
  }
}

extension FlowText {
  static func schedule(_ schedule: Schedule) -> String {
    if schedule.draws == [] { return "quiet" }
    let draws = schedule.draws.map { "[" + $0.sorted().map(\.text).joined(separator: ", ") + "]" }
    return mapping([("seed", "\(schedule.seed)"), ("draws", draws)])
  }
}
