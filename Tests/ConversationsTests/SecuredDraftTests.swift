import ScenarioModel
import ScenarioYAML
import Testing

@testable import Conversations

/// Conversations whose TLS was opened, as scenario files.
@Suite struct SecuredDraftTests {
  typealias Told = (side: Conversation.Side, act: Conversation.Act)

  private static func handshake(_ change: (inout Conversation.Handshake) -> Void = { _ in }) -> Conversation.Act {
    var handshake = Conversation.Handshake()
    handshake.suite = "TLS_AES_256_GCM_SHA384"
    handshake.serverCertificate = Conversation.Certificate(text: "CN=shop, valid from then to now", isRSA: true)
    change(&handshake)
    return .handshake(handshake)
  }

  private static func text(_ string: String) -> Conversation.Act { .bytes(Array(string.utf8)) }

  private static func conversation(_ told: [Told]) -> Conversation {
    Conversation(
      client: "10.0.0.1:5000", server: "10.0.0.2:443",
      events: told.enumerated().map {
        Conversation.Event(at: .milliseconds($0.offset), side: $0.element.side, act: $0.element.act)
      })
  }

  private static func draft(
    _ conversation: Conversation, peer: Conversation.Side = .server
  ) -> String {
    let draft = ScenarioDraft(conversation, ScenarioDraft.Settings(peer: peer, name: "talk", source: "a test"))
    let files = Dictionary(uniqueKeysWithValues: draft.files.map { ($0.path, $0.bytes) })
    let result = ScenarioReader.read(bytes: Array(draft.text.utf8), id: "talk") { files[$0] }
    #expect(result.scenario != nil, "\(result.diagnostics)\n\(draft.text)")
    return draft.text
  }

  private static func expect(_ parts: [String], in text: String) {
    var rest = text[...]
    for part in parts {
      guard let place = rest.firstRange(of: part) else {
        Issue.record("no \(part) in the rest of\n\(text)")
        return
      }
      rest = rest[place.upperBound...]
    }
  }

  private static let simple: [Told] = [
    (
      .client,
      handshake {
        $0.serverName = "shop.example"; $0.offered = ["h2", "http/1.1"]; $0.chosen = "h2"
      }
    ),
    (.client, text("hello")), (.server, text("world")), (.server, .closeNotify), (.server, .finish), (.client, .finish),
  ]

  @Test("the handshake stands in both lanes, and says whose certificate was replaced")
  func client() {
    Self.expect(
      [
        "# TLS 1.3 with TLS_AES_256_GCM_SHA384, opened",
        "CN=shop, valid from then to now: the lab's certificate leaf-rsa",
        "  - accept\n",
        "  - tls: { version: tls1.3, certificate: leaf-rsa, ciphers: [\"TLS_AES_256_GCM_SHA384\"],",
        " alpn: [\"h2\"], tickets: 0 }",
        "  - expectTLS: { sni: \"shop.example\", alpn: \"h2\" }\n", "- expect: \"hello\"\n", "- send: \"world\"\n",
        "  - finish\n",
        "  - startTLS: { peerName: \"shop.example\", manualTrust: true, alpn: [\"h2\", \"http/1.1\"] }\n",
        "  - after: didSecure\n", "- { when: didReceiveTrust, do: [trust: true] }\n", "  - didReceiveTrust\n",
        "  - didSecure\n",
        "didDisconnect: { error: Closed }", "ending: peer fin\n",
      ], in: Self.draft(Self.conversation(Self.simple)))
  }

  @Test("as a server the subject has the lab's certificate, and the peer asks for the name")
  func server() {
    let text = Self.draft(Self.conversation(Self.simple), peer: .client)
    Self.expect(
      [
        "- connect: socket\n", "- tls: { version: tls1.3, serverName: \"shop.example\", ciphers:",
        "- send: \"hello\"\n",
        "- expectAlert: close_notify\n", "- startTLS: { role: server, certificate: leaf-rsa, alpn: [\"h2\"] }\n",
        "- child.didSecure\n",
      ], in: text)
    #expect(!text.contains("didReceiveTrust"))
  }

  @Test("the name of the lab's own certificates is verified; one that is no name is not asked for")
  func names() {
    let own = Self.draft(Self.conversation([(.client, Self.handshake { $0.serverName = "good.example" })]))
    #expect(own.contains("- startTLS: { peerName: \"good.example\" }\n"))
    for name in ["10.0.0.1", "a b", "\"quoted\"", "a..b", "::1", String(repeating: "a", count: 64) + ".com"] {
      let text = Self.draft(Self.conversation([(.client, Self.handshake { $0.serverName = name })]))
      #expect(text.contains("- startTLS\n"), "\(text)")
      #expect(text.replacing("\n# ", with: " ").contains("no name that can be asked for"))
    }
  }

  @Test("old suites are asked for, and what the peer can't play is not")
  func suites() {
    let old = Self.handshake { ($0.version, $0.suite) = (.tls12, "ECDHE-RSA-AES128-SHA") }
    Self.expect(
      [
        "- tls: { version: tls1.2, certificate: leaf-rsa, ciphers: [\"ECDHE-RSA-AES128-SHA\"] }\n",
        "- startTLS: { ciphers: [\"ECDHE-RSA-AES128-SHA\"] }\n",
      ], in: Self.draft(Self.conversation([(.client, old)])))
    let odd = Self.handshake { ($0.version, $0.suite) = (.tls12, "PSK-AES128-GCM-SHA256") }
    Self.expect(
      [
        "# The peer agrees to another cipher suite", "- tls: { version: tls1.2, certificate: leaf-rsa }\n",
        "- startTLS\n",
      ],
      in: Self.draft(Self.conversation([(.client, odd)])))
  }

