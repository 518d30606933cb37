import COpenSSL

/// Bytes that must not outlive their use, such as keys and passphrases, in memory of their own, which is overwritten
/// before it is freed. Code that copies them must overwrite its copy.
///
/// Unchecked: the memory is written only before another thread has a reference to it.
final class SecretBytes: @unchecked Sendable {
  let count: Int
  private let memory: UnsafeMutableRawBufferPointer
  /// Sees the memory between its cleansing and its end; for tests.
  private let inspect: ((UnsafeRawBufferPointer) -> Void)?

  /// Zeros.
  init(count: Int, inspect: ((UnsafeRawBufferPointer) -> Void)? = nil) {
    self.count = count
    memory = .allocate(byteCount: count, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    self.inspect = inspect
  }

  /// The bytes of a text, in UTF-8; with a NUL behind them where C wants one.
  convenience init(copying text: String, terminated isTerminated: Bool = false) {
    var text = text
    let count = text.utf8.count
    self.init(count: isTerminated ? count + 1 : count)
    text.withUTF8 { memory.copyMemory(from: UnsafeRawBufferPointer($0)) }
  }

  /// Lends the memory: nothing else holds it.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(memory)
  }

  /// A copy of another size with the first bytes; this one is to be let go.
  func resized(to count: Int, keeping kept: Int) -> SecretBytes {
    guard count != self.count else { return self }
    let other = SecretBytes(count: count, inspect: inspect)
    withBytes { other.memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<kept])) }
    return other
  }

  deinit {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
    inspect?(UnsafeRawBufferPointer(memory))
    memory.deallocate()
  }
}
