import Foundation
import ReportMarkup
import ScenarioModel

/// What a subject does not offer and a scenario needs.
package struct MissingClaim: Error, Hashable, Sendable {
  /// In words, as the reason of a case that is unsupported.
  package var text: String

  package init(_ text: String) { self.text = text }
}

/// Where the names of a case stand for: what only the world knows.
package protocol CaseDirectory: CertificateDirectory {
  /// The port a reference stands for; nil: nothing has one by that name.
  func port(_ reference: PortReference) -> UInt16?
  /// Where the named peer listens; nil: it does not.
  func place(ofPeer name: String) -> PeerPlace?
  /// The path at which the subject's socket of that name listens; nil: it does not.
  func path(ofListener name: String) -> String?
  /// The file-system path that a scenario's path stands for.
  func absolute(_ path: String) -> String
  /// A port for a listener that may have any; 0: the kernel's choice.
  func freePort(for socket: String) -> UInt16
  /// The bytes of a write in base64.
  func encoded(_ payload: Payload) -> String
}

extension CaseDirectory {
  package func encoded(_ payload: Payload) -> String { Data(payload.materialised).base64EncodedString() }
}

/// Where a peer that listens is reached.
package enum PeerPlace: Hashable, Sendable {
  case address(host: String, port: UInt16)
  case path(String)
}

