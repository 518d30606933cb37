/// Something that a peer, a network or the user of a socket can do wrong: an entry of the catalogue. A scenario does it
/// if it has its tag.
package struct Misbehaviour: Sendable, Equatable, Encodable {
  /// What tags of misbehaviours begin with; the number follows.
  private static let prefix = "misbehaviour-"

  /// From 1, without gaps.
  package var number: Int
  /// The part of the catalogue.
  package var group: String
  /// What the other side does.
  package var does: String
  /// The steps of the language that do it; nil: any.
  package var with: String?
  /// What else is to be known of its scenarios.
  package var note: String?
  /// Why no scenario does it, or not all of it; nil: nothing is missing.
  package var open: String?

  package init(
    number: Int, group: String, does: String, with: String? = nil, note: String? = nil, open: String? = nil
  ) {
    self.number = number
    self.group = group
    self.does = does
    self.with = with
    self.note = note
    self.open = open
  }

  /// What a scenario has among its tags: `misbehaviour-12`.
  package var tag: String { "\(Self.prefix)\(number)" }

  /// Whether a tag means to name a misbehaviour.
  package static func isNamed(by tag: String) -> Bool { tag.hasPrefix(prefix) }
}
