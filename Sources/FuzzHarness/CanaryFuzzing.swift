/// A planted defect: the body that every campaign must find wrong.
///
/// It is met by one prefix of three bytes, which chance alone would take sixteen million inputs to hit; whoever follows
/// coverage is there within seconds. A campaign that passes over it can't be believed about anything else.
package enum CanaryFuzzing {
  /// The law that is broken.
  package static let law = "canary/planted"

  package static let body: FuzzBody = { bytes in
    // One comparison at a time: each that holds is an edge of its own.
    guard bytes.count >= 3, bytes[0] == 0x46 else { return nil }
    guard bytes[1] == 0x55 else { return nil }
    guard bytes[2] == 0x5A else { return nil }
    return Violation(law, "the planted prefix was met, as it must be")
  }
}
