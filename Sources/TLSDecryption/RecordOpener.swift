import COpenSSL

/// A record as it came.
struct TLSRecord {
  static let headerCount = 5
  /// A header may say more than any version allows; RFC 8446, 5.2, and RFC 5246, 6.2.3.
  static let maxLength = (1 << 14) + 2_048

  var type: UInt8
  var header: [UInt8]
  var body: [UInt8]
}

/// Opens the records of one direction under one key.
///
/// Law: records are opened in the order in which they were sent, each once; what fails its authentication is an error.
final class RecordOpener {
  private enum Keys {
    /// The number of the record is mixed into the nonce.
    case mixed(iv: [UInt8])
    /// A part of the nonce stands in front of the record.
    case told(salt: [UInt8])
    case blocks(mac: [UInt8], hash: OpaquePointer, encryptsFirst: Bool)
  }

  private static let tagLength = 16
  private static let nonceLength = 12
  private static let tellingLength = 8
  private static let saltLength = 4

  private let suite: SuiteFacts
  private let key: [UInt8]
  private let keys: Keys
  /// From which the next key comes; nil before TLS 1.3.
  private let secret: [UInt8]?
  private let context: OpaquePointer
  private var sequence: UInt64 = 0

  private init(_ suite: SuiteFacts, key: [UInt8], keys: Keys, secret: [UInt8]?) throws(Undecrypted) {
    guard let context = EVP_CIPHER_CTX_new() else { throw Undecrypted(reason: "OpenSSL has no memory") }
    (self.suite, self.key, self.keys, self.secret, self.context) = (suite, key, keys, secret, context)
    guard EVP_DecryptInit_ex(context, suite.cipher, nil, key, nil) == 1 else {
      throw Undecrypted(reason: "OpenSSL does not open records of its cipher suite, \(suite.name)")
    }
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  /// TLS 1.3, from a traffic secret.
  static func modern(_ suite: SuiteFacts, secret: [UInt8]) throws(Undecrypted) -> RecordOpener {
    guard secret.count == suite.hashLength else {
      throw Undecrypted(reason: "a secret of the key log has \(secret.count) bytes, where \(suite.name) has others")
    }
    let key = try KeyDerivation.expand(secret, "key", count: suite.keyLength, hash: suite.hash)
    let iv = try KeyDerivation.expand(secret, "iv", count: nonceLength, hash: suite.hash)
    return try RecordOpener(suite, key: key, keys: .mixed(iv: iv), secret: secret)
  }

  /// TLS 1.2, both directions from the master secret.
  static func classic(
    _ suite: SuiteFacts, masterSecret: [UInt8], clientRandom: [UInt8], serverRandom: [UInt8], encryptsFirst: Bool
  ) throws(Undecrypted) -> (client: RecordOpener, server: RecordOpener) {
    let lengths: (mac: Int, iv: Int)
    switch suite.protection {
    case .sealed(let tellsNonce): lengths = (0, tellsNonce ? saltLength : nonceLength)
    case .blocks(let mac): lengths = (Int(EVP_MD_get_size(mac)), 0)
    }
    let block = try KeyDerivation.stretch(
      masterSecret, "key expansion", seed: serverRandom + clientRandom,
      count: 2 * (lengths.mac + suite.keyLength + lengths.iv), hash: suite.hash)
    var rest = block[...]
    func next(_ count: Int) -> (client: [UInt8], server: [UInt8]) {
      defer { rest = rest.dropFirst(2 * count) }
      return (Array(rest.prefix(count)), Array(rest.dropFirst(count).prefix(count)))
    }
    let (macs, ciphers, ivs) = (next(lengths.mac), next(suite.keyLength), next(lengths.iv))
    func keys(_ mac: [UInt8], _ iv: [UInt8]) -> Keys {
      switch suite.protection {
      case .sealed(let tellsNonce): tellsNonce ? .told(salt: iv) : .mixed(iv: iv)
      case .blocks(let hash): .blocks(mac: mac, hash: hash, encryptsFirst: encryptsFirst)
      }
    }
    return (
      try RecordOpener(suite, key: ciphers.client, keys: keys(macs.client, ivs.client), secret: nil),
      try RecordOpener(suite, key: ciphers.server, keys: keys(macs.server, ivs.server), secret: nil)
    )
  }

  /// The opener of the next key (RFC 8446, 7.2); nil before TLS 1.3, which has none.
  func updated() throws(Undecrypted) -> RecordOpener? {
    guard let secret else { return nil }
    let next = try KeyDerivation.expand(secret, "traffic upd", count: suite.hashLength, hash: suite.hash)
    return try Self.modern(suite, secret: next)
  }

  /// The content and its type; nil: the record fails its authentication.
  func open(_ record: TLSRecord) -> (type: UInt8, content: [UInt8])? {
    defer {
      sequence &+= 1
      ERR_clear_error()
    }
    guard let plain = content(of: record) else { return nil }
    guard secret != nil else { return (record.type, plain) }
    // Behind the content stands its type, then zeros.
    guard let place = plain.lastIndex(where: { $0 != 0 }) else { return nil }
    return (plain[place], Array(plain[..<place]))
  }

  private func content(of record: TLSRecord) -> [UInt8]? {
    let number = Self.bytes(sequence)
    switch keys {
    case .mixed(let iv):
      var nonce = iv
      for index in number.indices { nonce[nonce.count - number.count + index] ^= number[index] }
      return unsealed(record, record.body[...], nonce: nonce, number: number)
    case .told(let salt):
      guard record.body.count >= Self.tellingLength else { return nil }
      let nonce = salt + record.body.prefix(Self.tellingLength)
      return unsealed(record, record.body.dropFirst(Self.tellingLength), nonce: nonce, number: number)
    case .blocks(let mac, let hash, let encryptsFirst):
      let start = number + record.header.prefix(3)
      return encryptsFirst
        ? decryptedLast(record.body, start: start, mac: mac, hash: hash)
        : decryptedFirst(record.body, start: start, mac: mac, hash: hash)
    }
  }

  private func unsealed(
    _ record: TLSRecord, _ sealed: ArraySlice<UInt8>, nonce: [UInt8], number: [UInt8]
  ) -> [UInt8]? {
    let count = sealed.count - Self.tagLength
    guard count >= 0 else { return nil }
    let data = secret != nil ? record.header : number + record.header.prefix(3) + Self.word(count)
    var plain = [UInt8](repeating: 0, count: count)
    let ciphertext = Array(sealed.prefix(count))
    var tag = Array(sealed.suffix(Self.tagLength))
    var (made, rest): (Int32, Int32) = (0, 0)
    var none: UInt8 = 0
    guard EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1,
      EVP_DecryptUpdate(context, nil, &made, data, Int32(data.count)) == 1,
      EVP_DecryptUpdate(context, &plain, &made, ciphertext, Int32(count)) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1,
      EVP_DecryptFinal_ex(context, &none, &rest) == 1
    else { return nil }
    return plain
  }

  /// RFC 5246, 6.2.3.2: the code stands inside, in front of the padding.
  private func decryptedFirst(_ body: [UInt8], start: [UInt8], mac: [UInt8], hash: OpaquePointer) -> [UInt8]? {
    guard let plain = decrypted(body), let padding = Self.padding(plain) else { return nil }
    let length = Int(EVP_MD_get_size(hash))
    let count = plain.count - padding - length
    guard count >= 0 else { return nil }
    let content = Array(plain.prefix(count))
    let code = Self.code(start + Self.word(count) + content, key: mac, hash: hash)
    return code == Array(plain[count..<count + length]) ? content : nil
  }

  /// RFC 7366: the code stands behind what was encrypted.
  private func decryptedLast(_ body: [UInt8], start: [UInt8], mac: [UInt8], hash: OpaquePointer) -> [UInt8]? {
    let count = body.count - Int(EVP_MD_get_size(hash))
    guard count >= 0 else { return nil }
    let encrypted = Array(body.prefix(count))
    let code = Self.code(start + Self.word(count) + encrypted, key: mac, hash: hash)
    guard code == Array(body.suffix(body.count - count)), let plain = decrypted(encrypted),
      let padding = Self.padding(plain)
    else { return nil }
    return Array(plain.dropLast(padding))
  }

  /// Behind its first block, which is the vector; nil: these are no whole blocks.
  private func decrypted(_ body: [UInt8]) -> [UInt8]? {
    let block = Int(EVP_CIPHER_get_iv_length(suite.cipher))
    guard block > 0, body.count > block, body.count % block == 0 else { return nil }
    let encrypted = Array(body.dropFirst(block))
    var plain = [UInt8](repeating: 0, count: encrypted.count)
    var made: Int32 = 0
    guard EVP_DecryptInit_ex(context, nil, nil, key, Array(body.prefix(block))) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1,
      EVP_DecryptUpdate(context, &plain, &made, encrypted, Int32(encrypted.count)) == 1, Int(made) == plain.count
    else { return nil }
    return plain
  }

  /// How many bytes at the end are padding, its length among them; nil: it is none.
  private static func padding(_ plain: [UInt8]) -> Int? {
    guard let last = plain.last, plain.count > Int(last), plain.suffix(Int(last) + 1).allSatisfy({ $0 == last }) else {
      return nil
    }
    return Int(last) + 1
  }

  private static func code(_ bytes: [UInt8], key: [UInt8], hash: OpaquePointer) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard HMAC(hash, key, Int32(key.count), bytes, bytes.count, &result, &length) != nil else { return [] }
    return Array(result.prefix(Int(length)))
  }

  private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  private static func word(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }
}
