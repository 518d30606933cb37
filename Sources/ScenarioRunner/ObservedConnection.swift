import ScenarioModel
import ScriptedPeer

/// What a scripted peer said and heard in one of its connections.
///
/// Under TLS what counts is what the peer gave to its TLS and got out of it. Where it made records by hand, nobody
/// knows what they held.
struct ObservedConnection: Sendable {
  let peer: String
  /// Before its TLS began.
  private(set) var sentInClear: [[UInt8]] = []
  private(set) var sentSecured: [[UInt8]] = []
  /// Everything that came before its TLS began: the subject's first records may be among it.
  private(set) var receivedInClear: [[UInt8]] = []
  private(set) var receivedSecured: [[UInt8]] = []
  private(set) var isSecured = false
  private(set) var hasUrgentData = false
  private(set) var hasForged = false
  /// It read up to the subject's FIN, and understood all of it.
  private(set) var wasReadToTheEnd = false
  /// It no longer reads, or its TLS gave up: it can't tell what arrived.
  private(set) var ignoresInput = false

  init(peer: String) { self.peer = peer }

  var hasReceived: Bool { !receivedInClear.isEmpty || !receivedSecured.isEmpty }

  mutating func observe(_ kind: TraceKind) {
    switch kind {
    case .peerSaw(.received(let bytes), _): if !isSecured { receivedInClear.append(bytes) }
    case .peerAction(.send(let bytes), _): if !isSecured { sentInClear.append(bytes) }
    case .tls(.began, _): isSecured = true
    case .tls(.forged, _): hasForged = true
    case .tls(.plainReceived(let bytes), _): receivedSecured.append(bytes)
    case .tls(.plainSent(let bytes), _): sentSecured.append(bytes)
    case .peerAction(.sendUrgent, _): hasUrgentData = true
    case .peerAction(.shutdownRead, _): ignoresInput = true
    // A stream that merely ended without close_notify was understood up to its end.
    case .tls(.failed, _): ignoresInput = ignoresInput || !wasReadToTheEnd
    case .peerSaw(.endOfStream, _): wasReadToTheEnd = true
    default: break
    }
  }

  /// What a subject can have delivered, in order: what came in clear as far as it had delivered it when it was secured,
  /// and then only what came through TLS (TLS-06).
  ///
  /// - Parameters:
  ///   - inClear: what it delivered before it was secured, if it ever was.
  ///   - isSubjectSecured: whether it was.
  /// - Returns: nil: what there was to read is not known: it read records in clear, whose bytes the trace does not
  ///   tell, or bytes around urgent data, or records that the peer had made by hand.
  func sent(inClear: [[UInt8]], isSubjectSecured: Bool) -> [[UInt8]]? {
    guard !hasUrgentData, !hasForged else { return nil }
    let whole = ByteChunks.count(sentInClear)
    if isSecured, let next = ByteChunks.byte(at: whole, of: inClear), Self.recordTypes.contains(next) { return nil }
    guard isSubjectSecured else { return sentInClear }
    return ByteChunks.prefix(ByteChunks.count(inClear), of: sentInClear) + sentSecured
  }

  /// What arrived of what the subject wrote: in clear up to the first record of its TLS, if it has any, and then what
  /// came out of the peer's.
  func arrived(of written: [[UInt8]], usesTLS: Bool) -> [[UInt8]] {
    guard usesTLS, let offset = ByteChunks.firstDifference(receivedInClear, written),
      let record = firstRecord(upTo: offset)
    else { return receivedInClear + receivedSecured }
    return ByteChunks.prefix(record, of: receivedInClear) + receivedSecured
  }

  /// Where the record begins that is not what was written: its first bytes may be what was written later on.
  private func firstRecord(upTo offset: Int) -> Int? {
    (max(0, offset - Self.recordHeader)...offset).reversed().first { place in
      ByteChunks.byte(at: place, of: receivedInClear).map(Self.recordTypes.contains) ?? false
    }
  }

  private static let recordHeader = 5
  /// Of a first record: an alert or a handshake message.
  private static let recordTypes: ClosedRange<UInt8> = 21...22
}

/// Bytes in pieces, as they were read or written.
enum ByteChunks {
  static func count(_ chunks: [[UInt8]]) -> Int { chunks.reduce(0) { $0 + $1.count } }

  /// The first offset at which the chunks in `part`, joined, are not what those in `whole` are; nil: a prefix.
  static func firstDifference(_ part: [[UInt8]], _ whole: [[UInt8]]) -> Int? {
    var offset = 0
    var chunk = 0
    var start = 0
    for piece in part {
      var done = 0
      while done < piece.count {
        while chunk < whole.count, start == whole[chunk].count {
          chunk += 1
          start = 0
        }
        guard chunk < whole.count else { return offset }
        let count = min(piece.count - done, whole[chunk].count - start)
        if let difference = ByteComparison.firstDifference(piece, from: done, whole[chunk], from: start, count: count) {
          return offset + difference
        }
        done += count
        start += count
        offset += count
      }
    }
    return nil
  }

  static func byte(at offset: Int, of chunks: [[UInt8]]) -> UInt8? {
    var left = offset
    for chunk in chunks {
      if left < chunk.count { return chunk[left] }
      left -= chunk.count
    }
    return nil
  }

  static func prefix(_ count: Int, of chunks: [[UInt8]]) -> [[UInt8]] {
    var prefix: [[UInt8]] = []
    var left = count
    for chunk in chunks where left > 0 {
      prefix.append(Array(chunk.prefix(left)))
      left -= min(left, chunk.count)
    }
    return prefix
  }
}
