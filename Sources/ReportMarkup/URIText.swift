/// Text for URIs.
package enum URIText {
  /// The path, percent-encoded where a URI needs it.
  package static func path(_ path: String) -> String {
    path.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
      return isPlain || "/._-~".unicodeScalars.contains(scalar)
        ? String(Character(scalar)) : "%" + VisibleText.hexPair(byte).uppercased()
    }.joined()
  }
}
