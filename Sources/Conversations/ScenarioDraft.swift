import ScenarioModel
import ScenarioYAML

/// A conversation as a scenario file: one side's part as the peer's, the other's as the subject's.
///
/// Laws
/// - Pure: the same conversation and settings make the same file.
/// - The two lanes are played in the order that was seen: each waits for what the other had said by then. So the
///   scenario can't hang where the conversation did not, and the comparison does not depend on which side is faster.
/// - What the peer sends is in the pieces, and after the pauses, of the conversation (see `Move`); the subject writes
///   and reads what it wrote and read.
/// - Nothing is invented silently: unknown bytes become a pattern of the same length. A comment in the file and an
///   entry in `remarks` name these and everything else that could not be taken over.
package struct ScenarioDraft: Sendable {
  /// How a draft is made.
  package struct Settings: Sendable {
    /// The side that the peer plays; nil: the one with the greater part in how the connection ended, else the server.
    package var peer: Conversation.Side?
    /// Which pauses are repeated.
    package var pacing: Pacing
    /// The file's name without suffix; payloads that are too long for it go to a folder of that name.
    package var name: String
    /// Where the conversation comes from: `curl.pcapng, connection 2`.
    package var source: String
    /// How the conversation was come by, as the scenario's tag.
    package var tag: String
    /// For the editor, relative to the file; nil: the file does not say.
    package var schema: String?

    package init(
      peer: Conversation.Side? = nil, pacing: Pacing = Pacing(), name: String, source: String,
      tag: String = "imported", schema: String? = nil
    ) {
      self.peer = peer
      self.pacing = pacing
      self.name = name
      self.source = source
      self.tag = tag
      self.schema = schema
    }
  }

  /// The content of the scenario file.
  package let text: String
  /// Payloads, by their paths relative to the scenario's folder.
  package let files: [(path: String, bytes: [UInt8])]
  /// The side that the peer plays.
  package let peer: Conversation.Side
  /// What could not be taken over as it was, in sentences.
  package let remarks: [String]

  /// Writes the file of the conversation, in memory.
  package init(_ conversation: Conversation, _ settings: Settings) {
    let peer = Self.peer(of: conversation, wanted: settings.peer)
    var lanes = LaneBuilder(conversation, peer: peer, folder: settings.name)
    let moves = MoveBuilder.moves(of: conversation.events, pacing: settings.pacing)
    for scene in Scene.scenes(of: moves, subject: peer.other) { lanes.take(scene) }
    lanes.finish()
    self.peer = peer
    files = lanes.payloads.files
    remarks = lanes.remarks
    text = DraftText(conversation: conversation, settings: settings, peer: peer, lanes: lanes).text
  }

  /// The library disconnects as a whole, so a side that ended one direction only, or reset, is better played by the
  /// peer.
  private static func peer(of conversation: Conversation, wanted: Conversation.Side?) -> Conversation.Side {
    switch conversation.opening {
    case .refused, .unanswered: return .server
    case .seen, .unseen: break
    }
    if let wanted { return wanted }
    guard let end = conversation.firstEnd else { return .server }
    return end.isReset || conversation.outlasts(end.side.other) ? end.side : .server
  }
}
