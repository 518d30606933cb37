import ScenarioModel
import Testing

@testable import SubjectProtocol

/// Bytes become lines, however they are divided; what is too much is said.
@Suite struct LineCutterTests {
  private func lines(_ pieces: [[UInt8]]) throws -> [String] {
    var cutter = LineCutter(longestLine: 8, maxBytes: 64)
    var lines: [String] = []
    for piece in pieces { try cutter.take(piece) { lines.append(String(decoding: $0, as: UTF8.self)) } }
    return lines
  }

  @Test func wholeByteByByteAndCutAnywhereAreTheSame() throws {
    let bytes = Array("one\n\ntwo\r\n  \nthree\nrest".utf8)
    let whole = try lines([bytes])
    #expect(whole == ["one", "two", "three"])
    #expect(try lines(bytes.map { [$0] }) == whole)
    for cut in bytes.indices { #expect(try lines([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "\(cut)") }
  }

  @Test func aLineOfTheLongestLengthIsALine() throws {
    #expect(try lines([Array("12345678\n".utf8)]) == ["12345678"])
  }

  @Test(arguments: ["123456789\n", "123456789"]) func aLongerLineIsNone(text: String) {
    #expect(throws: ProtocolViolation.longLine(limit: 8)) { try lines([Array(text.utf8)]) }
    #expect(throws: ProtocolViolation.longLine(limit: 8)) { try lines(text.utf8.map { [$0] }) }
  }

  @Test func aCaseHasSoManyBytes() throws {
    var cutter = LineCutter(longestLine: 8, maxBytes: 10)
    let five = Array("1234\n".utf8)
    try cutter.take(five) { _ in }
    try cutter.take(five) { _ in }
    #expect(throws: ProtocolViolation.tooMuch(limit: 10)) { try cutter.take(five) { _ in } }
    cutter.beginCase()
    try cutter.take(five) { _ in }
  }
}
