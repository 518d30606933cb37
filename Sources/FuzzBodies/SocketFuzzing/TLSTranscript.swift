import SocketCore
import SocketPOSIX
import SocketTLS
import SocketValues
import TestCertificates

/// What one side of a TLS connection sent when all went well, kept to be played to the other side again.
///
/// All that is random comes from seeds, so a session that starts like the one of the recording sends the same bytes and
/// finds the transcript's records authentic. A run then costs one side's handshake instead of two.
struct TLSTranscript: Sendable {
  /// One application record.
  struct Record: Sendable {
    /// Of the wire's bytes, with this record.
    var end: Int
    /// Of the plain bytes.
    var plainEnd: Int
  }

  /// The role of the target.
  let target: HandshakeRole
  let version: ProtocolVersion
  /// Handshake, records, close_notify.
  let wire: [UInt8]
  let handshakeEnd: Int
  let records: [Record]
  let plain: [UInt8]

  /// What the records carry, in bytes.
  private static let pieces = [1, 5, 64, 300, 17, 1200, 2]
  /// The seeds of the contexts, the target and the peer.
  private static let contextSeed: UInt64 = 1
  static let targetSeed: UInt64 = 2
  private static let peerSeed: UInt64 = 3

  static let contexts = TLSContextCache(now: { Instant(nanoseconds: 0) })

  /// The four transcripts: role of the target and version. Made once per process, which takes some milliseconds.
  static let all: Result<[TLSTranscript], SocketFailure> = {
    do throws(SocketFailure) {
      var transcripts: [TLSTranscript] = []
      for target in [HandshakeRole.client, .server] {
        for version in [ProtocolVersion.tls13, .tls12] {
          transcripts.append(try TLSTranscript(target: target, version: version))
        }
      }
      return .success(transcripts)
    } catch { return .failure(error) }
  }()

  private static let known: [HandshakeRole: [ProtocolVersion: Result<TLSConfiguration, SocketFailure>]] = {
    var known: [HandshakeRole: [ProtocolVersion: Result<TLSConfiguration, SocketFailure>]] = [:]
    for role in [HandshakeRole.client, .server] {
      for version in [ProtocolVersion.tls13, .tls12] {
        do throws(SocketFailure) {
          known[role, default: [:]][version] = .success(try settings(role, version))
        } catch { known[role, default: [:]][version] = .failure(error) }
      }
    }
    return known
  }()

  /// The settings, made once: reading certificates and keys takes longer than a handshake's part.
  static func shared(_ role: HandshakeRole, _ version: ProtocolVersion) throws(SocketFailure) -> TLSConfiguration {
    guard let made = known[role]?[version] else { return try settings(role, version) }
    return try made.get()
  }

  /// Chain and dates are checked; the server's key is on P-256, the cheapest.
  static func settings(_ role: HandshakeRole, _ version: ProtocolVersion) throws(SocketFailure) -> TLSConfiguration {
    var settings = TLSConfiguration()
    settings.role = role
    settings.minimumVersion = version
    settings.maximumVersion = version
    settings.verificationTime = TestPKI.pinnedNow
    settings.anchorsOnly = true
    do {
      if role == .client {
        settings.anchors = try TLSCertificate.list(TestPKI.shared.anchor(for: .leafOnlyRootSigned))
      } else {
        let identity = try TestPKI.shared.identity(.leafOnlyRootSigned)
        settings.identity = try TLSIdentity(certificates: identity.chain, key: identity.key)
      }
    } catch { throw error as? SocketFailure ?? .other("\(error)") }
    return settings
  }

  /// Plays both sides.
  private init(target: HandshakeRole, version: ProtocolVersion) throws(SocketFailure) {
    let settings = try Self.shared(target, version)
    let peerSettings = try Self.shared(target == .client ? .server : .client, version)
    // The contexts are made first and apart: what they draw is drawn once.
    try SeededRandomness.with(seed: Self.contextSeed) { () throws(SocketFailure) in
      _ = try TLSSession(settings, contexts: Self.contexts)
      _ = try TLSSession(peerSettings, contexts: Self.contexts)
    }
    var ours = SeededStream(seed: Self.targetSeed)
    var theirs = SeededStream(seed: Self.peerSeed)
    let subject = try SeededRandomness.with(&ours) { () throws(SocketFailure) in
      try TLSSession(settings, contexts: Self.contexts)
    }
    let peer = try SeededRandomness.with(&theirs) { () throws(SocketFailure) in
      try TLSSession(peerSettings, contexts: Self.contexts)
    }
    var wire: [UInt8] = []
    var isAtRest = false
    while !isAtRest {
      let progress = [
        SeededRandomness.with(&ours) { subject.handshake() }, SeededRandomness.with(&theirs) { peer.handshake() },
      ]
      for case .failed(let failure) in progress { throw failure }
      isAtRest = subject.output.isEmpty && peer.output.isEmpty
      wire += peer.output
      Self.carry(from: peer, to: subject)
      Self.carry(from: subject, to: peer)
    }
    guard subject.isEstablished, peer.isEstablished else { throw .other("The transcript's handshake does not end.") }
    let handshakeEnd = wire.count
    var plain: [UInt8] = []
    var records: [Record] = []
    for count in Self.pieces {
      // Each byte tells where it belongs.
      let piece = (plain.count..<(plain.count + count)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) | 0x80 }
      plain += piece
      if let failure = piece.withUnsafeBytes({ peer.seal($0) }) { throw failure }
      wire += peer.output
      peer.outputTaken(peer.output.count)
      records.append(Record(end: wire.count, plainEnd: plain.count))
    }
    peer.close()
    wire += peer.output
    self.target = target
    self.version = version
    self.wire = wire
    self.handshakeEnd = handshakeEnd
    self.records = records
    self.plain = plain
  }

  private static func carry(from one: TLSSession, to other: TLSSession) {
    while !one.output.isEmpty {
      let room = other.inputRoom
      let piece = UnsafeRawBufferPointer(rebasing: one.output.prefix(room.count))
      room.copyMemory(from: piece)
      other.inputFilled(piece.count)
      one.outputTaken(piece.count)
    }
  }
}
