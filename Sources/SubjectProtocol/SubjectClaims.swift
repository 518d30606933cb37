import ScenarioModel

/// What a subject says of itself in its hello: who it is, and what it offers.
package struct SubjectClaims: Hashable, Sendable, Codable {
  /// As reports name it: the library's name.
  package var name: String
  /// The library's version.
  package var version: String
  /// Which calls it takes, by the names of `SubjectCommand.name`.
  package var calls: Set<String>
  /// Which callbacks it delivers.
  package var callbacks: Set<CallbackKind>
  /// Which properties it can be asked for.
  package var properties: Set<SubjectProperty>
  /// What else it offers.
  package var features: Set<SubjectClaim>
  /// Which classes' own requirements hold for it, besides those of any stream socket.
  package var flavours: Set<SubjectKind>
  /// Words of its lists that mean nothing in this version of the protocol.
  package var unknown: [UnknownWord] = []

  package init(
    name: String, version: String, calls: Set<String> = [], callbacks: Set<CallbackKind> = [],
    properties: Set<SubjectProperty> = [], features: Set<SubjectClaim> = [], flavours: Set<SubjectKind> = []
  ) {
    self.name = name
    self.version = version
    self.calls = calls
    self.callbacks = callbacks
    self.properties = properties
    self.features = features
    self.flavours = flavours
  }

  /// `asyncio 3.11.7`.
  package var title: String { version.isEmpty ? name : "\(name) \(version)" }
}

extension SubjectClaims {
  /// The calls that there are, by the names of `SubjectCommand.name`.
  package static let knownCalls = [
    "connect", "listen", "perform", "read", "write", "disconnect", "disconnectAfterReading", "disconnectAfterWriting",
    "disconnectAfterReadingAndWriting", "release", "set", "startTLS", "trust",
  ]
}

/// A word of a hello's lists that means nothing in this version of the protocol.
package struct UnknownWord: Hashable, Sendable, Codable {
  /// The list that it stands in: `features`.
  package var list: String
  /// As it was written.
  package var word: String
  /// What it may have been meant for; nil: nothing is like it.
  package var guess: String?

  /// A word that is none of the known ones.
  init(list: String, word: String, known: [String]) {
    (self.list, self.word, guess) = (list, word, DidYouMean.suggestion(for: word, among: known))
  }

  /// In a sentence without its end; the subject is who says it.
  package var remark: String {
    "the `\(word)` of its `\(list)` is no word of the protocol"
      + (guess.map { ": did you mean `\($0)`?" } ?? ", and is passed over")
  }
}

/// Something that not every library offers, and that no name of a call or a callback stands for.
package enum SubjectClaim: String, CaseIterable, Hashable, Sendable, Codable {
  /// Addresses of version 6.
  case ipv6
  /// Paths in place of addresses, to connect to and to listen on.
  case unix
  /// Host names are looked up.
  case names
  /// A connect takes a timeout.
  case connectTimeout = "connect-timeout"
  /// A read takes a timeout.
  case readTimeout = "read-timeout"
  /// A write takes a timeout.
  case writeTimeout = "write-timeout"
  /// Seconds that are no number or infinite; on the line they are the texts `NaN`, `Infinity` and `-Infinity`.
  case absurdTimeouts = "absurd-timeouts"
  /// Reads of whatever is there.
  case readAvailable = "read-available"
  /// Reads of a length.
  case readLength = "read-length"
  /// Reads through a delimiter.
  case readDelimiter = "read-delimiter"
  /// A read through a delimiter takes a limit, and is refused what goes beyond it.
  case readLimit = "read-limit"
  /// A read of whatever is there takes a limit.
  case readMost = "read-most"
  /// Several reads or writes may wait, and are served in their order.
  case queues
  /// Connect and listen take an interface.
  case interface
  /// Listens where the case says which port, and not only where the kernel chooses.
  case fixedPorts = "fixed-ports"
  /// Steps inside callbacks.
  case reactions
  /// A callback that waits, so that no other comes meanwhile.
  case hold
  /// A socket can be connected again after it has ended.
  case reuse
  /// An end by the peer is reported without a waiting read.
  case endWithoutRead = "end-without-read"
  /// A connect takes an address as the system has it, in bytes.
  case addresses
  /// `startTLS` as a client on a connected socket, and as a server.
  case tlsClient = "tls-client"
  case tlsServer = "tls-server"
  /// Versions that it speaks.
  case tls10 = "tls1.0"
  case tls11 = "tls1.1"
  case tls12 = "tls1.2"
  case tls13 = "tls1.3"
  /// Certificates are judged as of the instant that the call says, and not without a look at the time.
  case tlsTime = "tls-time"
  /// Without anchors it trusts what the host trusts.
  case tlsHostAnchors = "tls-host-anchors"
  /// A client has a certificate.
  case tlsClientCertificate = "tls-client-certificate"
  /// It asks about the peer's certificate (`didReceiveTrust`) instead of judging it.
  case tlsManualTrust = "tls-manual-trust"
  case tlsRevocation = "tls-revocation"
  case tlsCiphers = "tls-ciphers"
  case tlsALPN = "tls-alpn"
  /// Checks less of a certificate when it is asked to.
  case tlsRelaxed = "tls-relaxed"
  /// What can't be asked of it is refused, with `BadConfig` or `BadParam`.
  case misuse
  /// Errors of the system are told by their names (ECONNREFUSED, ECONNRESET…).
  case systemErrors = "system-errors"
}
