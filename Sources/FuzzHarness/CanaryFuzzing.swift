/// A planted defect: the body that every campaign must find wrong.
///
/// One prefix of three bytes triggers it, which chance alone would hit once in sixteen million inputs; a fuzzer that
/// follows coverage finds it within seconds. A campaign that misses it can't be believed about anything else.
///
/// Each byte that fits leads into a function of its own, because the coverage of a module that judges others counts
/// functions only.
package enum CanaryFuzzing {
  /// The law that is broken.
  package static let law = "canary/planted"

  /// Finds every input wrong that begins with the bytes 46 55 5A (hexadecimal).
  package static let body: FuzzBody = { bytes in
    bytes.count >= 3 && bytes[0] == 0x46 ? second(bytes) : nil
  }

  @inline(never)
  private static func second(_ bytes: UnsafeRawBufferPointer) -> Violation? { bytes[1] == 0x55 ? third(bytes) : nil }

  @inline(never)
  private static func third(_ bytes: UnsafeRawBufferPointer) -> Violation? {
    bytes[2] == 0x5A ? Violation(law, "the planted prefix was met, as it must be") : nil
  }
}
