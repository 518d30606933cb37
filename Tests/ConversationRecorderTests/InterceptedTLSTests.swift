import COpenSSL
import Conversations
import Glibc
import ScenarioModel
import SocketPOSIX
import SocketValues
import TLSDecryption
import TestCertificates
import Testing

@testable import ConversationRecorder

/// TLS that the recorder opens, between an OpenSSL client and an OpenSSL server of the test's.
@Suite struct InterceptedTLSTests {
  /// One end: a session of OpenSSL's over a socket that never blocks.
  private final class End {
    let ssl: OpaquePointer
    var descriptor: Descriptor
    private(set) var said = ""
    private(set) var isClosed = false
    private(set) var failure: String?

    init(_ context: OpaquePointer, _ descriptor: consuming Descriptor, isServer: Bool) {
      ssl = SSL_new(context)
      self.descriptor = descriptor
      SSL_set_fd(ssl, self.descriptor.rawValue)
      if isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
    }

    deinit { SSL_free(ssl) }

    var isEstablished: Bool { SSL_is_init_finished(ssl) == 1 }

    func go() {
      guard failure == nil, !isClosed else { return }
      ERR_clear_error()
      var buffer = [UInt8](repeating: 0, count: 20_000)
      let result = isEstablished ? SSL_read(ssl, &buffer, Int32(buffer.count)) : SSL_do_handshake(ssl)
      if result > 0 {
        if isEstablished, buffer.first != 0 { said += String(decoding: buffer[..<Int(result)], as: UTF8.self) }
        return
      }
      switch SSL_get_error(ssl, result) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
      case SSL_ERROR_ZERO_RETURN: isClosed = true
      default: failure = TLSLeg.error
      }
    }

    func say(_ text: String) { #expect(SSL_write(ssl, text, Int32(text.utf8.count)) == text.utf8.count) }
  }

  private final class Stage {
    let recorder: ConversationRecorder
    let interceptor: TLSInterceptor
    let client: End
    let server: End
    let listener: Descriptor
    private(set) var given: [ConversationRecording] = []

    /// `prologue`: what is said in clear before.
    init(
      prologue: [String] = [], trusts: Bool = true, name: String = "shop.example",
      client set: (OpaquePointer) -> Void = { _ in },
      server setServer: (OpaquePointer) -> Void = { _ in }
    ) throws {
      listener = try SocketCall.open(family: AF_INET)
      try SocketCall.bind(listener.rawValue, to: .loopbackIPv4(port: 0))
      try SocketCall.listen(listener.rawValue, backlog: 8)
      interceptor = try TLSInterceptor(now: TestPKI.pinnedNow, seed: 99, addresses: [[127, 0, 0, 1]])
      recorder = try ConversationRecorder(
        at: .loopbackIPv4(port: 0), to: try #require(SocketCall.localAddress(listener.rawValue)),
        interceptor: interceptor
      ) { "port \($0.port)" }
      let outgoing = try SocketCall.open(family: AF_INET)
      _ = try SocketCall.startConnect(outgoing.rawValue, to: recorder.address)
      let incoming = try Self.accepted(by: listener.rawValue, recorder)
      for (place, line) in prologue.enumerated() {
        let (from, to) =
          place % 2 == 0 ? (incoming.rawValue, outgoing.rawValue) : (outgoing.rawValue, incoming.rawValue)
        _ = Array(line.utf8).withUnsafeBytes { SocketCall.send(from, $0) }
        var got = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
        defer { buffer.deallocate() }
        for _ in 0..<500 where got < line.utf8.count {
          try recorder.turn(limit: .milliseconds(10)) { _ in }
          if case .bytes(let count) = SocketCall.receive(to, into: buffer) { got += count }
        }
        #expect(got == line.utf8.count)
      }
      let clients = try #require(SSL_CTX_new(TLS_client_method()))
      defer { SSL_CTX_free(clients) }
      if trusts { Self.trust(interceptor.authority, in: clients) }
      SSL_CTX_set_verify(clients, SSL_VERIFY_PEER, nil)
      if let parameters = SSL_CTX_get0_param(clients) { X509_VERIFY_PARAM_set_time(parameters, Int(TestPKI.pinnedNow)) }
      set(clients)
      let servers = try #require(SSL_CTX_new(TLS_server_method()))
      defer { SSL_CTX_free(servers) }
      try TestPKI.shared.identity(.leaf).show(in: servers)
      setServer(servers)
      client = End(clients, outgoing, isServer: false)
      server = End(servers, incoming, isServer: true)
      _ = lab_peer_set_server_name(client.ssl, name)
      SSL_set1_host(client.ssl, name)
    }

