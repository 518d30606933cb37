import ReportMarkup
import ReportTestSupport
import ScenarioModel
import Testing

@testable import RunReports

/// Processes that ended: what they said is shown wherever the case is, and nothing of it is lost.
@Suite struct BacktraceTests {
  private static func excerpt(_ name: String) throws -> BacktraceExcerpt {
    let report = try #require(SampleReport.endings.first { $0.name == name }?.report)
    return BacktraceExcerpt(report.cases[0].backtrace)
  }

  @Test func aTrapTellsItsMessageAndTheSubjectsFrames() throws {
    let excerpt = try Self.excerpt("trap")
    #expect(excerpt.messages.first == "SocketCore/Prebuffer.swift:88: Fatal error: Index out of range")
    #expect(excerpt.messages.last == "Program crashed: Illegal instruction at 0x00007f1d2c4e8a10")
    #expect(excerpt.frames.count == 4)
    #expect(excerpt.frames.first == "Prebuffer.drop(_:) at Sources/SocketCore/Prebuffer.swift:88:5")
    #expect(excerpt.omitted == SampleReport.trapLines.count - 6)
  }

  @Test func anExceptionOfPythonsIsToldBeforeItsFrames() {
    let excerpt = BacktraceExcerpt([
      "listening to signal 1", "Traceback (most recent call last):", "  File \"/x/run\", line 9, in <module>",
      "    loop.once()", "  File \"/x/loop.py\", line 75, in once", "    signal.pause(wait)", "           ^^^^",
      "ValueError: not \"in time\"",
    ])
    #expect(excerpt.messages == ["ValueError: not \"in time\""])
    #expect(excerpt.frames == ["once at /x/loop.py:75", "<module> at /x/run:9"])
    #expect(excerpt.omitted == 5)
    #expect(BacktraceExcerpt(["Traceback (most recent call last):"]).messages.count == 1)
  }

