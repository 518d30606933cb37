/// Which ids scenarios may cite as requirements.
package struct CitationRules: Sendable {
  /// Whether there is such a requirement.
  let isKnown: @Sendable (String) -> Bool
  /// What to write instead of an id that is none.
  let help: @Sendable (String) -> String?

  package init(isKnown: @escaping @Sendable (String) -> Bool, help: @escaping @Sendable (String) -> String?) {
    self.isKnown = isKnown
    self.help = help
  }
}