/// A scenario's commands as calls of the protocol, for a subject that claims this much.
package struct CallTranslation {
  /// Why a call can't be made that the subject would take.
  package enum Obstacle: Error, Hashable, Sendable {
    case unsupported(MissingClaim)
    /// A name of the scenario's stands for nothing.
    case noObject(String)
  }

  let claims: SubjectClaims
  private let family: AddressFamily

  /// A timeout of fewer seconds is one that may come to its end in a case.
  private static let leastSafety = 1.0
  /// Whether timeouts that only keep a case from waiting for ever may be left out.
  private let mayForgoTimeouts: Bool

  /// For a case of the scenario over connections of this family.
  package init(_ claims: SubjectClaims, family: AddressFamily, _ scenario: Scenario) {
    (self.claims, self.family) = (claims, family)
    mayForgoTimeouts = !scenario.isAboutTimeouts
  }

  func demand(_ claim: SubjectClaim, _ what: String) throws(Obstacle) {
    guard claims.features.contains(claim) else {
      throw .unsupported(MissingClaim("\(claims.name) offers no \(what) (`\(claim.rawValue)`)"))
    }
  }

  func refuse(_ what: String) -> Obstacle { .unsupported(MissingClaim("the protocol has no \(what)")) }

  /// The call, with everything that its names stand for.
  package func call(
    _ command: SubjectCommand, on socket: String, id: Int, in directory: some CaseDirectory
  ) throws(Obstacle) -> SubjectCall {
    guard claims.calls.contains(command.name) else {
      throw .unsupported(MissingClaim("\(claims.name) has no call `\(command.name)`"))
    }
    let size: Int? = if case .write(let write) = command { write.payload.count } else { nil }
    return SubjectCall(
      id: id, socket: socket, name: command.name, arguments: try arguments(command, on: socket, in: directory),
      size: size)
  }

  private func arguments(
    _ command: SubjectCommand, on socket: String, in directory: some CaseDirectory
  ) throws(Obstacle) -> JSONNode {
    switch command {
    case .connect(let connect): return try self.connect(connect, directory)
    case .listen(let listen): return try self.listen(listen, socket, directory)
    case .read(let read): return try self.read(read)
    case .write(let write):
      return [
        "data": .text(directory.encoded(write.payload)),
        "timeout": try seconds(write.timeout, .writeTimeout, "timeout of a write"), "tag": .integer(write.tag),
      ]
    case .set(let setting): return try set(setting)
    case .setDelegate: throw refuse("delegates to choose from")
    case .disconnect, .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting, .release:
      return [:]
    case .setDelegateQueue, .blockDelegateQueue, .unblockDelegateQueue: throw refuse("queues of callbacks")
    case .exhaustDescriptors, .freeDescriptors: throw refuse("limit of descriptors")
    case .perform(let commands):
      return [
        "calls": .list(
          try commands.map { command throws(Obstacle) in
            try step(command, on: socket, in: directory)
          })
      ]
    case .startTLS(let command): return try startTLS(command, directory)
    case .answerTrust(let isTrusted): return ["isTrusted": .flag(isTrusted)]
    case .runLoop: throw refuse("run loops")
    }
  }

  /// A call inside `perform`.
  private func step(
    _ command: SubjectCommand, on socket: String, in directory: some CaseDirectory
  ) throws(Obstacle) -> JSONNode {
    switch command {
    case .listen, .perform, .release: throw refuse("such call inside `perform`")
    default: return try call(command, on: socket, id: 0, in: directory).step
    }
  }

  private func seconds(
    _ timeout: TimeoutValue, _ claim: SubjectClaim, _ what: String
  ) throws(Obstacle) -> JSONNode? {
    guard timeout.seconds.isFinite else {
      try demand(.absurdTimeouts, "timeouts that are no number")
      return .text(timeout.seconds.isNaN ? "NaN" : timeout.seconds < 0 ? "-Infinity" : "Infinity")
    }
    guard timeout.seconds >= 0 else { return nil }
    if mayForgoTimeouts, timeout.seconds >= Self.leastSafety, !claims.features.contains(claim) { return nil }
    try demand(claim, what)
    return .number(timeout.seconds)
  }

  private func connect(_ command: ConnectCommand, _ directory: some CaseDirectory) throws(Obstacle) -> JSONNode {
    let timeout = try seconds(command.timeout, .connectTimeout, "timeout of a connect")
    if command.interface != nil { try demand(.interface, "interface to connect through") }
    let interface = command.interface.map(JSONNode.text)
    switch command.target {
    case .peer(let name):
      switch directory.place(ofPeer: name) {
      case .address(let host, let port)?:
        return ["host": .text(host), "port": .integer(Int(port)), "interface": interface, "timeout": timeout]
      case .path(let path)?:
        try demand(.unix, "Unix-domain sockets")
        return ["path": .text(path), "timeout": timeout]
      case nil: throw .noObject("the peer \(name) does not listen")
      }
    case .host(let host, let reference):
      if !Self.isNumeric(host) { try demand(.names, "names of hosts") }
      guard let port = directory.port(reference) else { throw .noObject("the port is not known") }
      return ["host": .text(host), "port": .integer(Int(port)), "interface": interface, "timeout": timeout]
    case .address(let bytes):
      try demand(.addresses, "addresses as bytes")
      return ["address": .text(Data(bytes).base64EncodedString()), "interface": interface, "timeout": timeout]
    case .path(let path):
      try demand(.unix, "Unix-domain sockets")
      return ["path": .text(directory.absolute(path)), "timeout": timeout]
    }
  }

  private static func isNumeric(_ host: String) -> Bool {
    !host.isEmpty && host.allSatisfy { $0.isHexDigit || $0 == "." || $0 == ":" }
  }

  private func listen(
    _ command: ListenCommand, _ socket: String, _ directory: some CaseDirectory
  ) throws(Obstacle) -> JSONNode {
    if command.isAtPath(family) {
      try demand(.unix, "Unix-domain sockets")
      guard let path = path(command, socket, directory) else { throw .noObject("what it is to listen at has no path") }
      return ["path": .text(path)]
    }
    switch command.place {
    case .interface(let interface, let port):
      try demand(.interface, "interface to listen on")
      return ["interface": .text(interface), "port": try number(port, socket, directory)]
    case .anywhere(let port): return ["port": try number(port, socket, directory)]
    case .path: return [:]
    }
  }

  /// The path that the socket is to listen at; nil: at none.
  package func path(_ command: ListenCommand, _ socket: String, _ directory: some CaseDirectory) -> String? {
    switch command.place {
    case .path(let path): directory.absolute(path)
    case .interface: nil
    case .anywhere where family != .unix: nil
    case .anywhere(.of(let other)): peerPath(other, directory) ?? directory.path(ofListener: other)
    case .anywhere: directory.absolute(socket)
    }
  }

  private func peerPath(_ name: String, _ directory: some CaseDirectory) -> String? {
    if case .path(let path)? = directory.place(ofPeer: name) { path } else { nil }
  }

  private func number(
    _ port: ListenCommand.ListenPort, _ socket: String, _ directory: some CaseDirectory
  ) throws(Obstacle) -> JSONNode {
    switch port {
    case .free: return .integer(Int(directory.freePort(for: socket)))
    case .number(let number):
      try demand(.fixedPorts, "port to listen on")
      return .integer(Int(number))
    case .of(let name):
      try demand(.fixedPorts, "port to listen on")
      guard let number = directory.port(.peer(name)) ?? directory.port(.listener(name)) else {
        throw .noObject("\(name) has no port")
      }
      return .integer(Int(number))
    }
  }

  private func read(_ command: ReadCommand) throws(Obstacle) -> JSONNode {
    guard command.buffer == nil else { throw refuse("buffers of the caller's") }
    let timeout = try seconds(command.timeout, .readTimeout, "timeout of a read")
    let tag = JSONNode.integer(command.tag)
    switch command.boundary {
    case .available(let limit):
      try demand(.readAvailable, "reads of what is there")
      if limit != 0 { try demand(.readMost, "limit of such reads") }
      return ["until": .text("available"), "limit": .integer(limit), "timeout": timeout, "tag": tag]
    case .exactly(let count):
      try demand(.readLength, "reads of a length")
      return ["until": .text("length"), "length": .integer(count), "timeout": timeout, "tag": tag]
    case .through(let delimiter, let limit):
      try demand(.readDelimiter, "reads through a delimiter")
      if limit != 0 { try demand(.readLimit, "limit of such reads") }
      return [
        "until": .text("delimiter"), "delimiter": .text(Data(delimiter.materialised).base64EncodedString()),
        "limit": .integer(limit), "timeout": timeout, "tag": tag,
      ]
    }
  }

  private func set(_ setting: SubjectSetting) throws(Obstacle) -> JSONNode {
    let (property, value): (SubjectProperty, JSONNode) =
      switch setting {
      case .ipv4Enabled(let isOn): (.ipv4Enabled, .flag(isOn))
      case .ipv6Enabled(let isOn): (.ipv6Enabled, .flag(isOn))
      case .ipv4Preferred(let isOn): (.ipv4Preferred, .flag(isOn))
      case .autoDisconnectOnClosedReadStream(let isOn): (.autoDisconnectOnClosedReadStream, .flag(isOn))
      case .alternateAddressDelay(let seconds): (.alternateAddressDelay, .number(seconds))
      case .notifiesDisconnectBeforeReturning: throw refuse("such setting")
      case .userData(let text): (.userData, text.map(JSONNode.text) ?? .text(""))
      case .userNumber: throw refuse("numbers as user data")
      case .keepAlive, .userTimeout, .linger: throw refuse("options of the descriptor")
      }
    guard claims.properties.contains(property) else {
      throw .unsupported(MissingClaim("\(claims.name) has no `\(property.rawValue)`"))
    }
    return ["property": .text(property.rawValue), "value": value]
  }
}

extension ListenCommand {
  /// Whether it is about a path, in a case over that family.
  fileprivate func isAtPath(_ family: AddressFamily) -> Bool {
    switch place {
    case .path: true
    case .interface: false
    case .anywhere: family == .unix
    }
  }
}
