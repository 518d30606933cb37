import ScenarioModel
import Testing

/// How mutations are written.
@Suite struct EventMutationTests {
  @Test(arguments: [
    "lose didRead", "corrupt didRead of length secured", "invent didWrite after write of graceful",
    "invent didCloseRead before didDisconnect", "misread isSecure of again", "refuse connect of ended", "lose fin",
    "repeat received", "reverse moveToRunLoop", "exchange didDisconnect of ssl",
    "exchange didDisconnect of ECONNRESET reset", "lose didDisconnect of errSSLCertExpired secured",
  ])
  func textsAreReadAndWritten(_ text: String) throws {
    #expect(try EventMutation(text).text == text)
  }

  @Test(arguments: [
    ("forget didRead", "it begins with none of lose"), ("lose", "it names no callback"),
    ("lose nothing", "it names no callback"), ("lose didRead when it rains", "circumstances stand behind `of`"),
    ("lose didRead of", "circumstances stand behind `of`"), ("lose didRead of rain", "`rain` is no circumstance"),
    ("lose didRead of EPIPE ECONNRESET", "`ECONNRESET` is no circumstance"),
    ("invent didRead didWrite", "write `invent CALLBACK after CALL`"), ("", "it begins with none of"),
  ])
  func whatIsNoneIsToldWhy(_ text: String, message: String) {
    let failure = #expect(throws: LabFailure.self) { try EventMutation(text) }
    #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
  }
}
