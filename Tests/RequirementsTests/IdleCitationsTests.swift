import ScenarioModel
import Testing

@testable import Requirements

/// The record of citations that kill nothing.
@Suite struct IdleCitationsTests {
  @Test func whatIsWrittenIsRead() throws {
    let text = "# a\n\nWR-02 write/b#one  # it is the only one # of two\nWR-01 write/a  # why\n"
    let record = try IdleCitations(text: text, in: CitationSamples.register())
    #expect(record.reasons[CitationSamples.citation("WR-02", "write/b#one")] == "it is the only one # of two")
    #expect(record.text.hasSuffix("\nWR-01 write/a  # why\nWR-02 write/b#one  # it is the only one # of two\n"))
    #expect(try IdleCitations(text: record.text, in: CitationSamples.register()) == record)
  }

  @Test func theRecordOnlyGetsShorter() throws {
    let (a, b, c) = (
      CitationSamples.citation("WR-01", "w/a"), CitationSamples.citation("WR-01", "w/b"),
      CitationSamples.citation("WR-02", "w/a")
    )
    var record = IdleCitations([a, b])
    #expect(record.reasons[a] == IdleCitations.unjudged)
    #expect(record.difference(to: [a, b]).isNone)
    let difference = record.difference(to: [b, c])
    #expect(difference.new == [c] && difference.mended == [a])
    record.remove(difference.mended)
    #expect(Array(record.reasons.keys) == [b])
  }

  @Test(arguments: [
    ("WR-01 w/a", "line 1: write `REQUIREMENT SCENARIO  # why it stands`"),
    ("# a\nWR-01  # w/a", "line 2: write `REQUIREMENT SCENARIO  # why it stands`"),
    ("WR-04 w/a  # why", "line 1: WR-04 is not the id of a requirement; did you mean WR-01?"),
    ("WR-01 w/a  # why\nWR-01 w/a  # why", "line 2: WR-01 w/a stands twice"),
  ])
  func aRecordThatIsWrongIsToldWithItsLine(text: String, message: String) throws {
    let register = try CitationSamples.register()
    let failure = #expect(throws: LabFailure.self) { try IdleCitations(text: text, in: register) }
    #expect(failure?.message == message)
  }
}
