import COpenSSL
import Glibc
import SocketCore

/// Bytes from files and memory, for OpenSSL's readers.
enum Reading {
  /// The most a file of certificates or keys may hold: far more than any real one, far less than hurts.
  static let limit = 4 << 20

  /// The bytes of a file; `other` when it can't be read or is too large.
  static func file(_ path: String) throws(SocketFailure) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw .other("The path \(path.debugDescription) contains NUL.") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .other("\(path) can't be read: \(String(cString: strerror(errno))).") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .other("\(path) can't be read: \(String(cString: strerror(errno))).") }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      guard bytes.count <= limit else { throw .other("\(path) is larger than \(limit) bytes.") }
    }
  }

  /// Lends the bytes as a BIO that reads from them; nil stands for no memory.
  static func withBIO<Result>(_ bytes: [UInt8], _ body: (OpaquePointer?) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      // OpenSSL wants a pointer even where there is nothing to read.
      let bio = bytes.baseAddress.flatMap { BIO_new_mem_buf($0, Int32(clamping: bytes.count)) } ?? BIO_new(BIO_s_mem())
      defer { BIO_free(bio) }
      return body(bio)
    }
  }

  static func looksLikePEM(_ bytes: [UInt8]) -> Bool { contains(bytes, "-----BEGIN ") }

  static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let mark = Array(text.utf8)
    guard bytes.count >= mark.count else { return false }
    return (0...(bytes.count - mark.count)).contains { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
  }

  /// What a function writes into a BIO, as text of at most `limit` bytes.
  static func text(limit: Int = 256, _ write: (OpaquePointer) -> Void) -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { return "?" }
    defer { BIO_free(bio) }
    write(bio)
    var bytes: UnsafeMutablePointer<CChar>?
    let count = lab_tls_bio_contents(bio, &bytes)
    guard let bytes, count > 0 else { return "" }
    let text = UnsafeRawBufferPointer(start: bytes, count: min(count, limit))
    return String(decoding: text, as: UTF8.self) + (count > limit ? "…" : "")
  }

  /// The DER that one of OpenSSL's i2d functions makes; empty when it can't.
  static func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let count = encode(nil)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      var position = buffer.baseAddress
      initialized = encode(&position) == count ? Int(count) : 0
    }
  }
}
