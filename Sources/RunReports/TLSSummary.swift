import ScenarioModel

/// The TLS sessions and errors of a case, read off its trace: for reports, and for programs that read them.
package struct TLSSummary: Hashable, Sendable {
  /// In the order in which the peers began them.
  package var sessions: [Session] = []
  /// What the subject reported in the SSL error domain.
  package var errors: [ErrorReport] = []

  /// One handshake and what came of it, as the scripted peer saw it.
  package struct Session: Hashable, Sendable {
    /// The scripted peer's name in the scenario.
    package var peer: String
    /// The peer's.
    package var role: TLSRole
    /// What was agreed on; nil: the handshake did not come to its end.
    package var facts: TLSFacts?
    /// The peer's own certificate; nil: it showed none.
    package var presented: Certificate?
    /// What the subject showed, a line for each certificate.
    package var shown: [String] = []
    package var alerts: [Alert] = []
    /// Alerts that are counted and not told.
    package var furtherAlerts = 0
    /// Why the peer's TLS gave up.
    package var failure: String?
    package var peerEnd = End()
    package var subjectEnd = End()

    init(peer: String, role: TLSRole) {
      self.peer = peer
      self.role = role
    }
  }

  package struct Certificate: Hashable, Sendable {
    /// Which of the lab's certificates it is.
    package var name: CertificateName
    /// Subject, names and validity.
    package var summary: String
  }

  package struct Alert: Hashable, Sendable {
    package enum Sender: String, Hashable, Sendable, Codable { case peer, subject }

    package var sender: Sender
    /// What it says.
    package var alert: TLSAlert
  }

  /// How one side closed its direction.
  package struct End: Hashable, Sendable {
    package var isNotified = false
    /// How the byte stream ended; nil: it did not.
    package var stream: StreamEnd?

    package init() {}

    /// `close_notify, then FIN`, `FIN without close_notify`, `RST`; nil: it closed nothing.
    package func text(isEstablished: Bool) -> String? {
      switch (isNotified, stream) {
      case (false, nil): nil
      case (true, nil): "close_notify"
      case (true, .fin): "close_notify, then FIN"
      case (false, .fin): isEstablished ? "FIN without close_notify" : "FIN"
      case (let isNotified, _): isNotified ? "close_notify, then RST" : "RST"
      }
    }
  }

  package struct ErrorReport: Hashable, Sendable {
    /// The lab's name of the socket.
    package var socket: String
    /// As scenario files write it.
    package var name: String
    /// The error's localised description.
    package var message: String
  }

  package static let maxAlerts = 40
  package static let maxSessions = 40

  init() {}

  /// nil: the case has neither sessions nor errors of TLS.
  package init?(_ trace: Trace) {
    var reader = Reader()
    for event in trace.events { reader.read(event.kind) }
    guard !reader.summary.sessions.isEmpty || !reader.summary.errors.isEmpty else { return nil }
    self = reader.summary
  }

  private struct Reader {
    var summary = TLSSummary()
    /// The present session of each peer.
    var present: [String: Int] = [:]

    mutating func read(_ kind: TraceKind) {
      switch kind {
      case .tls(let remark, let peer): read(remark, peer)
      case .peerAction(let action, let peer): read(action, peer)
      case .peerSaw(let observation, let peer): read(observation, peer)
      case .callback(let delivered):
        guard case .didDisconnect(let error?) = delivered.callback, error.domain == .ssl,
          summary.errors.count < TLSSummary.maxSessions
        else { return }
        summary.errors.append(ErrorReport(socket: delivered.socket, name: error.name, message: error.message))
      case .command, .checked, .network, .packet, .point, .note: break
      }
    }

    mutating func read(_ remark: TLSEvent, _ peer: String) {
      if case .began(let role) = remark {
        // A handshake that goes on after a pause is the same session.
        if let index = present[peer], summary.sessions[index].facts == nil, summary.sessions[index].role == role {
          return
        }
        guard summary.sessions.count < TLSSummary.maxSessions else { return }
        present[peer] = summary.sessions.count
        summary.sessions.append(Session(peer: peer, role: role))
      }
      guard let index = present[peer] else { return }
      summary.sessions[index].take(remark)
    }

    mutating func read(_ action: PeerAction, _ peer: String) {
      guard let index = present[peer] else { return }
      switch action {
      case .finish, .close: summary.sessions[index].peerEnd.stream = summary.sessions[index].peerEnd.stream ?? .fin
      case .reset: summary.sessions[index].peerEnd.stream = .rst
      case .accept, .connect: present[peer] = nil
      default: break
      }
    }

    mutating func read(_ observation: PeerObservation, _ peer: String) {
      guard let index = present[peer] else { return }
      switch observation {
      case .endOfStream: summary.sessions[index].subjectEnd.stream = .fin
      case .broken(let number):
        if ErrnoName.name(of: number) == "ECONNRESET" { summary.sessions[index].subjectEnd.stream = .rst }
      default: break
      }
    }
  }
}

extension TLSSummary.Session {
  fileprivate mutating func take(_ remark: TLSEvent) {
    switch remark {
    case .alertSent(let alert):
      if alert.description == TLSAlert.closeNotify { peerEnd.isNotified = true }
      add(alert, of: .peer)
    case .alertReceived(let alert):
      if alert.description == TLSAlert.closeNotify { subjectEnd.isNotified = true }
      add(alert, of: .subject)
    case .presents(let name, let summary): presented = TLSSummary.Certificate(name: name, summary: summary)
    case .certificates(let lines): shown = lines
    case .established(let facts): self.facts = facts
    case .failed(let reason): failure = failure ?? reason
    case .began, .messageSent, .messageReceived, .forged, .plainSent, .plainReceived, .leftover, .secret: break
    }
  }

  private mutating func add(_ alert: TLSAlert, of sender: TLSSummary.Alert.Sender) {
    if alerts.count < TLSSummary.maxAlerts {
      alerts.append(TLSSummary.Alert(sender: sender, alert: alert))
    } else {
      furtherAlerts += 1
    }
  }

  var peerEndText: String? { peerEnd.text(isEstablished: facts != nil) }
  var subjectEndText: String? { subjectEnd.text(isEstablished: facts != nil) }
}
