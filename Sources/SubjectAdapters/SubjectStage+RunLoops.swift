import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SocketPOSIX
import SocketValues
import SubjectSecurity

// Sockets of the run-loop class: every call on one is made on the thread of the run loop it lives on.
extension SubjectStage {
  /// The run loops of a case, and who lives where.
  struct RunLoops: Sendable {
    var loops: [String: LabRunLoop] = [:]
    /// The names of the run loops that sockets live on, by the sockets' names.
    var homes: [String: String] = [:]
    var delegates: [String: RunLoopDelegateRecorder] = [:]
  }

  func makeOnRunLoop(_ wanted: SocketSetup) {
    let home = wanted.runLoop ?? RunLoopName.main
    let delegate = wanted.hasDelegate ? runLoopDelegate(named: "delegate") : nil
    let socket = AsyncSocket(delegate: delegate, userData: wanted.userNumber ?? 0)
    if !setup.scenario.hosts.isEmpty {
      socket.hostResolver = ScenarioResolver(hosts: setup.scenario.hosts, gate: gate)
    }
    if let modes = wanted.modes { socket.setRunLoopModes(modes.map { LabRunLoop.mode(named: $0).rawValue }) }
    adopt(.runLoop(socket), as: wanted.name)
    _ = runLoop(named: home)
    withRunLoops { $0.homes[wanted.name] = home }
  }

  /// Made on first use; ends with the case.
  func runLoop(named name: String) -> LabRunLoop {
    withRunLoops { loops in
      if let known = loops.loops[name] { return known }
      let made = LabRunLoop(name: name)
      loops.loops[name] = made
      return made
    }
  }

  /// Made on first use; held until the case is closed.
  func runLoopDelegate(named name: String) -> RunLoopDelegateRecorder {
    withRunLoops { loops in
      if let known = loops.delegates[name] { return known }
      let made = RunLoopDelegateRecorder(name: name, stage: self)
      loops.delegates[name] = made
      return made
    }
  }

  /// The run loop that the socket lives on.
  private func home(of socket: String) -> LabRunLoop {
    runLoop(named: withRunLoops { $0.homes[socket] } ?? RunLoopName.main)
  }

  /// The socket is to live on the run loop of that name, which is returned.
  func settle(_ socket: AsyncSocket, on loop: String) -> RunLoop? {
    let name = name(of: socket)
    withRunLoops { $0.homes[name] = loop }
    return runLoop(named: loop).runLoop
  }

  // MARK: Calls

  func executeOnRunLoop(_ command: SubjectCommand, _ socket: AsyncSocket, named name: String) -> CommandResult {
    let home = home(of: name)
    if case .runLoop(let command) = command, case .run(let mode, let duration) = command.call {
      home.run(in: LabRunLoop.mode(named: mode), for: duration / .seconds(1), nested: home.isCurrent)
      return .done
    }
    return home.run { [self] in call(command, socket, named: name) }
  }

  private func call(_ command: SubjectCommand, _ socket: AsyncSocket, named name: String) -> CommandResult {
    switch command {
    case .connect(let connect): return attempt { try self.connect(socket, connect) }
    case .listen(let listen): return attempt { try self.listen(socket, named: name, listen) }
    case .read, .write, .disconnect, .disconnectAfterReading, .disconnectAfterWriting,
      .disconnectAfterReadingAndWriting:
      operate(socket, command)
    case .startTLS(let command): return attempt { socket.startTLS(try command.settings()) }
    case .setDelegate(let delegate): socket.setDelegate(delegate.map { runLoopDelegate(named: $0) })
    case .set(.userNumber(let number)): socket.setUserData(number)
    case .runLoop(let command): return call(command, socket, named: name)
    case .exhaustDescriptors, .freeDescriptors:
      return .unsupported("over the real kernel the lab shares the process that would be without descriptors")
    case .perform(let commands):
      // Of the lab's own making: calls that come in one turn of the run loop.
      return commands.map { call($0, socket, named: name) }.first { $0 != .done } ?? .done
    case .set, .setDelegateQueue, .blockDelegateQueue, .unblockDelegateQueue, .answerTrust:
      return .unsupported("AsyncSocket has no \(command.name)")
    case .release: break
    }
    return .done
  }

