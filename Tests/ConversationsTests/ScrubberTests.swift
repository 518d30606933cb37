import Testing

@testable import Conversations

@Suite struct ScrubberTests {
  private static func conversation(_ said: [(Conversation.Side, [UInt8])]) -> Conversation {
    Conversation(
      client: "10.0.0.1:5000", server: "10.0.0.2:80",
      events: said.map { Conversation.Event(at: .milliseconds(1), side: $0.0, act: .bytes($0.1)) })
  }

  /// What a side says afterwards.
  private static func bytes(_ conversation: Conversation, _ side: Conversation.Side) -> [UInt8] {
    conversation.events.filter { $0.side == side }.flatMap { event -> [UInt8] in
      if case .bytes(let bytes) = event.act { bytes } else { [] }
    }
  }

  private static func text(_ conversation: Conversation, _ side: Conversation.Side) -> String {
    String(decoding: bytes(conversation, side), as: UTF8.self)
  }

  @Test("names and secrets are replaced by others of the same length, wherever they were cut")
  func scrubbing() {
    let said = "GET / HTTP/1.1\r\nHost: shop.corp.example.com\r\nAuthorization: Bearer abc.def123\r\n"
    let bytes = Array((said + "X: 192.168.17.4\r\nFrom: alice@corp.example.com\r\npassword=hunter2&x=1\r\n").utf8)
    let pieces = stride(from: 0, to: bytes.count, by: 5).map { bytes[$0..<min($0 + 5, bytes.count)] }
    let before = Self.conversation(pieces.map { (.client, Array($0)) })
    var scrubber = Scrubber()
    let after = scrubber.scrubbed(before)
    let text = Self.text(after, .client)
    #expect(text.utf8.count == bytes.count)
    for secret in ["shop.corp", "abc.def123", "192.168.17.4", "alice", "hunter2"] { #expect(!text.contains(secret)) }
    #expect(text.contains("&x=1"))
    #expect(scrubber.replacements.map(\.kind) == [.name, .credential, .address, .email, .credential])
    #expect(after.client == "host:5000")
  }

  @Test("what was found in one place is replaced in all, also by the other side, among bytes that are no text")
  func everywhere() {
    let request = Array("GET / HTTP/1.1\r\nHost: shop.corp.example.com\r\nCookie: id=4711x\r\n\r\n".utf8)
    let noise = (0..<400).map { UInt8(truncatingIfNeeded: ($0 * 7) % 251) }
    let reply = Array("HTTP/1.1 301\r\nLocation: //shop.corp.example.com/x\r\n\r\n".utf8) + noise
    var scrubber = Scrubber()
    let after = scrubber.scrubbed(Self.conversation([(.client, request), (.server, reply)]))
    #expect(!Self.text(after, .client).contains("4711"))
    #expect(!Self.text(after, .server).contains("shop.corp"))
    #expect(Self.bytes(after, .server).count == reply.count)
    #expect(Self.bytes(after, .server).suffix(noise.count) == noise[...])
    #expect(scrubber.replacements.map(\.times) == [2, 1])
    #expect(after.notes == ["Scrubbed, with replacements of the same length: credential (1), host name (2)."])
  }

  @Test(
    "passwords of protocols of lines",
    arguments: [
      "*2\r\n$4\r\nAUTH\r\n$7\r\nhunter2\r\n", "*3\r\n$4\r\nauth\r\n$3\r\nbob\r\n$7\r\nhunter2\r\n",
      "AUTH LOGIN\r\nYm9i\r\nhunter2\r\n", "AUTH PLAIN hunter2\r\n", "USER bob\r\nPASS hunter2\r\n",
      "GET http://bob:hunter2@shop.example.com/ HTTP/1.1\r\n", "{\"password\": \"hunter2\"}",
    ])
  func passwords(_ said: String) {
    var scrubber = Scrubber()
    let after = Self.text(scrubber.scrubbed(Self.conversation([(.client, Array(said.utf8))])), .client)
    #expect(!after.contains("hunter2"))
    #expect(after.utf8.count == said.utf8.count)
  }

  @Test("different addresses stay different, and addresses")
  func addresses() {
    let found = ["192.168.1.10", "192.168.1.11", "8.8.8.8", "1.1.1.1", "203.0.113.250", "2001:db8::17", "fe80::1:2"]
    var scrubber = Scrubber()
    let said = Array(found.joined(separator: " ").utf8)
    let after = Self.text(scrubber.scrubbed(Self.conversation([(.client, said)])), .client)
    let new = after.split(separator: " ").map(String.init)
    #expect(Set(new).count == found.count && Set(new).isDisjoint(with: found))
    #expect(new.map(\.count) == found.map(\.count))
    for address in new where !address.contains(":") {
      #expect(address.split(separator: ".").allSatisfy { (0...255).contains(Int($0) ?? -1) })
    }
  }
}
