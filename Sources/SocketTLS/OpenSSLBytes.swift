import COpenSSL
import Glibc
import SocketCore

/// Bytes from files and memory, for OpenSSL's readers.
enum OpenSSLBytes {
  /// The most a file of certificates or keys may hold: far more than any real one, far less than hurts.
  static let limit = 4 << 20

  /// The bytes of a file, which may be secret; `other` when it can't be read or is too large.
  static func file(_ path: String) throws(SocketFailure) -> SecretBytes {
    guard !path.utf8.contains(0) else { throw .other("The path \(path.debugDescription) contains NUL.") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .other("\(path) can't be read: \(String(cString: strerror(errno))).") }
    defer { close(descriptor) }
    var status = stat()
    // One more than it has, so that its end is seen without another step of growth. Devices say 0.
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    var contents = SecretBytes(count: min(max(size, 1 << 12), limit) + 1)
    var count = 0
    while true {
      if count == contents.count {
        guard count <= limit else { throw .other("\(path) is larger than \(limit) bytes.") }
        contents = contents.resized(to: min(2 * count, limit + 1), keeping: count)
      }
      let result = contents.withBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw .other("\(path) can't be read: \(String(cString: strerror(errno))).") }
      guard result > 0 else { return contents.resized(to: count, keeping: count) }
      count += result
    }
  }

  /// Lends the bytes as a BIO that reads from them; nil stands for no memory.
  static func withBIO<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (OpaquePointer?) -> Result) -> Result {
    // OpenSSL wants a pointer even where there is nothing to read.
    let bio = bytes.baseAddress.flatMap { BIO_new_mem_buf($0, Int32(clamping: bytes.count)) } ?? BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    return body(bio)
  }

  /// Not where the bytes begin as DER of more than 127 bytes does, which no text can: a certificate may have PEM in it,
  /// with another certificate, that whoever made it wants to be taken for.
  static func looksLikePEM(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.count > 1, bytes[0] == 0x30, (0x80...0x84).contains(bytes[1]) { return false }
    return contains(bytes, "-----BEGIN ")
  }

  static func contains(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool { contains(bytes, text.utf8) }

  static func contains(_ bytes: UnsafeRawBufferPointer, _ wanted: some Collection<UInt8>) -> Bool {
    let length = wanted.count
    var rest = bytes[...]
    while rest.count >= length, let start = rest.firstIndex(of: wanted.first ?? 0) {
      rest = rest[start...]
      if rest.count >= length, rest.prefix(length).elementsEqual(wanted) { return true }
      rest = rest.dropFirst()
    }
    return false
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
