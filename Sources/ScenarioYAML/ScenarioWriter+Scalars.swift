import ScenarioModel

/// Single values in the form people write them, for who writes the lines of a scenario file himself.
extension ScenarioWriter {
  /// A text in double quotes, with everything escaped that is not plainly visible.
  package static func quoted(_ text: String) -> String { ScalarText.quoted(text) }

  /// A title or name: without quotes if nothing in it could be misread.
  package static func scalar(_ text: String) -> String { ScalarText.text(text) }

  /// Two lowercase digits a byte, with a space between bytes.
  package static func hexDigits(_ bytes: some Sequence<UInt8>) -> String { HexText.text(bytes) }

  /// A time with its unit, exact.
  package static func duration(_ duration: Duration) -> String { DurationText.text(duration) }
}
