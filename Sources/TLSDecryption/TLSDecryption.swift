import Conversations
import ScenarioModel

/// Looks into the TLS of conversations with the secrets of a key log.
///
/// Laws
/// - Pure: the same conversation and key log give the same.
/// - All or nothing: a conversation that can't be opened to its end stays as it was, and a note says what was missing.
/// - What was sent inside of TLS comes out in its order, in the pieces of its records, each at the instant at which its
///   record was complete; however the bytes on the wire were cut.
/// - Before the ClientHello a conversation may be in clear, as after STARTTLS.
package struct TLSDecryption: Sendable {
  /// What became of a conversation.
  package enum Outcome: Hashable, Sendable {
    /// It speaks no TLS, as far as one can see.
    case plain
    case opened
    /// It stays closed.
    case closed
  }

  /// The secrets.
  package var keyLog: TLSKeyLog

  package init(_ keyLog: TLSKeyLog = TLSKeyLog()) { self.keyLog = keyLog }

  /// The conversation with what was said inside of TLS, if there are secrets at all.
  package func opened(_ conversation: Conversation) -> (Conversation, Outcome) {
    guard let start = Self.hello(in: conversation) else { return (conversation, .plain) }
    guard keyLog.count > 0 else { return (conversation, .closed) }
    var session = TLSSessionReader(keyLog)
    do throws(Undecrypted) {
      for event in conversation.events[start...] { try session.take(event) }
      var opened = conversation
      opened.events = Array(conversation.events[..<start]) + (try session.finished())
      opened.notes += session.notes
      return (opened, .opened)
    } catch {
      var closed = conversation
      closed.notes.append("TLS could not be decrypted: \(error.reason).")
      return (closed, .closed)
    }
  }

  /// The place of the event with which a client begins to speak TLS.
  private static func hello(in conversation: Conversation) -> Int? {
    let head = TLSRecord.headerCount + 1
    for (place, event) in conversation.events.enumerated() where event.side == .client {
      guard case .bytes(let bytes) = event.act, bytes.first == TLSRecordType.handshake.rawValue else { continue }
      var start = Array(bytes.prefix(head))
      for later in conversation.events[(place + 1)...] where later.side == .client && start.count < head {
        guard case .bytes(let more) = later.act else { break }
        start += more.prefix(head - start.count)
      }
      if start.count == head, start[1] == 3, start[2] <= 4, start[5] == 1 { return place }
    }
    return nil
  }
}
