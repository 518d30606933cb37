import ScenarioModel
import SocketCore
import SocketValues
import SubjectSecurity

extension SimulatedCase {
  // MARK: Names

  func subject(named name: String) -> SimulatedSubject? { subjects.first { $0.name == name } }

  func delegate(named name: String) -> SimulatedDelegate {
    if let delegate = delegates.first(where: { $0.name == name }) { return delegate }
    delegates.append(SimulatedDelegate(name: name))
    return delegates[delegates.count - 1]
  }

  /// nil for Unix-domain sockets, and for those that never listened.
  func port(_ reference: PortReference) -> UInt16? {
    switch reference {
    case .number(let number): number
    case .peer(let name): peers.first { $0.name == name }?.place?.address?.port
    case .listener(let name): subject(named: name)?.listeningPlace?.address?.port
    }
  }

  /// Where that peer or socket listens or did.
  func listeningPlace(of name: String) -> SimulatedNetwork.Place? {
    peers.first { $0.name == name }?.place ?? subject(named: name)?.listeningPlace
  }

  // MARK: Settings

  func set(_ setting: SubjectSetting, of subject: SimulatedSubject) -> CommandResult {
    switch setting {
    case .ipv4Enabled(let isOn): subject.machine.configuration.isIPv4Enabled = isOn
    case .ipv6Enabled(let isOn): subject.machine.configuration.isIPv6Enabled = isOn
    case .ipv4Preferred(let isOn): subject.machine.configuration.isIPv4Preferred = isOn
    case .autoDisconnectOnClosedReadStream(let isOn):
      subject.machine.configuration.autoDisconnectOnClosedReadStream = isOn
    case .alternateAddressDelay(let seconds): subject.machine.configuration.alternateAddressDelay = seconds
    case .notifiesDisconnectBeforeReturning(let isOn): subject.notifiesDisconnectBeforeReturning = isOn
    case .userData(let text): subject.userData = text
    case .userNumber: return .unsupported("the user data of GCDAsyncSocket is no number")
    case .keepAlive, .userTimeout, .linger: return .unsupported("simulated sockets have no options")
    }
    return .done
  }

  // MARK: Properties

  func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue {
    if property == .buffer {
      return buffers.first { $0.name == name }.map { .bytes($0.bytes) } ?? .none
    }
    guard let subject = subject(named: socket), !subject.isReleased else { return .none }
    let value = onLoop(of: subject) {
      subject.runLoop.flatMap { read(property, of: subject, $0) } ?? read(property, of: subject)
    }
    return value ?? .none
  }

  /// What only the run-loop class has, or tells otherwise.
  private func read(
    _ property: SubjectProperty, of subject: SimulatedSubject, _ part: RunLoopPart
  ) -> PropertyValue? {
    let machine = subject.machine
    switch property {
    case .isConnected: return .flag(part.engine.isConnected)
    case .userData: return .number(Double(part.userNumber))
    case .progressOfRead: return progress(machine.readProgress)
    case .progressOfWrite: return progress(machine.writeProgress)
    case .unreadData: return unread(subject, part).map { .bytes($0) } ?? PropertyValue.none
    case .canSafelySetDelegate:
      let backlog = machine.backlog
      return .flag(backlog.reads == 0 && backlog.writes == 0 && !part.engine.hasEvents)
    case .runLoopModes: return .modes(Array(part.modes))
    case .description:
      return .text(machine.description(remote: remoteAddress(of: subject), local: localAddress(of: subject)))
    default: return nil
    }
  }

  private func read(_ property: SubjectProperty, of subject: SimulatedSubject) -> PropertyValue {
    let machine = subject.machine.configuration
    switch property {
    case .isConnected: return .flag(subject.machine.isConnected)
    case .isDisconnected:
      return .flag(subject.runLoop?.engine.isFree ?? subject.machine.isDisconnected)
    case .isSecure: return .flag(subject.machine.isSecure)
    case .isIPv4: return .flag(families(of: subject).contains(.ipv4))
    case .isIPv6: return .flag(families(of: subject).contains(.ipv6))
    case .connectedHost: return host(remoteAddress(of: subject))
    case .connectedPort: return .number(Double(remoteAddress(of: subject)?.port ?? 0))
    case .connectedAddress: return bytes(remoteAddress(of: subject))
    case .localHost: return host(localAddress(of: subject))
    case .localPort: return .number(Double(localAddress(of: subject)?.port ?? 0))
    case .localAddress: return bytes(localAddress(of: subject))
    case .connectedURL:
      return subject.machine.isConnected ? subject.connectedPath.map { .text($0) } ?? .none : .none
    case .ipv4Enabled: return .flag(machine.isIPv4Enabled)
    case .ipv6Enabled: return .flag(machine.isIPv6Enabled)
    case .ipv4Preferred: return .flag(machine.isIPv4Preferred)
    case .autoDisconnectOnClosedReadStream: return .flag(machine.autoDisconnectOnClosedReadStream)
    case .alternateAddressDelay: return .number(machine.alternateAddressDelay)
    case .userData: return subject.userData.map { .text($0) } ?? .none
    case .progressOfRead:
      catchUp(subject)
      return progress(subject.machine.readProgress)
    case .progressOfWrite:
      catchUp(subject)
      return progress(subject.machine.writeProgress)
    case .peerCertificate: return .certificate(shownTo: subject.machine)
    case .buffer, .unreadData, .canSafelySetDelegate, .runLoopModes, .description: return .none
    }
  }

  private func host(_ address: SocketAddress?) -> PropertyValue {
    address.map { .text(SimulatedHost.text(of: $0)) } ?? .none
  }

  private func bytes(_ address: SocketAddress?) -> PropertyValue { address.map { .bytes($0.bytes) } ?? .none }

  private func remoteAddress(of subject: SimulatedSubject) -> SocketAddress? {
    guard subject.machine.isConnected, let connection = subject.connection else { return nil }
    return connection.link[connection.side.other].address
  }

  private func localAddress(of subject: SimulatedSubject) -> SocketAddress? {
    if subject.machine.isConnected, let connection = subject.connection {
      return connection.link[connection.side].address
    }
    guard subject.machine.isListening, let listener = subject.listeners.first else { return nil }
    return network[listener].place.address
  }

  /// Of the connection, or of the listeners, or of the connects under way.
  private func families(of subject: SimulatedSubject) -> [SocketAddress.Family] {
    if let connection = subject.connection {
      return connection.link[connection.side].address.map { [$0.family] } ?? []
    }
    if !subject.listeners.isEmpty { return subject.listeners.compactMap { network[$0].place.address?.family } }
    return subject.attempts.compactMap { connects[$0.connect].local?.family }
  }

  private func progress(_ progress: SocketMachine.Progress?) -> PropertyValue {
    guard let progress else { return .progress(tag: 0, done: 0, total: 0, fraction: .nan) }
    return .progress(
      tag: progress.tag, done: progress.done, total: progress.total, fraction: Double(progress.fraction))
  }
}
