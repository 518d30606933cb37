import ScenarioModel

/// Which ids scenarios may cite as requirements.
package struct CitationRules: Sendable {
  /// Whether there is such a requirement.
  let isKnown: @Sendable (String) -> Bool
  /// What to write instead of an id that is none.
  let help: @Sendable (String) -> String?
  /// Which of the two classes a requirement binds.
  let scope: @Sendable (String) -> RequirementScope

  package init(
    isKnown: @escaping @Sendable (String) -> Bool, help: @escaping @Sendable (String) -> String?,
    scope: @escaping @Sendable (String) -> RequirementScope
  ) {
    self.isKnown = isKnown
    self.help = help
    self.scope = scope
  }
}
