import COpenSSL

/// OpenSSL's randomness, from a seed where a thread asks for it. For tests only: the stream has no cryptographic worth.
///
/// `install` puts one method into the process. On a thread inside `with` it hands out the seeded stream; on all others
/// it passes on to OpenSSL's own generator, so other threads are not affected. The two modules that need equal bytes in
/// every run, the certificates and the simulated world, use this one.
///
/// OpenSSL 3.0 sends everything through the method that it draws with RAND_bytes(_ex) and RAND_priv_bytes(_ex): keys
/// of all kinds, the nonces of ECDSA, blinding, the randoms and tickets of TLS. What it does not: EVP_RAND_generate on
/// a context of the caller's own. An object that draws lazily (the blinding of an RSA key on its first use by a thread)
/// shifts what follows, so keys and contexts must be made inside the same `with` that uses them.
package enum SeededRandomness {
  /// Where a thread keeps the stream it draws from: a pointer into the frame of the `with` that it is in.
  private static let place: CRYPTO_THREAD_LOCAL? = {
    var key = CRYPTO_THREAD_LOCAL()
    return CRYPTO_THREAD_init_local(&key, nil) == 1 ? key : nil
  }()

  /// The method's address; 0: it can't be installed. It is kept here although OpenSSL keeps it, too: OpenSSL forgets it
  /// when the process ends, and a look for leaks comes after that.
  private static let installed: UInt = {
    // Lives as long as the process: OpenSSL keeps the pointer.
    let method = UnsafeMutablePointer<RAND_METHOD>.allocate(capacity: 1)
    method.initialize(to: RAND_METHOD())
    method.pointee.bytes = { SeededRandomness.fill($0, $1) }
    method.pointee.pseudorand = { SeededRandomness.fill($0, $1) }
    method.pointee.seed = { _, _ in 1 }
    method.pointee.add = { _, _, _ in 1 }
    method.pointee.status = { 1 }
    return place != nil && lab_rand_set_method(method) == 1 ? UInt(bitPattern: method) : 0
  }()

  /// Installs the method, once in the life of the process; further calls do nothing.
  package static func install() { _ = installed }

  /// Runs the body with OpenSSL's randomness on this thread coming from a fresh stream of the seed. Nests; what was
  /// there before is there again afterwards.
  package static func with<Result, Failure: Error>(
    seed: UInt64, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var stream = SeededStream(seed: seed)
    return try with(&stream, body)
  }

  /// As `with(seed:)`, going on with a stream of the caller's.
  package static func with<Result, Failure: Error>(
    _ stream: inout SeededStream, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    install()
    guard var place else { return try body() }
    let outer = CRYPTO_THREAD_get_local(&place)
    defer { CRYPTO_THREAD_set_local(&place, outer) }
    return try withUnsafeMutablePointer(to: &stream) { pointer throws(Failure) -> Result in
      CRYPTO_THREAD_set_local(&place, pointer)
      return try body()
    }
  }

  private static func fill(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
    guard let bytes, count > 0 else { return count == 0 ? 1 : 0 }
    guard var place, let pointer = CRYPTO_THREAD_get_local(&place) else {
      return lab_rand_default_bytes(bytes, count)
    }
    pointer.assumingMemoryBound(to: SeededStream.self).pointee.fill(
      UnsafeMutableBufferPointer(start: bytes, count: Int(count)))
    return 1
  }
}
