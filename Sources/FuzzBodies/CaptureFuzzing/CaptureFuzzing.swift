import CaptureImport
import Conversations
import FuzzHarness
import ScenarioModel
import ScenarioYAML

/// Captures, sound and damaged.
///
/// Laws
/// - Whatever the bytes are, the importer ends, and gives the same conversations and the same refusal however they are
///   cut.
/// - A side's bytes are no more than the capture has, but for those that it says are missing.
/// - Each conversation makes a scenario file that the lab reads without an error, whichever side the peer plays.
package enum CaptureFuzzing {
  /// Takes a capture.
  package static let body: FuzzBody = { check($0, Importing()) }

  /// What is under test; a test puts something broken in its place.
  package struct Importing: Sendable {
    package var outcome: @Sendable (_ bytes: [UInt8], _ chunk: Int) -> Outcome = {
      CaptureFuzzing.outcome(of: $0, chunk: $1)
    }
    package var text: @Sendable (ScenarioDraft) -> String = { $0.text }

    package init() {}
  }

  /// What became of a capture.
  package struct Outcome: Equatable, Sendable {
    package var conversations: [Conversation]
    /// Why the rest was refused, in words; nil: it was not.
    package var refusal: String?

    package init(_ conversations: [Conversation], refusal: String? = nil) {
      self.conversations = conversations
      self.refusal = refusal
    }
  }

  package static func check(_ input: UnsafeRawBufferPointer, _ importing: Importing) -> Violation? {
    let bytes = Array(input)
    let whole = importing.outcome(bytes, max(bytes.count, 1))
    let pieces = importing.outcome(bytes, 13)
    guard pieces.conversations == whole.conversations else {
      return Violation("capture/chunks", "the conversations differ from those of the capture in pieces of 13 bytes")
    }
    guard pieces.refusal == whole.refusal else {
      return Violation(
        "capture/chunks",
        "\(whole.refusal ?? "read to the end"), but in pieces of 13 bytes \(pieces.refusal ?? "read to the end")")
    }
    for conversation in whole.conversations.prefix(maxDrafts) {
      if known(conversation) > bytes.count {
        return Violation("capture/invented", "a conversation has more bytes than the capture")
      }
      for side in Conversation.Side.allCases {
        if let violation = unreadable(conversation, peer: side, importing.text) { return violation }
      }
    }
    return nil
  }

  private static let maxDrafts = 8
  /// The patterns of larger ones would have gibibytes.
  private static let maxLength = 1 << 20

  private static func outcome(of bytes: [UInt8], chunk: Int) -> Outcome {
    var importer = CaptureImporter()
    var found: [Conversation] = []
    var refusal: String?
    do throws(CaptureFault) {
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        try importer.take(bytes[start..<min(start + chunk, bytes.count)]) { found.append($0) }
      }
    } catch {
      // What was complete before it counts.
      refusal = "\(error)"
    }
    do throws(CaptureFault) { try importer.end { found.append($0) } } catch { refusal = refusal ?? "\(error)" }
    return Outcome(found, refusal: refusal)
  }

  private static func known(_ conversation: Conversation) -> Int {
    conversation.events.reduce(0) { sum, event in
      if case .bytes(let bytes) = event.act { sum + bytes.count } else { sum }
    }
  }

  private static func unreadable(
    _ conversation: Conversation, peer: Conversation.Side, _ text: (ScenarioDraft) -> String
  ) -> Violation? {
    guard Conversation.Side.allCases.allSatisfy({ conversation.count(of: $0) < maxLength }) else { return nil }
    let draft = ScenarioDraft(
      conversation, ScenarioDraft.Settings(peer: peer, name: "capture", source: "a capture"))
    let files = Dictionary(draft.files.map { ($0.path, $0.bytes) }) { first, _ in first }
    let result = ScenarioReader.read(bytes: Array(text(draft).utf8), id: "capture") { files[$0] }
    guard result.scenarios.isEmpty else { return nil }
    let codes = Set(result.diagnostics.filter { $0.severity == .error }.map(\.code)).sorted()
    return Violation("capture/readable", "the file has errors: \(codes.joined(separator: ", "))")
  }
}
