import ScenarioModel

/// One thing OpenSSL wants to send: a handshake message, a change of ciphers, an alert, application data.
struct OutgoingMessage {
  /// Which key protects it.
  enum Epoch: Hashable {
    /// TLS 1.2 and before, after change-cipher-spec.
    case classic
    case handshake
    /// The number of key updates after the first key for application data.
    case application(Int)
  }

  var type: TLSRecordType
  /// What OpenSSL put in the record's header.
  var version: UInt16
  /// nil for alerts, application data and messages without a name.
  var message: HandshakeMessage?
  /// In clear; a handshake message with its header of four bytes.
  var content: [UInt8]
  /// The records as OpenSSL made them.
  var raw: [UInt8]
  /// nil: sent in clear.
  var epoch: Epoch?
  /// Whether `content` is no longer what `raw` carries.
  var isEdited = false
  var outerType: TLSRecordType?
  var outerVersion: UInt16?
  var outerLength: Int?

  /// A handshake message's four bytes in front of its body; a change of ciphers has none.
  private var headerLength: Int { type == .handshake ? min(4, content.count) : 0 }

  private var bodyLength: Int { content.count - headerLength }

  /// Makes the length in a handshake message's header so much.
  private mutating func setLength(_ length: Int) {
    guard headerLength == 4 else { return }
    for index in 0..<3 { content[1 + index] = UInt8(truncatingIfNeeded: length >> (16 - 8 * index)) }
  }

  /// Replaces the body, and says so in the header.
  mutating func setBody(_ body: [UInt8]) {
    content.replaceSubrange(headerLength..., with: body)
    setLength(body.count)
    isEdited = true
  }

  /// Makes a change that concerns this message alone; returns a description of it.
  mutating func edit(_ change: HandshakeEdit.Change) -> String {
    isEdited = true
    let body = Array(content[headerLength...])
    switch change {
    case .drop, .double, .swapWithNext: return "left as it is"
    case .empty:
      setBody([])
      return "emptied"
    case .truncate(let count):
      setBody(Array(body.dropLast(count)))
      return "cut short by \(min(count, body.count))"
    case .extend(let payload):
      setBody(body + payload.materialised)
      return "made longer by \(payload.count)"
    case .flip(let at):
      let offset = at ?? body.count - 1
      guard body.indices.contains(offset) else { return "has no byte \(offset) to flip" }
      content[headerLength + offset] ^= 1
      return "flipped in byte \(offset)"
    case .overwrite(let at, let payload):
      let bytes = payload.materialised.prefix(max(body.count - at, 0))
      guard at <= body.count else { return "has no byte \(at) to overwrite" }
      content.replaceSubrange((headerLength + at)..<(headerLength + at + bytes.count), with: bytes)
      return "overwritten from byte \(at)"
    case .retype(let number):
      guard headerLength > 0 else { return "has no type of its own" }
      content[0] = number
      return "given type \(number)"
    case .wrongLength(let by):
      setLength(max(bodyLength + by, 0))
      return "lying about its length by \(by)"
    case .reframe(let type, let version, let length):
      (outerType, outerVersion, outerLength) = (type, version, length)
      return "in a record of another kind"
    }
  }

  /// Puts other certificates into a certificate message of TLS 1.3 or before.
  mutating func setCertificates(_ chain: [[UInt8]], isTLS13: Bool) {
    func counted(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(truncatingIfNeeded: bytes.count >> 16), UInt8(truncatingIfNeeded: bytes.count >> 8)]
        + [UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
    let extensions: [UInt8] = isTLS13 ? [0, 0] : []
    let list = chain.reduce(into: [UInt8]()) { $0 += counted($1) + extensions }
    let context: [UInt8] = isTLS13 ? [0] : []
    setBody(context + counted(list))
  }
}
