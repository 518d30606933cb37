import Foundation
import ScenarioModel
import TestSupport
import Testing

@testable import HostTools

/// Lines of any length, however the bytes come: all of them are handed over, in their order.
@Suite struct LineReaderTests {
  /// What comes of a file's bytes, which are read 64 KiB at a time.
  private func lines(_ text: String, longest: Int) throws -> [String] {
    let scratch = try Scratch()
    try HostFiles.write(text.utf8, to: scratch.path("text"))
    let descriptor = open(scratch.path("text"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var reader = LineReader(log: nil, longest: longest)
    var lines: [String] = []
    while !reader.isAtEnd { reader.read(from: descriptor, wait: 0, at: { .zero }) { lines.append($0.text) } }
    _ = reader.finish(at: .zero) { lines.append($0.text) }
    return lines
  }

  private static func digits(_ count: Int) -> String {
    String((0..<(count / 7 + 1)).map { String($0 + 1_000_000) }.joined().prefix(count))
  }

  @Test(arguments: [7, 1_000, 1 << 16]) func aLongLineComesInSeveralAndLosesNothing(longest: Int) throws {
    let chunk = 1 << 16
    let counts = [longest - 1, longest, longest + 1, chunk - 1, chunk, chunk + 1, 2 * chunk + longest - 1, 300_001]
    for count in counts where count > 0 {
      let line = Self.digits(count)
      let lines = try lines("before\n\(line)\nafter", longest: longest)
      #expect(lines.first == "before" && lines.last == "after", "\(count)")
      let pieces = lines.dropFirst().dropLast()
      #expect(pieces.joined() == line, "\(count)")
      #expect(pieces.dropLast().allSatisfy { $0.utf8.count == longest } && pieces.last?.isEmpty == false, "\(count)")
    }
  }

  @Test func emptyLinesAreLines() throws {
    #expect(try lines("\n\na\n\n", longest: 7) == ["", "", "a", ""])
  }
}