  @Test func aHangTellsWhereTheSubjectStands() throws {
    let excerpt = try Self.excerpt("hang")
    #expect(
      excerpt.frames == ["GCDAsyncSocket.disconnect() at Sources/CocoaAsyncSocket/GCDAsyncSocket.swift:204:5"])
  }

  @Test func aRecursionIsToldOnce() throws {
    let excerpt = try Self.excerpt("stack-overflow")
    #expect(
      excerpt.frames == ["StreamMachine.serve(_:) at Sources/SocketCore/StreamMachine+Pass.swift:61:9, 1,200 times"])
  }

  @Test(arguments: [
    (["0 0x1 f() + 2 in a at /x/main.swift:1:2"], ["f() at /x/main.swift:1:2"]),
    (["0 [ra] 0x1 closure #1 in A.b() + 4 in a at /x/A.swift:3:4"], ["closure #1 in A.b() at /x/A.swift:3:4"]),
    (["#0 0x1 in read () from /lib/libc.so.6"], ["in read () from /lib/libc.so.6"]), (["12 monkeys"], []),
    (
      [
        "Fatal error: x", "thread 7", "0  libc.so.6+0x1234", "1  closure #1 in A.b() at Sources/Lab/A.swift:3",
        "2  C.d() at Sources/SocketTLS/C.swift:9",
      ], ["C.d() at Sources/SocketTLS/C.swift:9"]
    ),
    (["0  libc.so.6+0x1234", "1  libswiftCore.so+0x99"], ["libc.so.6+0x1234", "libswiftCore.so+0x99"]),
    (["", "  ", "Segmentation fault"], []), ([], []),
  ])
  func otherFormsAreTakenAsTheyCome(lines: [String], frames: [String]) {
    let excerpt = BacktraceExcerpt(lines)
    #expect(excerpt.frames == frames)
    if frames.isEmpty, !lines.isEmpty { #expect(excerpt.messages == lines.suffix(1)) }
  }

  private static let waiting = [
    "0  __libc_recv", "thread 16042", "0  __futex_abstimed_wait_common64", "thread 16043", "1  epoll_wait",
  ]

  /// Of a case that is not over in time the judge knows what did not come; that idle threads wait is no news.
  @Test func theJudgesReasonLeadsAndThreadsThatWaitAreNotTold() {
    let excerpt = BacktraceExcerpt(Self.waiting)
    #expect(excerpt.messages.isEmpty && excerpt.frames.isEmpty && excerpt.omitted == Self.waiting.count)
    #expect(BacktraceExcerpt(Self.waiting + ["Segmentation fault"]).messages == ["Segmentation fault"])
    var result = SampleReport.result(
      SampleReport.scenario("a/b", "t", []), .timeout,
      deviations: [SampleReport.deviation(.missing, expected: "didDisconnect", actual: "not seen", line: 3)],
      reason: "not over by its limit of 10s")
    let words = "missing: expected didDisconnect, saw not seen (not over by its limit of 10s)"
    for (backtrace, told) in [
      ([], words), (Self.waiting, words), (["Fatal error: x"], "\(words); it said: Fatal error: x"),
    ] as [([String], String)] {
      result.backtrace = backtrace
      #expect(CaseSummary.headline(result) == told)
    }
    result.backtrace = Self.waiting
    for file in ReportFiles.make(SampleReport.report([result])) where file.name != "index.html" {
      let text = String(decoding: file.bytes, as: UTF8.self)
      #expect(text.contains("missing: expected didDisconnect"), "\(file.name)")
      #expect(!text.contains("limit of 10s: 0"), "\(file.name)")
    }
  }

  @Test(arguments: SampleReport.endings.map(\.name))
  func allFourReportsTellIt(name: String) throws {
    let report = try #require(SampleReport.endings.first { $0.name == name }?.report)
    let files = ReportFiles.make(report).map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(files.count == 4)
    let result = report.cases[0]
    guard !result.isAsExpected else {
      #expect(files[0].contains("\"cases_not_judged\": 418"))
      #expect(files[1].contains("name=\"cases_not_judged\" value=\"418\""))
      #expect(files[2].contains("**Interrupted**: 418 planned cases were not judged."))
      #expect(files[3].contains("Interrupted: 418 planned cases were not judged."))
      #expect(!files[2].contains("all as expected") && !files[3].contains("All as expected."))
      return
    }
    let headline = try #require(result.reason ?? result.deviations.first?.actual)
    for (file, format) in zip(files, ["json", "junit", "markdown", "html"]) {
      let plain = file.replacing("\\", with: "")
      #expect(plain.contains(headline.prefix(40)), "\(format)")
    }
  }

  @Test func theWholeBacktraceIsInJSONAndJUnitAndOnThePage() throws {
    let report = try #require(SampleReport.endings.first?.report)
    let digest = try ReportJSON.decode(ReportJSON.encode(report))
    #expect(digest.cases[0].backtrace == SampleReport.trapLines)
    let testcase = try #require(XMLNode.parse(JUnitReport.make(report)).all("testcase").first)
    #expect(testcase.all("system-err").first?.text == SampleReport.trapLines.joined(separator: "\n"))
    #expect(testcase.children.map(\.name) == ["properties", "failure", "system-err"])
    #expect(testcase.all("failure").first?.text.contains("  Prebuffer.drop(_:) at Sources/SocketCore") == true)
    let page = String(decoding: HTMLReport.make(report), as: UTF8.self)
    for line in SampleReport.trapLines where !line.isEmpty {
      #expect(page.contains(Markup(text: line).html), "\(line)")
    }
    #expect(page.contains("<details><summary>Backtrace, \(SampleReport.trapLines.count) lines</summary>"))
    let short = String(decoding: HTMLReport.make(SampleReport.endings[2].report), as: UTF8.self)
    #expect(short.contains("<details open><summary>Backtrace, 4 lines</summary>"))
  }

  @Test func aBacktraceWithoutEndIsCutOnThePageAndWholeInJSON() throws {
    let report = SampleReport.endings[1].report
    let page = String(decoding: HTMLReport.make(report), as: UTF8.self)
    #expect(page.contains("… 802 more lines, see report.json"))
    #expect(try ReportJSON.decode(ReportJSON.encode(report)).cases[0].backtrace.count == 1_202)
  }
}
