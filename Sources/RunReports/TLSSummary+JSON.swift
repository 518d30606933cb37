import ReportMarkup
import ScenarioModel

extension TLSSummary {
  /// As `report.json` has it.
  var node: JSONNode {
    [
      "sessions": .list(sessions.map(\.node)),
      "errors": .list(
        errors.map { ["socket": .text($0.socket), "name": .text($0.name), "message": .text($0.message)] }),
    ]
  }
}

extension TLSSummary.Session {
  fileprivate var node: JSONNode {
    [
      "peer": .text(peer),
      "role": .text(role.rawValue),
      "version": facts?.version.map { .text($0.rawValue) },
      "cipher": facts.map { .text($0.cipher) },
      "server_name": facts.map { .text($0.serverName) },
      "alpn": facts.map { .text($0.alpn) },
      "resumed": facts.map { .flag($0.isResumed) },
      "presented": presented.map { ["class": .text($0.name.rawValue), "summary": .text($0.summary)] },
      "shown": .texts(shown),
      "alerts": .list(alerts.map(\.node)),
      "alerts_omitted": furtherAlerts > 0 ? .integer(furtherAlerts) : nil,
      "failure": failure.map(JSONNode.text),
      "peer_closed": peerEnd.node,
      "subject_closed": subjectEnd.node,
    ]
  }
}

extension TLSSummary.Alert {
  fileprivate var node: JSONNode {
    [
      "from": .text(sender.rawValue), "level": .integer(Int(alert.level)), "number": .integer(Int(alert.description)),
      "name": .text(TLSAlert.name(of: alert.description)),
    ]
  }
}

extension TLSSummary.End {
  fileprivate var node: JSONNode? {
    guard isNotified || stream != nil else { return nil }
    return ["close_notify": .flag(isNotified), "stream": stream.map { .text($0.rawValue) }]
  }
}

/// The summary as the file has it.
struct WrittenTLS: Decodable {
  struct Session: Decodable {
    struct Certificate: Decodable {
      var `class`: String
      var summary: String
    }

    struct Alert: Decodable {
      var from: TLSSummary.Alert.Sender
      var level: UInt8
      var number: UInt8
    }

    struct End: Decodable {
      var close_notify: Bool
      var stream: StreamEnd?
    }

    var peer: String
    var role: TLSRole
    var version: TLSVersion?
    var cipher: String?
    var server_name: String?
    var alpn: String?
    var resumed: Bool?
    var presented: Certificate?
    var shown: [String]
    var alerts: [Alert]
    var alerts_omitted: Int?
    var failure: String?
    var peer_closed: End?
    var subject_closed: End?
  }

  struct ErrorReport: Decodable {
    var socket: String
    var name: String
    var message: String
  }

  var sessions: [Session]
  var errors: [ErrorReport]

  var summary: TLSSummary {
    var summary = TLSSummary()
    summary.sessions = sessions.map(\.session)
    summary.errors = errors.map { TLSSummary.ErrorReport(socket: $0.socket, name: $0.name, message: $0.message) }
    return summary
  }
}

extension WrittenTLS.Session {
  fileprivate var session: TLSSummary.Session {
    var session = TLSSummary.Session(peer: peer, role: role)
    if let cipher {
      session.facts = TLSFacts(
        version: version, cipher: cipher, serverName: server_name ?? "", alpn: alpn ?? "", isResumed: resumed ?? false)
    }
    // A class that a later lab has and this one does not know is left out.
    session.presented = presented.flatMap { written in
      CertificateName(rawValue: written.class).map { TLSSummary.Certificate(name: $0, summary: written.summary) }
    }
    session.shown = shown
    session.alerts = alerts.map {
      TLSSummary.Alert(sender: $0.from, alert: TLSAlert(level: $0.level, description: $0.number))
    }
    session.furtherAlerts = alerts_omitted ?? 0
    session.failure = failure
    session.peerEnd = peer_closed?.end ?? TLSSummary.End()
    session.subjectEnd = subject_closed?.end ?? TLSSummary.End()
    return session
  }
}

extension WrittenTLS.Session.End {
  fileprivate var end: TLSSummary.End {
    var end = TLSSummary.End()
    (end.isNotified, end.stream) = (close_notify, stream)
    return end
  }
}
