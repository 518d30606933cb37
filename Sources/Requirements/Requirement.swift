import ScenarioModel

/// One sentence of the contract that a socket is held to.
package struct Requirement: Hashable, Sendable {
  /// How binding it is. A `should` may be broken for a good reason, a `may` allows something.
  package enum Level: String, CaseIterable, Sendable, Encodable { case must, should, may }

  /// Which class it is about.
  package enum Scope: String, CaseIterable, Sendable, Encodable {
    /// Every stream socket: GCDAsyncSocket and AsyncSocket.
    case any
    /// GCDAsyncSocket alone.
    case gcd
    /// AsyncSocket alone, the class for run loops.
    case runLoop = "run-loop"

    /// For people: `any stream socket`.
    package var text: String {
      switch self {
      case .any: "any stream socket"
      case .gcd: "GCDAsyncSocket"
      case .runLoop: "AsyncSocket"
      }
    }
  }

  /// Such as `RD-DELIM-04`: the area's, a dash and two digits.
  package var id: String
  /// Such as `RD-DELIM`; the register has its title.
  package var area: String
  /// How binding it is.
  package var level: Level
  /// In plain English; it stands alone.
  package var sentence: String
  /// What the profile `upstream` expects instead: what the original does; nil: the same.
  package var upstream: String?
  /// Why no scenario has an alternative for what the original does; nil: one has.
  package var upstreamUnseen: String?
  /// Which class it is about.
  package var scope: Scope
  /// Where it comes from, such as `S1` or `PR#599`; the register says what the abbreviations mean.
  package var sources: [String]
  /// Ids of decisions, of defects of the original and of other requirements that belong to it.
  package var see: [String]
  /// What a subject that breaks it would show instead: derived mutants that its scenarios must object to.
  package var mutations: [EventMutation]
  /// Why no subject can break it: it allows one thing and its opposite; nil: a subject can.
  package var permits: String?
  /// Where it is written.
  package var place: Located<String>
}
