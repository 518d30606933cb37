import HostTools
import ReportMarkup
import ScenarioModel

/// What subjects are called: a name stands between the dashes of a variant's name.
///
/// Laws
/// - A name has small letters, digits, dots and underscores, and begins with a letter: no dash.
/// - It is none of the words that commands or variants' names use already; it may begin with one.
/// - What a person has called a folder or a program makes a name in one way only (`made`).
package enum SubjectName {
  /// The most characters of a name.
  private static let longest = 40

  /// The name that is made of what a person wrote: large letters become small, and dashes underscores.
  package static func made(of spelling: String) -> String {
    spelling.lowercased().replacing("-", with: "_")
  }

  /// What the person has called the program at a path: the file's name without what follows a dot; of a starter, all of
  /// its folder's name, by which the subject is found as well. `made` makes the name of it.
  package static func spelling(ofPath path: String) -> String {
    let real = PathText.real(path) ?? path
    let parts = real.split(separator: "/")
    guard let last = parts.last else { return path }
    guard last != SubjectProgram.starter || parts.count < 2 else { return String(parts[parts.count - 2]) }
    return String(last.prefix { $0 != "." })
  }

  /// Why no subject can be called so, as a sentence; nil: one can.
  static func refusal(of name: String) -> String? {
    let head = "A subject can't be called `\(VisibleText.clipped(name, to: 60))`: "
    if isWord(name) {
      return head + "`\(name)` is a word that commands or variants' names use. Rename its folder or program."
    }
    guard name.count <= longest else { return head + "a name has at most \(longest) characters." }
    guard let first = name.utf8.first, isLetter(first), name.utf8.allSatisfy(isPlain) else {
      return head + "a name has letters from a to z, digits, dots, dashes and underscores, and begins with a letter."
    }
    return nil
  }

  /// Words between the dashes of variants' names, and what commands call by a word of its own.
  private static let words: Set<String> = {
    var words: Set<String> = [SubjectProgram.reference, "gcd", "run", "both"]
    words.formUnion(AddressFamily.allCases.map(\.rawValue))
    words.formUnion(QueueTopology.allCases.map(\.rawValue))
    words.formUnion(Security.allCases.map(\.rawValue))
    words.formUnion(Speed.allCases.map(\.rawValue))
    words.formUnion([Variant.Cut.whole, .bytes, .random].map(\.name))
    return words
  }()

  private static func isWord(_ name: String) -> Bool {
    if words.contains(name) { return true }
    let head = "split"
    let place = name.dropFirst(head.count)
    return name.hasPrefix(head) && !place.isEmpty && place.utf8.allSatisfy(isDigit)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}