  @Test("tickets, another group, and certificates of the client's")
  func extras() {
    let handshake = Self.handshake {
      ($0.tickets, $0.isRetried, $0.retryGroup, $0.asksForCertificate) = (2, true, "P-384", true)
      $0.clientCertificate = Conversation.Certificate(text: "CN=me", isRSA: false)
    }
    let conversation = Self.conversation([(.client, handshake), (.client, Self.text("x"))])
    Self.expect(
      [
        "HelloRetryRequest", "CN=me", "groups: [\"P-384\"], clientCertificate: request, tickets: 2 }\n",
        "- startTLS: { certificate: client }\n",
      ], in: Self.draft(conversation))
  }

  @Test("how TLS ends: truncated, with close_notify alone, with an alert, by the subject")
  func ends() {
    let start: [Told] = [(.client, Self.handshake()), (.client, Self.text("x"))]
    Self.expect(
      ["- truncate\n", "didDisconnect: { error: [errSSLClosedNoNotify, errSSLClosedAbort] }\n", "ending: peer fin\n"],
      in: Self.draft(Self.conversation(start + [(.server, .finish), (.client, .finish)])))
    Self.expect(
      [
        "- closeNotify\n", "- expectEnd: fin\n", "- close\n", "didDisconnect: { error: Closed }",
        "ending: subject fin\n",
      ],
      in: Self.draft(
        Self.conversation(
          start + [(.server, .closeNotify), (.client, .closeNotify), (.client, .finish), (.server, .finish)])))
    let alert = TLSAlert(level: 2, description: 80)
    let alerted = Self.draft(Self.conversation(start + [(.server, .alert(alert)), (.client, .finish)]))
    Self.expect(
      [
        "- alert: { level: 2, description: 80 }  # fatal internal_error\n", "didDisconnect: { error: SSL }\n",
        "ending: subject either\n",
      ], in: alerted)
    #expect(!alerted.contains("ciphers:"), "the peer makes records by hand, and can't choose the suite")
    Self.expect(
      [
        "without close_notify; the subject sends one", "- expectAlert: close_notify\n  - expectEnd: fin\n",
        "- disconnectAfterWriting\n", "ending: subject fin\n",
      ],
      in: Self.draft(Self.conversation(start + [(.client, .finish), (.server, .finish)])))
  }

  @Test("new keys, asked for and answered; what was said in clear before the handshake")
  func updates() {
    let text = Self.draft(
      Self.conversation([
        (.server, Self.text("220 mail\r\n")), (.client, Self.text("STARTTLS\r\n")), (.server, Self.text("220 go\r\n")),
        (.client, Self.handshake()), (.server, .keyUpdate(requested: true)), (.client, .keyUpdate(requested: false)),
        (.server, .keyUpdate(requested: false)), (.client, Self.text("x")),
      ]))
    Self.expect(
      [
        "- send: \"220 go\\r\\n\"\n  - tls:", "- keyUpdate: { requested: true }\n  - expectKeyUpdate\n  - keyUpdate\n",
        "- after: { didRead: { tag: 3 } }\n  - startTLS\n",
      ], in: text)
  }

  @Test("the name that was asked for is scrubbed as it is in the request, and certificates are nobody's")
  func scrubbed() {
    var scrubber = Scrubber()
    let talk: [Told] = [
      (.client, Self.handshake { $0.serverName = "shop.example.com" }),
      (.client, Self.text("GET / HTTP/1.1\r\nHost: shop.example.com\r\n\r\n")),
    ]
    let scrubbed = scrubber.scrubbed(Self.conversation(talk))
    let text = Self.draft(scrubbed)
    #expect(!text.contains("shop"), "\(text)")
    #expect(scrubber.replacements.map(\.times) == [2])
    #expect(text.contains("peerName: \"\(scrubber.replacements[0].replacement)\""), "\(text)")
  }

  @Test("keys that are changed again and again are a repeat, with what is said behind each change or alone")
  func keyChanges() {
    var told: [Told] = [(.client, Self.handshake())]
    for _ in 0..<5_000 { told += [(.server, .keyUpdate(requested: true)), (.server, Self.text("x"))] }
    told += Array(repeating: (.client, .keyUpdate(requested: false)), count: 4_000)
    told += [(.client, Self.text("y"))]
    told += Array(repeating: (.server, .keyUpdate(requested: false)), count: 3)
    told += [(.server, Self.text("z")), (.server, .closeNotify), (.server, .finish), (.client, .finish)]
    let text = Self.draft(Self.conversation(told))
    Self.expect(
      [
        "- repeat:\n      times: 5000\n      steps:\n        - keyUpdate: { requested: true }\n        - send: \"x\"\n",
        "- repeat:\n      times: 4000\n      steps:\n        - expectKeyUpdate\n", "- expect: \"y\"\n",
        "- repeat:\n      times: 3\n      steps:\n        - keyUpdate\n  - send: \"z\"\n",
        "- repeat:\n      times: 5000\n      steps:\n        - read: { length: 1B, tag: 1 }\n",
        "- after: { didRead: { tag: 1 }, occurrence: 5000 }\n", "- write: { bytes: \"y\", tag: 2 }\n",
        "- didRead: { tag: 1, bytes: \"x\", times: 5000 }\n", "- didWrite: { tag: 2 }\n",
      ], in: text)
    #expect(text.split(separator: "\n").count < 60)
  }
}
