/// One step of a scripted peer's lane.
package indirect enum PeerStep: Hashable, Sendable, Codable {
  /// Takes the next connection; later steps speak on it. A lane that begins with it listens before the subject starts.
  case accept
  /// Nothing listens at the peer's address: connects are refused. Only as a lane's first step.
  case refuse
  /// The peer's backlog is full and stays so: connects hang. Only as a lane's first step; `accept` ends the hole.
  case blackhole
  /// Connects to the named listening subject socket.
  case connect(socket: String)
  case send(Payload)
  /// One byte of TCP urgent data.
  case sendUrgent(UInt8)
  /// `chunk` bytes at a time, `every` apart.
  case drip(Payload, chunk: Int, every: Duration)
  /// Waits for exactly these bytes next.
  case expect(Payload)
  /// Waits for this many bytes, whatever they are; `hash` (`ContentHash.text`) is compared if given.
  case expectCount(Int, hash: String?)
  /// Waits for the end of the subject's stream, after all bytes expected before.
  case expectEnd(StreamEnd)
  /// Nothing may arrive for so long.
  case expectSilence(Duration)
  /// Sends back whatever arrives until the subject's end of stream or `count` bytes.
  case echo(count: Int?)
  /// Half-close: FIN, but the peer goes on reading. Under TLS close_notify goes in front.
  case finish
  /// Closes both directions; unread input makes the kernel answer with RST. Under TLS close_notify goes in front.
  case close
  /// RST: linger 0 and close.
  case reset
  /// Shuts the reading side only.
  case shutdownRead
  /// Stops reading: the kernel's buffers fill.
  case stall
  /// Reads again: everything, or `chunk` bytes every `every`.
  case drain(chunk: Int?, every: Duration?)
  /// A TLS handshake on the present connection; later steps speak over it. After a `tls` step that stopped at `until`,
  /// another one goes on with the same handshake.
  case tls(PeerTLS)
  /// What must have come of the handshake.
  case expectTLS(TLSExpectation)
  /// Waits for an alert of the subject's; application data in front of it is an objection.
  case expectAlert(AlertPattern)
  /// TLS 1.3: waits until the subject has changed the keys it sends with, once more than steps have waited for.
  case expectKeyUpdate
  /// Sends close_notify and goes on reading.
  case closeNotify
  /// FIN without close_notify, but the peer goes on reading.
  case truncate
  /// TLS 1.3: new keys for what the peer sends; `requested`: the subject shall change its own too.
  case keyUpdate(requested: Bool)
  /// A TLS 1.3 server sends that many session tickets now.
  case tickets(Int)
  /// Sent under the keys there are, in clear before.
  case alert(TLSAlert)
  case record(HandMadeRecord)
  /// Bytes straight onto the wire, below TLS.
  case raw(Payload)
  case stopListening
  case listenAgain
  case wait(Duration)
  case after(SyncPoint)
  case reach(String)
  case repeated(times: Int, steps: [Located<PeerStep>])
}

/// How a stream ended, as the one who reads it sees it.
package enum StreamEnd: String, CaseIterable, Hashable, Sendable, Codable {
  case fin, rst
  /// Either of the two: the scenario does not say.
  case either
}

/// A scripted peer: where it is, and what it does.
package struct PeerLane: Hashable, Sendable, Codable {
  /// Unique among the scenario's peers; steps and ports refer to it.
  package var name: String
  /// nil: the variant's family.
  package var family: AddressFamily?
  /// Listens on the same port number as that peer (families differ).
  package var samePortAs: String?
  /// SO_RCVBUF before listen or connect, in bytes; nil: the kernel's default.
  package var receiveBuffer: Int?
  /// In the order in which the peer takes them.
  package var steps: [Located<PeerStep>]

  package init(
    name: String, family: AddressFamily? = nil, samePortAs: String? = nil, receiveBuffer: Int? = nil,
    steps: [Located<PeerStep>]
  ) {
    self.name = name
    self.family = family
    self.samePortAs = samePortAs
    self.receiveBuffer = receiveBuffer
    self.steps = steps
  }

  /// Whether the peer waits for the subject to connect (true) or connects to a subject that listens.
  package var listens: Bool {
    guard let first = steps.first?.value else { return true }
    if case .connect = first { return false }
    return !Self.startsWithConnect(steps)
  }

  private static func startsWithConnect(_ steps: [Located<PeerStep>]) -> Bool {
    for step in steps {
      switch step.value {
      case .connect: return true
      case .accept, .refuse, .blackhole: return false
      case .repeated(_, let inner): return startsWithConnect(inner)
      default: continue
      }
    }
    return false
  }
}
