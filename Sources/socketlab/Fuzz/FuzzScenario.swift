import FuzzHarness

/// Inputs as scenarios, and scenarios as inputs.
enum FuzzScenario {
  /// The scenario file that says what an input does, or why there is none.
  static func text(
    _ input: [UInt8], _ target: FuzzTarget, title: String, depth: Int
  ) -> (text: String?, remarks: [String]) {
    (nil, ["Inputs of \(target.name) can't be said as scenarios."])
  }
}
