import COpenSSL
import ScenarioModel
import TestCertificates

/// A real TLS session between two ends of OpenSSL in memory, told as the trace of a case in which a peer serves: what
/// went over the wire, and the secrets.
struct RecordedHandshake {
  private(set) var trace = TraceBuilder()
  private let log = KeyLog()
  private var client: End
  private var server: End
  /// How many bytes of what the client says arrive at a time; nil: all at once.
  private let cut: Int?

  struct Failure: Error {}

  /// The callback's place to put lines.
  private final class KeyLog {
    var lines: [String] = []
  }

  private struct End {
    let context: OpaquePointer
    let session: OpaquePointer
    let input: OpaquePointer
    let output: OpaquePointer

    init(isServer: Bool, maxVersion: Int) throws {
      guard let context = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else { throw Failure() }
      // SSL_CTRL_SET_MAX_PROTO_VERSION.
      _ = SSL_CTX_ctrl(context, 124, maxVersion, nil)
      if isServer { try TestPKI.shared.identity(.leaf).show(in: context) }
      guard let session = SSL_new(context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
        throw Failure()
      }
      SSL_set_bio(session, input, output)
      if isServer { SSL_set_accept_state(session) } else { SSL_set_connect_state(session) }
      (self.context, self.session, self.input, self.output) = (context, session, input, output)
    }

    func free() {
      SSL_free(session)
      SSL_CTX_free(context)
    }

    /// All that waits to go out.
    func drain() -> [UInt8] {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = Int(BIO_read(output, &piece, Int32(piece.count)))
        guard count > 0 else { return bytes }
        bytes += piece[..<count]
      }
    }

    func feed(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { BIO_write(input, $0.baseAddress, Int32($0.count)) } }

    func say(_ text: String) {
      _ = Array(text.utf8).withUnsafeBytes { SSL_write(session, $0.baseAddress, Int32($0.count)) }
    }

    func hear() {
      var piece = [UInt8](repeating: 0, count: 4_096)
      _ = SSL_read(session, &piece, Int32(piece.count))
    }
  }

  /// Handshake, a request, an answer, close_notify from both.
  static func trace(maxVersion: Int, cut: Int? = nil) throws -> Trace {
    var recording = try RecordedHandshake(maxVersion: maxVersion, cut: cut)
    defer {
      recording.client.free()
      recording.server.free()
    }
    try recording.run()
    return Trace(events: recording.trace.events, keyLog: recording.log.lines)
  }

  private init(maxVersion: Int, cut: Int?) throws {
    server = try End(isServer: true, maxVersion: maxVersion)
    client = try End(isServer: false, maxVersion: maxVersion)
    self.cut = cut
    SSL_CTX_set_ex_data(server.context, 0, Unmanaged.passUnretained(log).toOpaque())
    SSL_CTX_set_keylog_callback(server.context) { session, line in
      guard let line, let place = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0) else { return }
      Unmanaged<KeyLog>.fromOpaque(place).takeUnretainedValue().lines.append(String(cString: line))
    }
  }

  private mutating func run() throws {
    trace.open()
    trace.tls(.began(.server))
    var rounds = 0
    while SSL_is_init_finished(client.session) == 0 || SSL_is_init_finished(server.session) == 0 {
      rounds += 1
      guard rounds < 10 else { throw Failure() }
      _ = SSL_do_handshake(client.session)
      fromClient()
      _ = SSL_do_handshake(server.session)
      fromServer()
    }
    client.say("GET /secret HTTP/1.0\r\n\r\n")
    fromClient()
    server.hear()
    server.say("HTTP/1.0 200 OK\r\nContent-Length: 13\r\n\r\nhello capture")
    SSL_shutdown(server.session)
    fromServer()
    trace.act(.finish)
    client.hear()
    SSL_shutdown(client.session)
    fromClient()
    trace.see(.endOfStream, after: 0.1)
  }

  private mutating func fromClient() {
    let bytes = client.drain()
    for start in stride(from: 0, to: bytes.count, by: cut ?? max(1, bytes.count)) {
      trace.see(.received(Array(bytes[start...].prefix(cut ?? bytes.count))), after: 0.2)
    }
    server.feed(bytes)
  }

  private mutating func fromServer() {
    let bytes = server.drain()
    if !bytes.isEmpty { trace.send(bytes, after: 0.1) }
    client.feed(bytes)
  }
}
