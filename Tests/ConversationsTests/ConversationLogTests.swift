import Testing

@testable import Conversations

@Suite struct ConversationLogTests {
  @Test("of a talk without end so many pieces are kept, the rest is counted, and the end is told")
  func endless() {
    var log = ConversationLog(Conversation(client: "a", server: "b"))
    for number in 0..<200_000 {
      log.note(.bytes([1]), by: number % 2 == 0 ? .client : .server, at: .milliseconds(number))
    }
    log.note(.window(isOpen: false), by: .server, at: .seconds(1_000))
    log.note(.finish, by: .client, at: .seconds(1_000))
    #expect(log.conversation.events.count == 60_003)
    #expect(log.conversation.count(of: .client) == 100_000)
    #expect(log.conversation.count(of: .server) == 100_000)
    #expect(log.conversation.events.last?.act == .finish)
  }

  @Test("of much said the beginning is kept; without room nothing is")
  func long() {
    var log = ConversationLog(Conversation(client: "a", server: "b"))
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<40 { log.note(.bytes(piece), by: .client, at: .zero) }
    #expect(log.cost < 25 << 20)
    #expect(log.conversation.count(of: .client) == 40 << 20)
    #expect(log.conversation.events.count == 24)
    var full = ConversationLog(Conversation(client: "a", server: "b"))
    full.note(.bytes(piece), by: .client, at: .zero, hasRoom: false)
    full.note(.bytes([1]), by: .client, at: .zero)
    #expect(full.conversation.events.map(\.act) == [.missing(piece.count + 1, .tooMany)])
  }
}
