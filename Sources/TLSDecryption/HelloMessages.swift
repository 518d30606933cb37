/// What of a ClientHello is needed.
struct ClientHello {
  private(set) var random: [UInt8]
  private(set) var serverName: String?
  /// By ALPN, those that can be read.
  private(set) var protocols: [String] = []

  init(_ body: ArraySlice<UInt8>) throws(Undecrypted) {
    var fields = FieldReader(body, of: "ClientHello")
    _ = try fields.number(2)
    random = Array(try fields.bytes(32))
    _ = try fields.vector(1)
    _ = try fields.vector(2)
    _ = try fields.vector(1)
    for (type, content) in try HelloExtension.all(&fields) {
      switch type {
      case HelloExtension.serverName: serverName = try Self.name(content)
      case HelloExtension.protocols: protocols = try HelloExtension.names(content)
      default: break
      }
    }
  }

  private static func name(_ content: FieldReader) throws(Undecrypted) -> String? {
    var content = content
    var list = try content.vector(2)
    while !list.isEmpty {
      let type = try list.number(1)
      let name = try list.vector(2)
      if type == 0 { return HelloExtension.text(name.rest) }
    }
    return nil
  }
}

/// What of a ServerHello is needed; of a HelloRetryRequest, too, which has its form.
struct ServerHello {
  /// By this number a ServerHello says that it is a HelloRetryRequest (RFC 8446, 4.1.3).
  private static let retryRandom: [UInt8] = [
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
  ]

  private(set) var version: Int
  private(set) var random: [UInt8]
  private(set) var suite: Int
  /// Before TLS 1.3, which tells it later.
  private(set) var chosen: String?
  /// Of a HelloRetryRequest.
  private(set) var group: Int?
  /// Records of blocks are encrypted first, then authenticated (RFC 7366).
  private(set) var encryptsFirst = false

  init(_ body: ArraySlice<UInt8>) throws(Undecrypted) {
    var fields = FieldReader(body, of: "ServerHello")
    version = try fields.number(2)
    random = Array(try fields.bytes(32))
    _ = try fields.vector(1)
    suite = try fields.number(2)
    _ = try fields.number(1)
    for (type, content) in try HelloExtension.all(&fields) {
      var content = content
      switch type {
      case HelloExtension.versions: version = try content.number(2)
      case HelloExtension.protocols: chosen = try HelloExtension.names(content).first
      case HelloExtension.keyShare: group = try content.number(2)
      case HelloExtension.encryptThenMAC: encryptsFirst = true
      default: break
      }
    }
  }

  var isRetry: Bool { random == Self.retryRandom }
}

/// Extensions of a message, by their numbers.
enum HelloExtension {
  static let serverName = 0, protocols = 16, encryptThenMAC = 22, versions = 43, keyShare = 51

  /// Those that stand at the end of a message; there need not be any.
  static func all(_ fields: inout FieldReader) throws(Undecrypted) -> [(type: Int, content: FieldReader)] {
    guard !fields.isEmpty else { return [] }
    var list = try fields.vector(2)
    var found: [(Int, FieldReader)] = []
    while !list.isEmpty {
      let type = try list.number(2)
      found.append((type, try list.vector(2)))
    }
    return found
  }

  private static let maxNames = 16
  private static let maxName = 64

  /// Names of protocols, the first ones of many. Made-up ones that are no text, with which clients try servers, are
  /// left out.
  static func names(_ content: FieldReader) throws(Undecrypted) -> [String] {
    var content = content
    var list = try content.vector(2)
    var names: [String] = []
    while !list.isEmpty {
      let bytes = try list.vector(1).rest
      if let name = text(bytes), bytes.count <= maxName, names.count < maxNames { names.append(name) }
    }
    return names
  }

  /// nil: it is not printable ASCII, or nothing.
  static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name of a group for key exchange; nil: it has none here.
  static func group(_ number: Int) -> String? {
    [23: "P-256", 24: "P-384", 25: "P-521", 29: "X25519", 30: "X448"][number]
  }
}
