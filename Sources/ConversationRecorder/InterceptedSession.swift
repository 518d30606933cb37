import COpenSSL
import Conversations
import ScenarioModel
import ScriptedPeer

/// The TLS of one connection, opened: a session with the client and one with the server. What is said in one goes on in
/// the other.
///
/// Laws
/// - Bytes in, bytes out: no clock, no descriptor.
/// - The server is asked for what the client asked for: its name, its protocols, no later version than the client
///   knows. The client is answered when the server has agreed, with the protocol that the server chose.
/// - A record of one side is a record in the other's session. The end of what a side says (close_notify) goes on, and
///   so does its absence.
/// - The client hears the alert with which a server refuses.
final class InterceptedSession {
  /// What becomes of the client's hello.
  enum HelloAnswer {
    case wait, goOn
    case refused(alert: UInt8)
  }

  /// The lines of a key log for the session with the server.
  private(set) var secrets: [String] = []
  /// Why nothing more is said inside, in a sentence.
  private(set) var failure: String?

  private let interceptor: TLSInterceptor
  private let client: TLSLeg
  private var server: TLSLeg?
  private var serverAlert = internalError
  private var hasPassedOnClose: Set<Conversation.Side> = []

  private static let handshakeFailure: UInt8 = 40
  private static let internalError: UInt8 = 80
  /// What OpenSSL adds to the number of an alert to make a reason of it.
  private static let alertOffset: Int32 = 1_000

  /// nil: OpenSSL makes no session.
  init?(_ interceptor: TLSInterceptor) {
    // The certificate is chosen when the client has said whom it asks for.
    guard let context = try? interceptor.toClients(askingFor: nil), let client = TLSLeg(context, isServer: true)
    else { return nil }
    self.interceptor = interceptor
    self.client = client
    client.belong(to: self)
  }

  /// The session that one of these two belongs to.
  static func of(_ ssl: OpaquePointer) -> InterceptedSession? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<InterceptedSession>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether bytes of that side can be taken now.
  func takes(from side: Conversation.Side) -> Bool {
    guard side == .server else { return true }
    guard let server else { return failure != nil }
    return !server.isEstablished || client.isEstablished || failure != nil
  }

  /// Bytes from the wire.
  func take(_ bytes: UnsafeRawBufferPointer, from side: Conversation.Side) {
    guard failure == nil else { return }
    (side == .client ? client : server)?.receive(bytes)
    if !client.isEstablished { shakeHands() }
    guard failure == nil, client.isEstablished, let server else { return }
    passOn(from: .client, client, to: server)
    passOn(from: .server, server, to: client)
  }

  /// Bytes for the wire.
  func takeOutput(to side: Conversation.Side) -> [UInt8] { (side == .client ? client : server)?.takeOutput() ?? [] }

  func take(secret: String) { secrets.append(secret) }

  private func shakeHands() {
    while failure == nil {
      if case .failed(let reason) = client.shakeHands() {
        if failure == nil { failure = "The client ended the handshake with the recorder: \(reason)." }
        return
      }
      guard let server, !server.isEstablished else { return }
      switch server.shakeHands() {
      case .done: continue
      case .waits: return
      case .closed, .failed:
        failure = "The server ended the handshake with the recorder: \(server.failure ?? "it closed the session")."
        let alert = server.failureReason - Self.alertOffset
        serverAlert = UInt8(exactly: alert) ?? Self.handshakeFailure
        // It hears of it by its hello's answer.
        _ = client.shakeHands()
      }
    }
  }

  private func passOn(from side: Conversation.Side, _ source: TLSLeg, to target: TLSLeg) {
    while !source.isClosed {
      switch source.read({ target.write($0) }) {
      case .done: continue
      case .waits: return
      case .closed: if hasPassedOnClose.insert(side).inserted { target.closeNotify() }
      case .failed(let reason):
        failure = "The \(side.rawValue)'s session with the recorder failed: \(reason)."
        return
      }
    }
  }
}

// MARK: - The client's hello

extension InterceptedSession {
  private enum Extension {
    static let serverName: UInt32 = 0
    static let protocols: UInt32 = 16
    static let versions: UInt32 = 43
  }

  private static let maxName = 253

  /// Called while the client's hello is read, perhaps several times.
  func answerToHello() -> HelloAnswer {
    guard failure == nil else { return .refused(alert: serverAlert) }
    if let server { return server.isEstablished ? .goOn : .wait }
    let name = requestedName
    guard let context = try? interceptor.toClients(askingFor: name), SSL_set_SSL_CTX(client.ssl, context) != nil,
      let leg = TLSLeg(interceptor.toServer, isServer: false)
    else {
      failure = "The recorder could not speak TLS: \(TLSLeg.error)."
      return .refused(alert: Self.internalError)
    }
    leg.belong(to: self)
    if let name { _ = lab_peer_set_server_name(leg.ssl, name) }
    // The list without its length.
    let protocols = Array(body(of: Extension.protocols).dropFirst(2))
    if !protocols.isEmpty { SSL_set_alpn_protos(leg.ssl, protocols, UInt32(protocols.count)) }
    if let latestVersion { _ = lab_record_set_latest(leg.ssl, latestVersion) }
    server = leg
    return .wait
  }

  /// The protocol that the server chose; nil: none.
  var chosenProtocol: UnsafeBufferPointer<UInt8>? {
    guard let server else { return nil }
    var (bytes, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    SSL_get0_alpn_selected(server.ssl, &bytes, &count)
    return count > 0 ? UnsafeBufferPointer(start: bytes, count: Int(count)) : nil
  }

  private func body(of kind: UInt32) -> [UInt8] {
    var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
    guard SSL_client_hello_get0_ext(client.ssl, kind, &bytes, &count) == 1 else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The first host name of the list; nil: none that could be one.
  private var requestedName: String? {
    let name = body(of: Extension.serverName).dropFirst(5)
    guard !name.isEmpty, name.count <= Self.maxName else { return nil }
    let text = String(decoding: name, as: UTF8.self)
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return isPlain ? text : nil
  }

  /// The latest version that the client knows and OpenSSL has a number for.
  private var latestVersion: Int32? {
    let known = TLSVersion.tls10.number...TLSVersion.tls13.number
    let list = Array(body(of: Extension.versions).dropFirst())
    guard !list.isEmpty else {
      return min(Int32(clamping: SSL_client_hello_get0_legacy_version(client.ssl)), TLSVersion.tls12.number)
    }
    return stride(from: 0, to: list.count - 1, by: 2)
      .map { Int32(list[$0]) << 8 | Int32(list[$0 + 1]) }
      .filter { known.contains($0) }.max()
  }
}
