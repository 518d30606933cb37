import ScenarioModel

/// Which ids scenarios may cite as requirements, and what else they may name that a register holds.
package struct CitationRules: Sendable {
  /// Whether there is such a requirement.
  let isKnown: @Sendable (String) -> Bool
  /// What to write instead of an id that is none.
  let help: @Sendable (String) -> String?
  /// Whom a requirement binds.
  package let scope: @Sendable (String) -> RequirementScope
  /// What to write instead of a tag; nil: nothing is wrong with it.
  let tagHelp: @Sendable (String) -> String?

  /// - Parameter tagHelp: what to write instead of a tag that names something the register does not have; nil for all
  ///   others.
  package init(
    isKnown: @escaping @Sendable (String) -> Bool, help: @escaping @Sendable (String) -> String?,
    scope: @escaping @Sendable (String) -> RequirementScope,
    tagHelp: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.isKnown = isKnown
    self.help = help
    self.scope = scope
    self.tagHelp = tagHelp
  }
}
