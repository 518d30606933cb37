import COpenSSL
import SocketCore

/// The bytes of a session from the wire and for it, and the BIO through which OpenSSL reads the one and writes the
/// other: no copy besides OpenSSL's own.
final class Wire {
  struct Buffers {
    /// Grows only while nothing takes from it (a trust answer is awaited) and the peer goes on sending.
    var input = WireBuffer()
    var output = WireBuffer()
    /// How often OpenSSL got all the bytes it asked for. It asks for the head of a record, then for the rest: two for
    /// each record, however the wire was cut.
    var reads = 0
    /// How many more reads of OpenSSL are served; from then on they get the answer that nothing has come.
    var readsLeft = Int.max
    /// How many bytes OpenSSL got in all.
    var taken = 0
    /// Whether OpenSSL was told that nothing has come.
    var isStarved = false
  }

  static let inputSize = 1 << 16

  /// Memory of its own: OpenSSL's callbacks reach it without references being counted.
  let buffers: UnsafeMutablePointer<Buffers>

  init() {
    buffers = .allocate(capacity: 1)
    buffers.initialize(to: Buffers())
  }

  deinit {
    buffers.pointee.input.free()
    buffers.pointee.output.free()
    buffers.deinitialize(count: 1)
    buffers.deallocate()
  }

  /// A BIO that lives at most as long as this object; `other` when there is no memory.
  func makeBIO() throws(SocketFailure) -> OpaquePointer {
    ERR_clear_error()
    guard let method = Wire.method.pointer, let bio = BIO_new(method) else {
      throw OpenSSLErrors.failure("TLS can't be set up")
    }
    BIO_set_data(bio, buffers)
    BIO_set_init(bio, 1)
    return bio
  }

  private static let method = Method()

  private static let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

  /// Unchecked: set once, when the first session is made, and only read afterwards.
  private struct Method: @unchecked Sendable {
    let pointer: OpaquePointer?

    init() {
      let kind = BIO_get_new_index()
      pointer = kind == -1 ? nil : BIO_meth_new(kind | BIO_TYPE_SOURCE_SINK, "session")
      guard let pointer else { return }
      BIO_meth_set_read(pointer) { bio, bytes, limit in
        guard let bytes, limit > 0, let buffers = Wire.buffers(of: bio) else { return 0 }
        let count = buffers.pointee.serve(bytes, Int(limit))
        BIO_clear_flags(bio, retryFlags)
        guard count == 0 else { return Int32(count) }
        // Even at the end of the stream: what the end means is decided by the session, not by OpenSSL.
        BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
      }
      BIO_meth_set_write(pointer) { bio, bytes, count in
        guard let bytes, count > 0, let buffers = Wire.buffers(of: bio) else { return 0 }
        BIO_clear_flags(bio, retryFlags)
        buffers.pointee.output.append(bytes, Int(count))
        return count
      }
      BIO_meth_set_ctrl(pointer) { _, command, _, _ in
        // Nothing is held back, and nothing else is understood.
        command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP ? 1 : 0
      }
    }
  }

  private static func buffers(of bio: OpaquePointer?) -> UnsafeMutablePointer<Buffers>? {
    BIO_get_data(bio)?.assumingMemoryBound(to: Buffers.self)
  }
}

extension Wire.Buffers {
  /// Gives OpenSSL at most `limit` bytes of the input; returns how many.
  fileprivate mutating func serve(_ bytes: UnsafeMutableRawPointer, _ limit: Int) -> Int {
    let count = readsLeft > 0 ? input.take(into: bytes, limit) : 0
    taken += count
    if count == limit {
      reads += 1
      readsLeft -= 1
    }
    if count == 0 { isStarved = true }
    return count
  }
}
