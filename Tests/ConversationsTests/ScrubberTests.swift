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

  @Test("two that differ are replaced by two that differ, whatever they are called")
  func differences() {
    var scrubber = Scrubber()
    let said = Array("USER person1\r\nUSER somebod\r\nUSER another\r\n".utf8)
    let text = Self.text(scrubber.scrubbed(Self.conversation([(.client, said)])), .client)
    #expect(text == "USER person2\r\nUSER person3\r\nUSER person4\r\n", "\(text)")
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

  @Test(
    "what else gives people, machines and secrets away",
    arguments: [
      ("{\"password\":\"pa,ss word&1\",\"x\":1}", ["pa,", "word&1"], "\"x\":1"),
      ("{'token': 'a b\\'c d'}", ["a b", "c d"], "'token'"),
      (
        "Authorization: Digest username=\"bobby\", realm=\"corp9\", nonce=\"abcd\", uri=\"/x\", response=\"6629f\"\r\n",
        ["bobby", "corp9", "abcd", "6629f"], "uri=\"/x\""
      ),
      ("Authorization: AWS4-HMAC-SHA256 Credential=AKIA1, Signature=f00d\r\nX: y\r\n", ["AKIA1", "f00d"], "X: y"),
      ("*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$5\r\nadmin\r\n$6\r\nsecret\r\n", ["admin", "secret"], "HELLO"),
      ("HELLO 3 AUTH admin hunter2 SETNAME x\r\n", ["admin", "hunter2"], "SETNAME x"),
      ("AUTH admin hunter2\r\nGET a\r\n", ["hunter2"], "GET a"),
      ("a1 LOGIN bobby \"hunt er3\"\r\na2 SELECT INBOX\r\n", ["bobby", "hunt", "er3"], "a2 SELECT INBOX"),
      ("a1 AUTHENTICATE PLAIN aHVudGVy\r\n", ["aHVudGVy"], "AUTHENTICATE PLAIN"),
      ("AUTH CRAM-MD5\r\naHVudGVy\r\nQUIT\r\n", ["aHVudGVy"], "AUTH CRAM-MD5\r\n"),
      ("USER bobby\r\nPASS hun ter2\r\nSTAT\r\n", ["bobby", "hun", "ter2"], "STAT"),
      ("{\"user\":\"alice\",\"id\":7}", ["alice"], "\"id\":7"),
      ("username=alice&submit=1 login: bobby\r\n", ["alice", "bobby"], "&submit=1"),
      ("From: Bob Smith\r\nSubject: hi\r\n", ["Bob", "Smith"], "Subject: hi"),
      ("To: \"Bob Smith\" <b@x.org>, Eve Ng <e@x.org>\r\n", ["Bob", "Smith", "Eve", "x.org"], "To: "),
      (
        "Received: from host9.corp.example (HELO x) by mx1.corp.example with SMTP\r\n\tby inner7.corp; Mon\r\n",
        ["host9", "mx1", "inner7"], "with SMTP"
      ),
      ("HTTP/1.1 200 OK\r\nServer: db01.corp.example.net\r\nX-Served-By: cache-7\r\n", ["db01", "cache-7"], "200 OK"),
      ("GET / HTTP/1.1\r\nHost: intranet\r\nAccept: */*\r\n", ["intranet"], "Accept: */*"),
      ("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nUser-Agent: curl/7\r\n", [], "nginx/1.22.1\r\nUser-Agent: curl/7"),
      ("250-PIPELINING\r\n250 2.1.0 Ok\r\n250 AUTH LOGIN PLAIN\r\n", [], "250 2.1.0 Ok\r\n250 AUTH LOGIN PLAIN"),
      ("mysql://app:pw7@db.corp.example/x redis://cache.corp:1\r\n", ["app", "pw7", "db.corp", "cache"], "mysql://"),
    ] as [(String, [String], String)])
  func leaks(_ row: (said: String, secrets: [String], kept: String)) {
    var scrubber = Scrubber()
    let after = Self.text(scrubber.scrubbed(Self.conversation([(.client, Array(row.said.utf8))])), .client)
    #expect(after.utf8.count == row.said.utf8.count)
    for secret in row.secrets { #expect(!after.contains(secret), "\(after)") }
    #expect(after.contains(row.kept), "\(after)")
  }

  @Test("short texts that are different get different replacements, and never themselves")
  func short() {
    let words = ["secret", "s3cr3t"] + (0..<60).map { "pw\($0)" } + ["a", "b"]
    let said = words.map { "password=\($0)\r\n" }.joined()
    var scrubber = Scrubber()
    _ = scrubber.scrubbed(Self.conversation([(.client, Array(said.utf8))]))
    #expect(scrubber.replacements.map(\.original) == words)
    #expect(Set(scrubber.replacements.map(\.replacement)).count == words.count)
    #expect(scrubber.replacements.allSatisfy { $0.replacement != $0.original })
    #expect(scrubber.replacements.allSatisfy { $0.replacement.utf8.count == $0.original.utf8.count })
  }

  @Test("the name that a ClientHello asks for, wherever it is cut; one that is cut off changes nothing")
  func serverName() {
    let name = Array("secret-host.corp".utf8)
    func counted(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
      (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    }
    let list = counted([0] + counted(name, 2), 2)
    let extensions = [0, 43] + counted([2, 3, 4], 2) + [0, 0] + counted(list, 2)
    let random = [UInt8](repeating: 0x52, count: 32)
    let body =
      [3, 3] + random + counted([1, 2], 1) + counted([0x13, 1], 2) + counted([0], 1) + counted(extensions, 2)
    let hello = [0x16, 3, 1] + counted([1] + counted(body, 3), 2)
    for cut in [1, 50, hello.count] {
      var scrubber = Scrubber()
      let pieces = [(Conversation.Side.client, Array(hello.prefix(cut))), (.client, Array(hello.dropFirst(cut)))]
      let after = scrubber.scrubbed(Self.conversation(pieces.filter { !$0.1.isEmpty }))
      #expect(Self.bytes(after, .client).count == hello.count)
      #expect(!Self.text(after, .client).contains("secret-host"))
      #expect(scrubber.replacements.map(\.original) == ["secret-host.corp"])
    }
    for count in 0..<hello.count {
      var scrubber = Scrubber()
      let cut = Self.conversation([(.client, Array(hello.prefix(count)))])
      #expect(Self.bytes(scrubber.scrubbed(cut), .client) == Array(hello.prefix(count)))
    }
  }

  @Test("a piece that crosses the limit is looked through as far as that")
  func limit() {
    let filling = [UInt8](repeating: UInt8(ascii: "-"), count: 900_000)
    let secret = Array("\r\npassword=hunter2\r\n".utf8)
    var scrubber = Scrubber()
    let before = Self.conversation([(.client, filling), (.client, secret + filling)])
    let after = scrubber.scrubbed(before)
    #expect(scrubber.replacements.map(\.original) == ["hunter2"])
    #expect(Self.bytes(after, .client).count == Self.bytes(before, .client).count)
    #expect(after.notes.contains("Of the client only the first 1 MiB were looked through."))
  }

  @Test(
    "words and rows of blanks of any length take no longer than other text, and what stands beside them is found",
    arguments: ["a", "a.", "a+", " ", "a@"])
  func longWords(unit: String) {
    let filling = String(repeating: unit, count: 200_000 / unit.utf8.count)
    let said = "@ :// ,x\(filling)\r\nRCPT TO:<alice@mail.example.org>\r\n"
    var scrubber = Scrubber()
    var after = ""
    let took = ContinuousClock().measure {
      after = Self.text(scrubber.scrubbed(Self.conversation([(.client, Array(said.utf8))])), .client)
    }
    #expect(after.utf8.count == said.utf8.count)
    #expect(!after.contains("alice") && scrubber.replacements.map(\.original) == ["alice@mail.example.org"])
    // The square of the length would be minutes.
    #expect(took < .seconds(20), "\(took)")
  }

  @Test(
    "addresses of e-mail have a user and two labels at least",
    arguments: [
      ("<a@x.org>", ["a@x.org"]), ("b.c+d_1%e-f@one.ex-ample.net.", ["b.c+d_1%e-f@one.ex-ample.net"]),
      ("a@x.org,b@y.org", ["a@x.org", "b@y.org"]), ("a@x.org@y.org", ["a@x.org"]), ("a@b@c.org", ["b@c.org"]),
      ("a@b c@d. e@f..g @h.org i@.j k@", []),
    ])
  func mailAddresses(_ text: String, _ wanted: [String]) {
    let bytes = Array(text.utf8)
    let found = ScrubPatterns.mailAddresses(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(found == wanted)
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
