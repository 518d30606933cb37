/// A source of randomness. There is the system's own, which has no object.
public final class SecRandomRef: Sendable {
  private init() {}
}

/// The system's source of randomness.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes that are fit for keys.
///
/// - Parameters:
///   - rnd: The source; there is only `kSecRandomDefault`.
///   - count: How many bytes.
///   - bytes: Where they go; room for as many.
/// - Returns: `errSecSuccess`, or `errSecParam` for a negative count.
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
  guard count >= 0 else { return errSecParam }
  var generator = SystemRandomNumberGenerator()
  for offset in stride(from: 0, to: count, by: 8) {
    withUnsafeBytes(of: generator.next()) { word in
      UnsafeMutableRawBufferPointer(start: bytes + offset, count: min(8, count - offset))
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: word.prefix(count - offset)))
    }
  }
  return errSecSuccess
}
