import ScenarioModel

/// One fact of a summary, in lines of plain text.
struct TLSFactLine: Hashable {
  var name: String
  var lines: [String]
}

extension TLSSummary.Session {
  /// `TLS with peer, as server`.
  var title: String { "TLS with \(peer), the \(role.rawValue)" }

  var factLines: [TLSFactLine] {
    var all = [TLSFactLine(name: "agreed on", lines: [agreement])]
    if let presented {
      all.append(
        TLSFactLine(
          name: "peer has", lines: [presented.name.rawValue, presented.summary, presented.name.explanation]))
    }
    if !shown.isEmpty { all.append(TLSFactLine(name: "subject shows", lines: shown)) }
    if !alerts.isEmpty {
      let further = furtherAlerts > 0 ? ["and \(furtherAlerts) more"] : []
      all.append(TLSFactLine(name: "alerts", lines: alerts.map(\.text) + further))
    }
    if let failure { all.append(TLSFactLine(name: "peer gave up", lines: [failure])) }
    let ends = [peerEndText.map { "peer: \($0)" }, subjectEndText.map { "subject: \($0)" }].compactMap { $0 }
    if !ends.isEmpty { all.append(TLSFactLine(name: "closed", lines: ends)) }
    return all
  }

  private var agreement: String { facts?.text ?? "nothing: the handshake did not come to its end" }
}

extension TLSSummary.Alert {
  /// `subject: fatal certificate_expired`.
  var text: String { "\(sender.rawValue): \(alert.text)" }
}

extension TLSSummary.ErrorReport {
  /// The other side closed the session as it should.
  var isGracefulClosure: Bool { name == "errSSLClosedGraceful" }

  /// `errSSLCertExpired: certificate has expired`.
  var text: String { message.isEmpty ? name : "\(name): \(message)" }
}

extension TLSSummary {
  /// What matters most, on one line: certificates, alerts other than close_notify, errors.
  var headline: String {
    var parts: [String] = []
    for session in sessions.prefix(3) {
      parts.append("\(session.title): \(session.facts?.text ?? "no session")")
      if let presented = session.presented { parts.append("shown \(presented.name.rawValue) (\(presented.summary))") }
      parts += session.alerts.filter { $0.alert.description != TLSAlert.closeNotify }.prefix(3).map(\.text)
      if let failure = session.failure { parts.append("the peer gave up: \(failure)") }
    }
    return (parts + errors.prefix(3).map(\.text)).joined(separator: "; ")
  }
}
