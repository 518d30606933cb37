import COpenSSL
import Conversations
import ScenarioModel
import TestCertificates
import Testing

@testable import TLSDecryption

/// A client and a server of OpenSSL's, joined in memory, and what would be captured between them.
final class TalkingPair {
  struct Options {
    var version = TLSVersion.tls13
    var suite = "TLS_AES_128_GCM_SHA256"
    var encryptsFirst = true
    /// The server's; nil: OpenSSL's choice.
    var groups: String?
    var serverName: String? = "good.example"
    var asksClient = false
    /// The padding of records, in bytes.
    var padding = 0
    /// Said before the handshake.
    var clear: [(Conversation.Side, String)] = []
  }

  private static let noEncryptThenMAC = UInt64(1) << 19

  /// In the order of the wire, a millisecond apart.
  private(set) var events: [Conversation.Event] = []
  private(set) var keyLog: [String] = []
  /// What was said inside, in words: the oracle.
  private(set) var told: [String] = []
  private let contexts: (client: OpaquePointer, server: OpaquePointer)
  private let sessions: (client: OpaquePointer, server: OpaquePointer)

  init(_ options: Options, resuming earlier: TalkingPair? = nil) throws {
    ERR_clear_error()
    if let earlier {
      contexts = earlier.contexts
      SSL_CTX_up_ref(contexts.client)
      SSL_CTX_up_ref(contexts.server)
    } else {
      contexts = (
        try #require(SSL_CTX_new(TLS_client_method())), try #require(SSL_CTX_new(TLS_server_method()))
      )
      for context in [contexts.client, contexts.server] { Self.set(context, options) }
      if let groups = options.groups { _ = lab_peer_set_groups(contexts.server, groups) }
      let isRSA = options.version == .tls12 && !options.suite.contains("ECDSA")
      try TestPKI.shared.identity(isRSA ? .leafRSA : .leaf).show(in: contexts.server)
      if options.asksClient {
        SSL_CTX_set_verify(contexts.server, SSL_VERIFY_PEER, { _, _ in 1 })
        try TestPKI.shared.identity(.client).show(in: contexts.client)
      }
    }
    sessions = (try #require(SSL_new(contexts.client)), try #require(SSL_new(contexts.server)))
    if let earlier {
      let session = SSL_get1_session(earlier.sessions.client)
      SSL_set_session(sessions.client, session)
      SSL_SESSION_free(session)
    }
    for ssl in [sessions.client, sessions.server] { SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())) }
    SSL_set_connect_state(sessions.client)
    SSL_set_accept_state(sessions.server)
    if let name = options.serverName { _ = lab_peer_set_server_name(sessions.client, name) }
    let offer: [UInt8] = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
    SSL_set_alpn_protos(sessions.client, offer, UInt32(offer.count))
    SSL_set_ex_data(sessions.server, 0, Unmanaged.passUnretained(self).toOpaque())
    for (side, text) in options.clear {
      note(side, Array(text.utf8))
      told.append("\(side) \(Self.gist(Array(text.utf8)))")
    }
    try shake()
  }

  deinit {
    SSL_free(sessions.client)
    SSL_free(sessions.server)
    SSL_CTX_free(contexts.client)
    SSL_CTX_free(contexts.server)
  }

  private static func set(_ context: OpaquePointer, _ options: Options) {
    SSL_CTX_set_security_level(context, 0)
    let number: Int32 = options.version == .tls13 ? 0x0304 : 0x0303
    _ = lab_peer_set_versions(context, number, number)
    if options.version == .tls13 {
      SSL_CTX_set_ciphersuites(context, options.suite)
    } else {
      SSL_CTX_set_cipher_list(context, options.suite + ":@SECLEVEL=0")
      SSL_CTX_ctrl(context, Int32(SSL_CTRL_SET_DH_AUTO), 1, nil)
    }
    if !options.encryptsFirst { SSL_CTX_set_options(context, noEncryptThenMAC) }
    if options.padding > 0 { SSL_CTX_set_block_padding(context, options.padding) }
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, chosen, count, offered, length, _ in
        // The last one that is offered: `http/1.1`.
        guard let offered, length == 12 else { return SSL_TLSEXT_ERR_NOACK }
        chosen?.pointee = offered + 4
        count?.pointee = 8
        return SSL_TLSEXT_ERR_OK
      }, nil)
    SSL_CTX_set_keylog_callback(context) { ssl, line in
      guard let line, let argument = SSL_get_ex_data(ssl, 0) else { return }
      Unmanaged<TalkingPair>.fromOpaque(argument).takeUnretainedValue().keyLog.append(String(cString: line))
    }
  }

  private func ssl(_ side: Conversation.Side) -> OpaquePointer {
    side == .client ? sessions.client : sessions.server
  }

  private func shake() throws {
    for _ in 0..<6 {
      for side in Conversation.Side.allCases {
        SSL_do_handshake(ssl(side))
        carry(from: side)
      }
    }
    try #require(SSL_is_init_finished(sessions.client) == 1 && SSL_is_init_finished(sessions.server) == 1)
    // Takes the tickets.
    receive(.client)
  }

  /// What the side has made goes over the wire.
  private func carry(from side: Conversation.Side) {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = Int(BIO_read(SSL_get_wbio(ssl(side)), &bytes, Int32(bytes.count)))
    guard count > 0 else { return }
    BIO_write(SSL_get_rbio(ssl(side.other)), bytes, Int32(count))
    note(side, Array(bytes.prefix(count)))
  }

  private func note(_ side: Conversation.Side, _ bytes: [UInt8]) {
    events.append(Conversation.Event(at: .milliseconds(events.count), side: side, act: .bytes(bytes)))
  }

  private func receive(_ side: Conversation.Side) {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    while SSL_read(ssl(side), &bytes, Int32(bytes.count)) > 0 {}
    ERR_clear_error()
    carry(from: side)
  }

  func say(_ side: Conversation.Side, _ bytes: [UInt8]) {
    SSL_write(ssl(side), bytes, Int32(bytes.count))
    carry(from: side)
    receive(side.other)
    told.append("\(side) \(Self.gist(bytes))")
  }

  func updateKeys(_ side: Conversation.Side) {
    SSL_key_update(ssl(side), SSL_KEY_UPDATE_NOT_REQUESTED)
    SSL_do_handshake(ssl(side))
    carry(from: side)
    receive(side.other)
    told.append("\(side) new keys")
  }

  func close(_ side: Conversation.Side) {
    SSL_shutdown(ssl(side))
    carry(from: side)
    events.append(Conversation.Event(at: .milliseconds(events.count), side: side, act: .finish))
    told += ["\(side) close_notify", "\(side) fin"]
  }

  /// The client begins another handshake within the first one.
  func beginAgain() {
    SSL_renegotiate(sessions.client)
    SSL_do_handshake(sessions.client)
    carry(from: .client)
  }

  /// The side is given a record that nobody has sealed, and says what it thinks of that.
  func refuse(_ side: Conversation.Side) {
    let record: [UInt8] = [23, 3, 3, 0, 64] + [UInt8](repeating: 7, count: 64)
    BIO_write(SSL_get_rbio(ssl(side)), record, Int32(record.count))
    receive(side)
  }

  var conversation: Conversation { Conversation(client: "10.0.0.1:5000", server: "10.0.0.2:443", events: events) }

  /// With the session's secrets, but for those with the label.
  func decryption(without label: String? = nil) -> TLSDecryption {
    var log = TLSKeyLog()
    for line in keyLog where label.map({ !line.hasPrefix($0 + " ") }) ?? true { log.take(line) }
    return TLSDecryption(log)
  }

  func opened(without label: String? = nil) -> (Conversation, TLSDecryption.Outcome) {
    decryption(without: label).opened(conversation)
  }

  static func gist(_ bytes: [UInt8]) -> String { "\(bytes.count) \(ContentHash(of: bytes).text)" }
}

extension Conversation {
  /// In words, pieces of a side in a row joined.
  var told: [String] {
    var told: [String] = []
    var said: (side: Side, bytes: [UInt8])?
    func close() {
      if let said { told.append("\(said.side) \(TalkingPair.gist(said.bytes))") }
      said = nil
    }
    for event in events {
      if case .bytes(let bytes) = event.act {
        if said?.side != event.side { close() }
        said = (event.side, (said?.bytes ?? []) + bytes)
        continue
      }
      close()
      switch event.act {
      case .finish: told.append("\(event.side) fin")
      case .closeNotify: told.append("\(event.side) close_notify")
      case .keyUpdate: told.append("\(event.side) new keys")
      case .handshake: continue
      default: told.append("\(event.side) something else")
      }
    }
    close()
    return told
  }

  var handshake: Handshake? {
    for event in events { if case .handshake(let handshake) = event.act { return handshake } }
    return nil
  }
}