  private func call(_ command: RunLoopCommand, _ socket: AsyncSocket, named name: String) -> CommandResult {
    switch command.call {
    case .move(let target):
      guard let target else { return .returned(socket.moveToRunLoop(nil)) }
      let hasMoved = socket.moveToRunLoop(runLoop(named: target).runLoop)
      if hasMoved { withRunLoops { $0.homes[name] = target } }
      return .returned(hasMoved)
    case .setModes(let modes):
      return .returned(socket.setRunLoopModes(modes.map { LabRunLoop.mode(named: $0).rawValue }))
    case .addMode(let mode): return .returned(socket.addRunLoopMode(mode.map { LabRunLoop.mode(named: $0).rawValue }))
    case .removeMode(let mode):
      return .returned(socket.removeRunLoopMode(mode.map { LabRunLoop.mode(named: $0).rawValue }))
    case .enablePrebuffering:
      socket.enablePrebuffering()
      return .done
    case .run: return .done
    }
  }

  private func connect(_ socket: AsyncSocket, _ command: ConnectCommand) throws {
    let timeout = command.timeout.seconds
    switch command.target {
    case .peer(let name):
      guard let address = peers[name] else { throw NoObject(reason: "the peer \(name) does not listen") }
      try connect(socket, toHost: address.ip?.host ?? "", address.port, command, timeout)
    case .host(let host, let reference):
      guard let port = port(reference) else { throw NoObject(reason: "the port is not known") }
      try connect(socket, toHost: host, port, command, timeout)
    case .address(let bytes):
      guard let interface = command.interface else {
        return try socket.connect(toAddress: Data(bytes), withTimeout: timeout)
      }
      guard let local = SocketAddress(numeric: interface) else {
        throw NoObject(reason: "AsyncSocket takes a numeric address as `via`")
      }
      try socket.connect(toAddress: Data(bytes), viaInterfaceAddress: Data(local.bytes), withTimeout: timeout)
    case .path: throw NoObject(reason: "AsyncSocket connects to no path")
    }
  }

  /// With a local address only by address: the class has no other way.
  private func connect(
    _ socket: AsyncSocket, toHost host: String, _ port: UInt16, _ command: ConnectCommand, _ timeout: Double
  ) throws {
    guard command.interface == nil else { throw NoObject(reason: "AsyncSocket has no interface to name here") }
    try socket.connect(toHost: host, onPort: port, withTimeout: timeout)
  }

  private func listen(_ socket: AsyncSocket, named name: String, _ command: ListenCommand) throws {
    switch command.place {
    case .anywhere(let port): try socket.accept(onPort: number(port, for: name))
    case .interface(let interface, let port): try socket.accept(onInterface: interface, port: number(port, for: name))
    case .path: throw NoObject(reason: "AsyncSocket listens at no path")
    }
    noteListener(name, ListenerPlace(port: socket.localPort(), host: socket.localHost()))
  }

  // MARK: Properties

  func readOnRunLoop(_ property: SubjectProperty, of socket: AsyncSocket, named name: String) -> PropertyValue {
    home(of: name).run { [self] in
      switch property {
      case .isConnected: .flag(socket.isConnected())
      case .isDisconnected: .flag(socket.isDisconnected())
      case .isSecure: .flag(socket.isSecure())
      case .isIPv4: .flag(socket.isIPv4())
      case .isIPv6: .flag(socket.isIPv6())
      case .connectedHost: text(socket.connectedHost())
      case .connectedPort: .number(Double(socket.connectedPort()))
      case .localHost: text(socket.localHost())
      case .localPort: .number(Double(socket.localPort()))
      case .connectedAddress: bytes(socket.connectedAddress())
      case .localAddress: bytes(socket.localAddress())
      case .userData: .number(Double(socket.userData()))
      case .progressOfRead: progress(socket.progress(ofReadReturningTag:bytesDone:total:))
      case .progressOfWrite: progress(socket.progress(ofWriteReturningTag:bytesDone:total:))
      case .unreadData: bytes(socket.unreadData())
      case .canSafelySetDelegate: .flag(socket.canSafelySetDelegate())
      case .runLoopModes:
        .modes(socket.runLoopModes().compactMap { $0 as? String }.map { LabRunLoop.name(of: RunLoop.Mode($0)) })
      case .description: text(socket.description)
      case .connectedURL, .ipv4Enabled, .ipv6Enabled, .ipv4Preferred, .autoDisconnectOnClosedReadStream,
        .alternateAddressDelay, .peerCertificate, .buffer:
        .none
      }
    }
  }

  // MARK: The end

  /// Disconnects the socket and takes its delegate away; false when it does not report itself disconnected.
  func disconnectOnRunLoop(_ name: String) -> Bool {
    guard case .runLoop(let socket)? = socket(named: name) else { return true }
    return home(of: name).run {
      socket.setDelegate(nil)
      socket.disconnect()
      return socket.isDisconnected()
    }
  }
}
