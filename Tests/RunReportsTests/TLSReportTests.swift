import ScenarioModel
import Testing

@testable import RunReports

struct TLSReportTests {
  private static func rows(_ build: (inout TraceBuilder) -> Void) -> [DiagramRow] {
    var trace = TraceBuilder()
    build(&trace)
    let scenario = SampleReport.scenario("a/b", "t", [])
    return DiagramRow.rows(of: SampleReport.result(scenario, .passed, trace: trace.events)).rows
  }

  private static func texts(_ rows: [DiagramRow]) -> [String] {
    rows.map { row in if case .event(let words) = row.content { words.text } else { "…" } }
  }

  private static let alert = SampleReport.records([(.alert, 2)])

  @Test func aFlightStandsOnTheRowOfItsBytes() {
    let rows = Self.rows { trace in
      trace.see(.received(SampleReport.records([(.handshake, 200)])))
      trace.tls(.began(.server))
      trace.tls(.presents(.expiredLeaf, "CN=x"))
      trace.tls(.messageReceived("client-hello"))
      trace.tls(.messageSent("server-hello"))
      trace.tls(.messageSent("certificate"))
      trace.send(SampleReport.records([(.handshake, 90), (.applicationData, 900)]), after: 0.5)
    }
    #expect(
      Self.texts(rows) == [
        "received client-hello", "TLS begins as server, shows expired-leaf", "send server-hello, certificate",
      ])
    #expect(rows.map(\.mergedCount) == [1, 1, 2])
    #expect(rows.map(\.index) == [0, 1, 6])
  }

  @Test func messagesThatNothingCarriesAreOneRow() {
    let rows = Self.rows { trace in
      trace.tls(.began(.client))
      trace.tls(.messageSent("finished"))
      trace.tls(.messageSent("new-session-ticket"))
      trace.tls(.messageSent("new-session-ticket"))
      trace.back(.didSecure)
    }
    #expect(
      Self.texts(rows) == ["TLS begins as client", "TLS sends finished, new-session-ticket ×2", "didSecure"])
  }

  @Test func recordsAreNoText() {
    let rows = Self.rows { trace in
      trace.send(bytes("STARTTLS\r\n"))
      trace.tls(.began(.client))
      trace.send(SampleReport.records([(.applicationData, 65)]))
      trace.send(bytes("no record"))
      trace.send(SampleReport.records([(.applicationData, 65)]))
    }
    #expect(Self.texts(rows) == ["send 10 B", "TLS begins as client", "send 70 B of TLS", "send 9 B", "send 70 B"])
  }

  @Test func aRecordMayComeInAnyPieces() {
    var framing = RecordFraming()
    for byte in SampleReport.records([(.handshake, 300), (.alert, 2), (.applicationData, 0)]) {
      let isRecord = framing.take([byte])
      #expect(isRecord)
    }
    let strays = [framing.take(bytes("GET")), framing.take([22, 3, 3, 0, 0])]
    #expect(strays == [false, false])
  }

  @Test func anEndWithoutFarewellIsCalledSo() {
    let facts = TLSFacts(version: .tls12, cipher: "X", serverName: "", alpn: "", isResumed: false)
    let rows = Self.rows { trace in
      for says in [false, true] {
        trace.act(.accept)
        trace.tls(.began(.server))
        trace.tls(.established(facts))
        if says { trace.tls(.alertSent(TLSAlert(level: 1, description: 0))) }
        if says { trace.send(Self.alert) }
        trace.act(.finish)
        trace.see(.endOfStream)
      }
    }
    let words = Self.texts(rows).filter { $0.hasPrefix("finish") || $0.hasPrefix("end") }
    #expect(
      words == [
        "finish without close_notify", "end of stream without close_notify", "finish",
        "end of stream without close_notify",
      ])
  }

  @Test func storiesTellWhoClosedHow() throws {
    let tlsSections = SampleReport.securing.map { TLSSummary($0.trace) }
    let good = try #require(tlsSections[0]?.sessions.first)
    #expect(good.facts?.alpn == "line/1" && good.presented?.name == .leaf && good.role == .server)
    #expect(good.peerEndText == "close_notify, then FIN" && good.subjectEndText == "close_notify, then FIN")
    let refused = try #require(tlsSections[1])
    #expect(refused.sessions.first?.alerts.map(\.text) == ["subject: fatal certificate_expired"])
    #expect(refused.sessions.first?.subjectEndText == "FIN" && refused.sessions.first?.peerEndText == nil)
    #expect(refused.errors.map(\.name) == ["errSSLCertExpired"])
    #expect(TLSSummary(SampleReport.reading[0].trace) == nil)
  }

  @Test func noReportShowsASecret() throws {
    var report = SampleReport.report
    for index in report.cases.indices {
      report.cases[index].trace.keyLog = [SampleReport.secret]
      let event = TraceEvent(at: .zero, kind: .tls(.secret(SampleReport.secret), peer: "peer"))
      report.cases[index].trace.events.append(event)
    }
    for file in ReportFiles.make(report) {
      #expect(!String(decoding: file.bytes, as: UTF8.self).contains("5ec2e7"), "\(file.name)")
    }
  }

  @Test func theReasonStandsInEveryReport() throws {
    let report = SampleReport.report(SampleReport.securing)
    for file in ReportFiles.make(report) {
      let text = String(decoding: file.bytes, as: UTF8.self)
      #expect(text.contains("certificate has expired"), "\(file.name)")
      #expect(text.contains("expired-leaf") || text.contains("expired\\-leaf"), "\(file.name)")
    }
  }
}
