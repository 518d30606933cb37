import ReportMarkup
import ScenarioModel

extension TLSStory {
  /// As `report.json` has it.
  var node: JSONNode {
    .object([
      .init("sessions", .list(sessions.map(\.node))),
      .init(
        "errors",
        .list(
          errors.map {
            .object([
              .init("socket", .text($0.socket)), .init("name", .text($0.name)), .init("message", .text($0.message)),
            ])
          })),
    ])
  }
}

extension TLSStory.Session {
  fileprivate var node: JSONNode {
    var members: [JSONNode.Member] = [.init("peer", .text(peer)), .init("role", .text(role.rawValue))]
    if let facts {
      if let version = facts.version { members.append(.init("version", .text(version.rawValue))) }
      members += [
        .init("cipher", .text(facts.cipher)), .init("server_name", .text(facts.serverName)),
        .init("alpn", .text(facts.alpn)), .init("resumed", .flag(facts.isResumed)),
      ]
    }
    if let presented {
      let fields: [JSONNode.Member] = [
        .init("class", .text(presented.name.rawValue)), .init("summary", .text(presented.summary)),
      ]
      members.append(.init("presented", .object(fields)))
    }
    members.append(.init("shown", .list(shown.map(JSONNode.text))))
    members.append(.init("alerts", .list(alerts.map(\.node))))
    if furtherAlerts > 0 { members.append(.init("alerts_omitted", .integer(furtherAlerts))) }
    if let failure { members.append(.init("failure", .text(failure))) }
    if let end = peerEnd.node { members.append(.init("peer_closed", end)) }
    if let end = subjectEnd.node { members.append(.init("subject_closed", end)) }
    return .object(members)
  }
}

extension TLSStory.Alert {
  fileprivate var node: JSONNode {
    .object([
      .init("from", .text(sender.rawValue)), .init("level", .integer(Int(alert.level))),
      .init("number", .integer(Int(alert.description))),
      .init("name", .text(TLSAlert.name(of: alert.description))),
    ])
  }
}

extension TLSStory.End {
  fileprivate var node: JSONNode? {
    guard isNotified || stream != nil else { return nil }
    var members: [JSONNode.Member] = [.init("close_notify", .flag(isNotified))]
    if let stream { members.append(.init("stream", .text(stream.rawValue))) }
    return .object(members)
  }
}

/// The story as the file has it.
struct WrittenTLS: Decodable {
  struct Session: Decodable {
    struct Certificate: Decodable {
      var `class`: String
      var summary: String
    }

    struct Alert: Decodable {
      var from: TLSStory.Alert.Sender
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

  var story: TLSStory {
    var story = TLSStory()
    story.sessions = sessions.map(\.session)
    story.errors = errors.map { TLSStory.ErrorReport(socket: $0.socket, name: $0.name, message: $0.message) }
    return story
  }
}

extension WrittenTLS.Session {
  fileprivate var session: TLSStory.Session {
    var session = TLSStory.Session(peer: peer, role: role)
    if let cipher {
      session.facts = TLSFacts(
        version: version, cipher: cipher, serverName: server_name ?? "", alpn: alpn ?? "", isResumed: resumed ?? false)
    }
    // A class that a later lab has and this one does not know is left out.
    session.presented = presented.flatMap { written in
      CertificateName(rawValue: written.class).map { TLSStory.Certificate(name: $0, summary: written.summary) }
    }
    session.shown = shown
    session.alerts = alerts.map {
      TLSStory.Alert(sender: $0.from, alert: TLSAlert(level: $0.level, description: $0.number))
    }
    session.furtherAlerts = alerts_omitted ?? 0
    session.failure = failure
    session.peerEnd = peer_closed?.end ?? TLSStory.End()
    session.subjectEnd = subject_closed?.end ?? TLSStory.End()
    return session
  }
}

extension WrittenTLS.Session.End {
  fileprivate var end: TLSStory.End {
    var end = TLSStory.End()
    (end.isNotified, end.stream) = (close_notify, stream)
    return end
  }
}
