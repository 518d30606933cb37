import ScenarioModel

extension ScenarioCheck {
  /// Classes that the scenario is played with, and that lack something it uses. A canary may use anything.
  mutating func checkSubjects() {
    guard !scenario.canary else { return }
    for feature in scenario.features {
      guard let other = scenario.subjectKinds.first(where: { $0 != feature.owner }),
        feature.name != SubjectFeature.acceptedConnect || scenario.subjectKinds.contains(.runLoop)
      else { continue }
      report(
        .lackingSubject, at: feature.position ?? keys.entry(feature.key)?.position ?? keys.position,
        "the scenario is played with \(other.className), but only \(feature.owner.className) has \(feature.name)",
        help: saysSubjects
          ? "leave `\(other.rawValue)` out of `subject`, or put this into a scenario of its own"
          : "cite requirements that bind \(feature.owner.className), or put this into a scenario of its own")
    }
  }
}
