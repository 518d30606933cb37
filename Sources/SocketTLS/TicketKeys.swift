import COpenSSL
import Glibc
import SocketPOSIX
import SocketValues

/// The keys that encrypt session tickets (RFC 5077). A leaked key decrypts every TLS 1.2 connection on which a ticket
/// under it was issued, so a new one takes over every hour, and an old one is deleted when its last ticket has expired:
/// with the next handshake, or by `dropExpired`, for which whoever keeps the context has to come now and then.
///
/// Safe from any thread. The first key is made beforehand, the others when they are needed.
final class TicketKeys: Sendable {
  /// How long tickets can be used, in seconds.
  static let lifetime = 7200
  /// How long a key seals new tickets.
  static let rotation: Int64 = 3600 * 1_000_000_000
  private static let maximumAge = rotation + Int64(lifetime) * 1_000_000_000

  private struct Key {
    let secret: SecretBytes
    let made: Instant

    func isNamed(_ name: UnsafePointer<UInt8>) -> Bool {
      secret.withBytes { memcmp($0.baseAddress!, name, Parts.name) == 0 }
    }
  }

  /// What a key consists of, in bytes: its name, the cipher's key and the authentication's.
  private enum Parts {
    static let name = 16
    static let cipher = 32
    static let authentication = 32
    static let all = name + cipher + authentication
  }

  /// The newest last.
  private let keys = LockedValue<[Key]>([])
  private let now: @Sendable () -> Instant
  private let inspect: (@Sendable (UnsafeRawBufferPointer) -> Void)?

  /// `inspect` sees each key's memory after it was cleansed.
  init(
    now: @escaping @Sendable () -> Instant = Instant.now,
    inspect: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
  ) {
    self.now = now
    self.inspect = inspect
  }

  /// Makes the first key; false without randomness.
  func prepare() -> Bool { current() != nil }

  /// How many keys are kept.
  var count: Int { keys.withLock { $0.count } }

  /// Sets up a new ticket: writes the key's name and a fresh vector. OpenSSL's answers: 1, or -1 when it can't be.
  func seal(
    _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer,
    _ authentication: OpaquePointer
  ) -> Int32 {
    guard let key = current(), RAND_bytes(vector, 16) == 1 else { return -1 }
    let isSet = key.secret.withBytes { bytes in
      UnsafeMutableRawPointer(name).copyMemory(from: bytes.baseAddress!, byteCount: Parts.name)
      let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + Parts.name
      return EVP_EncryptInit_ex2(cipher, EVP_aes_256_cbc(), start, vector, nil) == 1
        && lab_tls_ticket_mac(authentication, start + Parts.cipher, Parts.authentication) == 1
    }
    return isSet ? 1 : -1
  }

  /// Sets up the opening of a ticket. OpenSSL's answers: 1, or 2 where the client shall get another ticket (in TLS 1.3
  /// always: each is for one use); 0 when no key has this name, which makes a full handshake; -1 on errors.
  func open(
    _ name: UnsafePointer<UInt8>, _ vector: UnsafePointer<UInt8>, _ cipher: OpaquePointer,
    _ authentication: OpaquePointer, isTLS13OrLater: Bool
  ) -> Int32 {
    let time = now()
    let known = keys.withLock { keys -> (key: Key, isCurrent: Bool)? in
      TicketKeys.drop(&keys, at: time)
      guard let index = keys.lastIndex(where: { $0.isNamed(name) }) else { return nil }
      let isNewest = index == keys.count - 1
      return (keys[index], isNewest && keys[index].made.nanoseconds(until: time) < TicketKeys.rotation)
    }
    guard let known else { return 0 }
    let isSet = known.key.secret.withBytes { bytes in
      let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) + Parts.name
      return EVP_DecryptInit_ex2(cipher, EVP_aes_256_cbc(), start, vector, nil) == 1
        && lab_tls_ticket_mac(authentication, start + Parts.cipher, Parts.authentication) == 1
    }
    guard isSet else { return -1 }
    return known.isCurrent && !isTLS13OrLater ? 1 : 2
  }

  /// The key for new tickets; nil: no randomness.
  private func current() -> Key? {
    let time = now()
    return keys.withLock { keys in
      TicketKeys.drop(&keys, at: time)
      if let last = keys.last, last.made.nanoseconds(until: time) < TicketKeys.rotation { return last }
      let key = Key(secret: SecretBytes(count: Parts.all, inspect: inspect), made: time)
      let isMade = key.secret.withBytes {
        RAND_priv_bytes($0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32($0.count)) == 1
      }
      guard isMade else { return nil }
      keys.append(key)
      return key
    }
  }

  /// Deletes the keys that open no valid ticket any more.
  func dropExpired() {
    let time = now()
    keys.withLock { TicketKeys.drop(&$0, at: time) }
  }

  private static func drop(_ keys: inout [Key], at time: Instant) {
    keys.removeAll { $0.made.nanoseconds(until: time) >= maximumAge }
  }
}
