import SocketCore
import Testing

@testable import SocketTLS

/// Two sessions in one memory: what one has for the wire, the other is given, in pieces.
final class SessionPair {
  enum Chunking: CaseIterable { case bytewise, whole, random }

  let client: TLSSession
  let server: TLSSession
  var chunking: Chunking
  /// What travelled, for whoever looks into the wire.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  private var random: UInt64 = 7

  init(_ client: TLSConfiguration, _ server: TLSConfiguration, _ chunking: Chunking = .whole) throws {
    self.client = try TLSSession(client)
    self.server = try TLSSession(server)
    self.chunking = chunking
  }

  static func clientSettings(_ change: (inout TLSConfiguration) -> Void = { _ in }) -> TLSConfiguration {
    var settings = TLSConfiguration()
    settings.peerName = "good.example"
    settings.anchors = [Mint.root.tls]
    settings.anchorsOnly = true
    settings.verificationTime = Mint.now
    change(&settings)
    return settings
  }

  static func serverSettings(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> TLSConfiguration {
    var settings = TLSConfiguration()
    settings.role = .server
    settings.identity = try Mint.good.identity
    settings.verificationTime = Mint.now
    try change(&settings)
    return settings
  }

  /// A pair that has shaken hands.
  static func established(_ chunking: Chunking = .whole, version: ProtocolVersion = .tls13) throws -> SessionPair {
    let pair = try SessionPair(
      clientSettings {
        $0.minimumVersion = version
        $0.maximumVersion = version
      }, try serverSettings(), chunking)
    try pair.shakeHands()
    return pair
  }

  func shakeHands() throws {
    let (client, server) = run()
    try #require(client.isComplete && server.isComplete, "\(client) \(server)")
  }

  /// Goes on until neither side moves; what both say at last.
  @discardableResult
  func run() -> (client: HandshakeProgress, server: HandshakeProgress) {
    var progress = (client.handshake(), server.handshake())
    while carry() { progress = (client.handshake(), server.handshake()) }
    return progress
  }

  /// Hands over one piece each way; false when there is none.
  func carry() -> Bool {
    let one = carry(client, server, &toServer)
    let other = carry(server, client, &toClient)
    return one || other
  }

  func carryAll() { while carry() {} }

  private func carry(_ from: TLSSession, _ to: TLSSession, _ log: inout [UInt8]) -> Bool {
    let output = from.output
    guard !output.isEmpty else { return false }
    let room = to.inputRoom
    random = random &* 6_364_136_223_846_793_005 &+ 1
    let wanted =
      switch chunking {
      case .bytewise: 1
      case .whole: output.count
      case .random: Int(random >> 33) % 700 + 1
      }
    let piece = UnsafeRawBufferPointer(rebasing: output.prefix(min(wanted, room.count)))
    room.copyMemory(from: piece)
    log += piece
    to.inputFilled(piece.count)
    from.outputTaken(piece.count)
    return true
  }
}

extension HandshakeProgress {
  var isComplete: Bool { if case .complete = self { true } else { false } }
  var needsInput: Bool { if case .needsInput = self { true } else { false } }
  var failure: SocketFailure? { if case .failed(let failure) = self { failure } else { nil } }
  var trust: PeerTrust? { if case .awaitsTrust(let trust) = self { trust as? PeerTrust } else { nil } }
  var code: Int32? { failure?.code }
}

extension SocketFailure {
  var code: Int32? { if case .tls(let code, _) = self { code } else { nil } }
  var text: String {
    switch self {
    case .tls(_, let text), .other(let text): text
    default: ""
    }
  }
}

extension SecureResult {
  var failure: SocketFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension TLSSession {
  /// Seals text or bytes, which must work.
  func say(_ bytes: [UInt8]) { #expect(bytes.withUnsafeBytes { seal($0) } == nil) }

  /// Everything that can be opened now, and what came after it.
  func hear(_ limit: Int = 1 << 16) -> (bytes: [UInt8], end: SecureResult) {
    var heard: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: limit)
    while true {
      let result = buffer.withUnsafeMutableBytes { open(into: $0) }
      guard case .bytes(let count) = result else { return (heard, result) }
      heard += buffer[..<count]
    }
  }

  /// Bytes from a wire that no session is at the other end of.
  func feed(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let room = inputRoom
      let piece = rest.prefix(room.count)
      room.copyBytes(from: piece)
      inputFilled(piece.count)
      rest = rest.dropFirst(piece.count)
    }
  }

  func takeOutput() -> [UInt8] {
    let bytes = Array(output)
    outputTaken(bytes.count)
    return bytes
  }
}