    private static func accepted(by listener: Int32, _ recorder: ConversationRecorder) throws -> Descriptor {
      for _ in 0..<500 {
        try recorder.turn(limit: .milliseconds(10)) { _ in }
        if let accepted = try SocketCall.accept(listener) { return accepted.takeDescriptor() }
      }
      throw SystemCallFailure(call: "accept", code: ETIMEDOUT)
    }

    private static func trust(_ pem: [UInt8], in context: OpaquePointer) {
      let memory = BIO_new_mem_buf(pem, Int32(pem.count))
      let root = PEM_read_bio_X509(memory, nil, nil, nil)
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root)
      X509_free(root)
      BIO_free(memory)
    }

    func go(until isDone: () -> Bool) throws {
      for _ in 0..<2_000 where !isDone() {
        client.go()
        server.go()
        try recorder.turn(limit: .milliseconds(1)) { given.append($0) }
      }
    }

    /// Ends both connections, and gives what was recorded, opened.
    func recorded() throws -> Conversation {
      _ = SocketCall.shutdown(client.descriptor.rawValue, .write)
      _ = SocketCall.shutdown(server.descriptor.rawValue, .write)
      for _ in 0..<500 where given.isEmpty {
        try recorder.turn(limit: .milliseconds(1)) { given.append($0) }
      }
      let recording = try #require(given.first)
      var log = TLSKeyLog()
      for line in recording.secrets { log.take(line) }
      return TLSDecryption(log).opened(recording.conversation).0
    }
  }

  /// What was said, without how it began and ended.
  private static func said(_ conversation: Conversation) -> [String] {
    conversation.events.compactMap { event in
      if case .bytes(let bytes) = event.act { return "\(event.side) \(String(decoding: bytes, as: UTF8.self))" }
      return event.act == .closeNotify ? "\(event.side) close_notify" : nil
    }
  }

  private static func handshake(_ conversation: Conversation) -> Conversation.Handshake? {
    conversation.events.lazy.compactMap { event in
      if case .handshake(let handshake) = event.act { handshake } else { nil }
    }.first
  }

  @Test(
    "what is said inside goes on and stands in the conversation, close_notify included", arguments: [0x0303, 0x0304])
  func opened(version: Int32) throws {
    let stage = try Stage(client: { _ = lab_peer_set_versions($0, version, version) })
    try stage.go { stage.client.isEstablished && stage.server.isEstablished }
    #expect(stage.client.failure == nil && stage.server.failure == nil)
    stage.client.say("GET /secret\r\n")
    try stage.go { stage.server.said.hasSuffix("\n") }
    stage.server.say("200 here\r\n")
    try stage.go { stage.client.said.hasSuffix("\n") }
    SSL_shutdown(stage.client.ssl)
    try stage.go { stage.server.isClosed }
    #expect(stage.server.isClosed && stage.client.said == "200 here\r\n")
    let conversation = try stage.recorded()
    #expect(
      Self.said(conversation) == ["client GET /secret\r\n", "server 200 here\r\n", "client close_notify"],
      "\(conversation.notes)")
    let handshake = try #require(Self.handshake(conversation))
    #expect(handshake.version.number == version && handshake.serverName == "shop.example")
    // The real server's, not the recorder's.
    #expect(handshake.serverCertificate?.text.contains("good.example") == true)
  }

  @Test("TLS after words in clear is opened, too")
  func afterStartTLS() throws {
    let stage = try Stage(prologue: ["220 hello\r\n", "STARTTLS\r\n", "220 go on\r\n"])
    try stage.go { stage.client.isEstablished && stage.server.isEstablished }
    stage.client.say("EHLO me\r\n")
    try stage.go { stage.server.said.hasSuffix("\n") }
    #expect(
      Self.said(try stage.recorded()) == [
        "server 220 hello\r\n", "client STARTTLS\r\n", "server 220 go on\r\n", "client EHLO me\r\n",
      ])
  }

  @Test("the protocol is the one that the server chose of those that the client offers")
  func protocols() throws {
    let offer: [UInt8] = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
    let stage = try Stage(
      client: { SSL_CTX_set_alpn_protos($0, offer, UInt32(offer.count)) },
      server: {
        SSL_CTX_set_alpn_select_cb(
          $0,
          { _, chosen, count, offered, _, _ in
            // The second of the offer.
            chosen?.pointee = offered.map { $0 + 4 }
            count?.pointee = 8
            return SSL_TLSEXT_ERR_OK
          }, nil)
      })
    try stage.go { stage.client.isEstablished && stage.server.isEstablished }
    var (bytes, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(stage.client.ssl, &bytes, &count)
    #expect(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self) == "http/1.1")
    let handshake = try #require(Self.handshake(try stage.recorded()))
    #expect(handshake.offered == ["h2", "http/1.1"] && handshake.chosen == "http/1.1")
  }

  @Test("a client that does not trust the authority objects, and the file can say so")
  func untrusted() throws {
    let stage = try Stage(trusts: false)
    try stage.go { stage.client.failure != nil }
    #expect(stage.client.failure == "certificate verify failed")
    let conversation = try stage.recorded()
    #expect(conversation.notes.contains { $0.contains("The client ended the handshake") && $0.contains("unknown ca") })
  }

  @Test("a server that refuses is heard by the client as the same alert")
  func refusal() throws {
    let stage = try Stage(
      client: { _ = lab_peer_set_versions($0, 0x0303, 0x0303) },
      server: { _ = lab_peer_set_versions($0, 0x0304, 0x0304) })
    try stage.go { stage.client.failure != nil }
    #expect(stage.client.failure?.contains("protocol version") == true, "\(stage.client.failure ?? "nothing")")
    #expect(try stage.recorded().notes.contains { $0.contains("The server ended the handshake") })
  }

  @Test("much in both directions goes on whole")
  func bulk() throws {
    let stage = try Stage()
    try stage.go { stage.client.isEstablished && stage.server.isEstablished }
    let text = String(repeating: "0123456789abcde\n", count: 1_000)
    for round in 1...40 {
      stage.client.say(text)
      stage.server.say(text)
      try stage.go { stage.server.said.utf8.count == round * 16_000 && stage.client.said.utf8.count == round * 16_000 }
    }
    #expect(stage.server.said == stage.client.said && stage.client.said.utf8.count == 640_000)
    let conversation = try stage.recorded()
    #expect(conversation.count(of: .client) == 640_000 && conversation.count(of: .server) == 640_000)
  }

  @Test(
    "a client's first bytes decide, however they are cut",
    arguments: [
      ([], nil), ([0x16], nil), ([0x16, 3, 1, 2, 0], nil), ([0x16, 3, 1, 2, 0, 1], true),
      ([0x16, 3, 3, 0, 9, 1, 7], true),
      ([0x16, 3, 1, 2, 0, 2], false), ([0x16, 2], false), ([0x16, 3, 5], false), ([0x47], false),
    ] as [([UInt8], Bool?)])
  func hello(bytes: [UInt8], isOne: Bool?) { #expect(TLSInterceptor.isHello(bytes) == isOne) }

  @Test("what looked like a hello and was none goes on, also when nothing follows")
  func undecided() throws {
    let stage = try Stage(prologue: ["hello\n"])
    _ = [UInt8]([0x16, 3]).withUnsafeBytes { SocketCall.send(stage.client.descriptor.rawValue, $0) }
    for _ in 0..<20 { try stage.recorder.turn(limit: .milliseconds(1)) { _ in } }
    let conversation = try stage.recorded()
    #expect(conversation.count(of: .client) == 2)
  }
}
