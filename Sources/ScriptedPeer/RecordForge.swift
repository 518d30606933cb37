import COpenSSL
import ScenarioModel

/// Protects records with keys of the peer's own session, so that it can say things no TLS library would say. Knows
/// AES-128-GCM with SHA-256, of TLS 1.2 and 1.3.
///
/// Law: one forge for each key; it counts the records it protects, and nothing else may send with the key.
struct RecordForge {
  private static let tagLength = 16

  private enum Nonces {
    /// TLS 1.3: the number of the record is mixed in.
    case mixed(iv: [UInt8])
    /// TLS 1.2: the number stands in front of the record.
    case told(salt: [UInt8])
  }

  private let key: [UInt8]
  private let nonces: Nonces
  /// The traffic secret, from which the next key comes; nil in TLS 1.2.
  private let secret: [UInt8]?
  private(set) var sequence: UInt64 = 0

  /// TLS 1.3, from a traffic secret.
  init(trafficSecret secret: [UInt8]) {
    key = TLSKeySchedule.expand(secret, "key", count: TLSKeySchedule.keyLength)
    nonces = .mixed(iv: TLSKeySchedule.expand(secret, "iv", count: 12))
    self.secret = secret
  }

  /// TLS 1.2, from the master secret.
  init(masterSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8], role: TLSRole) {
    let length = TLSKeySchedule.keyLength
    let block = TLSKeySchedule.stretch(
      masterSecret, "key expansion", seed: serverRandom + clientRandom, count: 2 * length + 8)
    let isServer = role == .server
    key = Array(block[(isServer ? length : 0)..<(isServer ? 2 * length : length)])
    nonces = .told(salt: Array(block[(2 * length + (isServer ? 4 : 0))..<(2 * length + (isServer ? 8 : 4))]))
    secret = nil
  }

  var isTLS13: Bool { secret != nil }

  /// The forge of the next key (RFC 8446, 7.2); nil in TLS 1.2, which has none.
  var updated: RecordForge? {
    secret.map {
      RecordForge(trafficSecret: TLSKeySchedule.expand($0, "traffic upd", count: TLSKeySchedule.hashLength))
    }
  }

  /// The record with its header.
  mutating func seal(_ record: HandMadeRecord, _ payload: [UInt8]) -> [UInt8] {
    var plain = payload
    var nonce: [UInt8]
    var explicit: [UInt8] = []
    let number = Self.bytes(sequence)
    switch nonces {
    case .mixed(let iv):
      let inner = (record.innerType ?? record.type).rawValue
      if inner != 0 { plain.append(inner) }
      plain += [UInt8](repeating: 0, count: record.padding)
      nonce = iv
      for index in number.indices { nonce[4 + index] ^= number[index] }
    case .told(let salt):
      explicit = number
      nonce = salt + number
    }
    let length = explicit.count + plain.count + Self.tagLength
    let header = Self.header(record.type, record.version, length)
    let data = isTLS13 ? header : number + Self.header(record.type, record.version, plain.count)
    sequence &+= 1
    return header + explicit + encrypted(plain, nonce: nonce, data: data)
  }

  /// Type, version and length, the latter two in network order; a length above 65,535 says 65,535.
  static func header(_ type: TLSRecordType, _ version: UInt16, _ length: Int) -> [UInt8] {
    [type.rawValue] + bytes(version) + bytes(UInt16(clamping: length))
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Ciphertext and tag.
  private func encrypted(_ plain: [UInt8], nonce: [UInt8], data: [UInt8]) -> [UInt8] {
    guard let context = EVP_CIPHER_CTX_new() else { return [] }
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: plain.count + Self.tagLength)
    var count: Int32 = 0
    EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
    EVP_EncryptUpdate(context, nil, &count, data, Int32(clamping: data.count))
    EVP_EncryptUpdate(context, &result, &count, plain, Int32(clamping: plain.count))
    result.withUnsafeMutableBytes { bytes in
      let tail = UnsafeMutableRawBufferPointer(rebasing: bytes[plain.count...])
      _ = EVP_EncryptFinal_ex(context, tail.bindMemory(to: UInt8.self).baseAddress, &count)
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, Int32(Self.tagLength), tail.baseAddress)
    }
    return result
  }
}
