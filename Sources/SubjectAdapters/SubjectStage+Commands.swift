import CocoaAsyncSocket
import Foundation
import ScenarioModel
import SocketPOSIX
import SubjectSecurity

// The scenario's commands as calls of the library, on whatever thread they are wanted.
extension SubjectStage {
  /// Makes the call and returns what it answered. A command that has no object (a socket that does not exist yet or any
  /// more, the port of a socket that never listened) is refused with an error of no known domain: `unsupported` would
  /// say that the subject lacks something, and would hide that it did not do what should have come before.
  func execute(_ command: SubjectCommand, on name: String) -> CommandResult {
    if case .release = command {
      release(name)
      return .done
    }
    switch socket(named: name) {
    case nil: return .refused(.init(noObject: "there is no socket named \(name)"))
    case .gcd(let socket)?: return execute(command, socket, named: name)
    case .runLoop(let socket)?: return executeOnRunLoop(command, socket, named: name)
    }
  }

  private func execute(_ command: SubjectCommand, _ socket: GCDAsyncSocket, named name: String) -> CommandResult {
    switch command {
    case .connect(let connect): return attempt { try self.connect(socket, connect) }
    case .listen(let listen): return attempt { try self.listen(socket, named: name, listen) }
    case .read, .write, .disconnect, .disconnectAfterReading, .disconnectAfterWriting,
      .disconnectAfterReadingAndWriting:
      operate(socket, command)
    case .startTLS(let command): return attempt { socket.startTLS(try command.settings()) }
    case .answerTrust(let isTrusted):
      guard let question = trustQuestion(of: name) else {
        return .refused(.init(noObject: "no question about trust was asked"))
      }
      question.answer(isTrusted)
    case .setDelegate(let delegate): socket.delegate = delegate.map { self.delegate(named: $0) }
    case .setDelegateQueue(let queue): socket.delegateQueue = queue.map { self.queue(named: $0) }
    case .set(let setting): return apply(setting, to: socket, named: name)
    case .blockDelegateQueue:
      guard let queue = socket.delegateQueue else { return .refused(.init(noObject: "\(name) has no delegate queue")) }
      suspend(queue, for: name)
    case .unblockDelegateQueue:
      guard resume(for: name) else { return .refused(.init(noObject: "\(name) has no blocked delegate queue")) }
    case .exhaustDescriptors, .freeDescriptors:
      return .unsupported("over the real kernel the lab shares the process that would be without descriptors")
    case .perform(let commands): return perform(commands, on: socket, named: name)
    case .runLoop(let command): return .unsupported("GCDAsyncSocket has no \(command.call.name)")
    case .release: break
    }
    return .done
  }

  /// A reference that stands for nothing.
  struct NoObject: Error { var reason: String }

  func attempt(_ call: () throws -> Void) -> CommandResult {
    do {
      try call()
      return .done
    } catch let error as NoObject {
      return .refused(SubjectError(noObject: error.reason))
    } catch {
      return .refused(SubjectError(error))
    }
  }

  /// All of them inside one `perform(_:)`; the first answer that is not `done` is the answer.
  private func perform(_ commands: [SubjectCommand], on socket: GCDAsyncSocket, named name: String) -> CommandResult {
    var answer = CommandResult.done
    socket.perform {
      for command in commands {
        let result = self.execute(command, on: name)
        if answer == .done { answer = result }
      }
    }
    return answer
  }

  /// Sets options of the connection's descriptor as a program does it (THR-08).
  private func setOptions(
    of socket: GCDAsyncSocket, named name: String, _ set: @escaping (Int32) throws(SystemCallFailure) -> Void
  ) -> CommandResult {
    var result = CommandResult.done
    socket.perform {
      let descriptor = socket.socketFD()
      guard descriptor >= 0 else { return result = .refused(SubjectError(noObject: "\(name) has no connection")) }
      do throws(SystemCallFailure) {
        try set(descriptor)
      } catch {
        result = .refused(SubjectError(noObject: "\(error)"))
      }
    }
    return result
  }

  private func apply(_ setting: SubjectSetting, to socket: GCDAsyncSocket, named name: String) -> CommandResult {
    switch setting {
    case .ipv4Enabled(let isOn): socket.isIPv4Enabled = isOn
    case .ipv6Enabled(let isOn): socket.isIPv6Enabled = isOn
    case .ipv4Preferred(let isOn): socket.isIPv4PreferredOverIPv6 = isOn
    case .autoDisconnectOnClosedReadStream(let isOn): socket.autoDisconnectOnClosedReadStream = isOn
    case .alternateAddressDelay(let seconds): socket.alternateAddressDelay = seconds
    case .notifiesDisconnectBeforeReturning(let isOn): socket.notifiesDisconnectBeforeReturning = isOn
    case .userData(let text): socket.userData = text
    case .userNumber: return .unsupported("the user data of GCDAsyncSocket is no number")
    case .keepAlive(let seconds):
      return setOptions(of: socket, named: name) { descriptor throws(SystemCallFailure) in
        try SocketCall.setKeepAlive(descriptor, seconds: Int32(seconds), probes: 1)
      }
    case .userTimeout(let seconds):
      return setOptions(of: socket, named: name) { descriptor throws(SystemCallFailure) in
        try SocketCall.setUserTimeout(descriptor, milliseconds: Int32(seconds * 1_000))
      }
    case .linger(let seconds):
      return setOptions(of: socket, named: name) { descriptor throws(SystemCallFailure) in
        try SocketCall.setLinger(descriptor, seconds: Int32(seconds))
      }
    }
    return .done
  }
}

// Starting and reading, whose arguments need to be looked up.
extension SubjectStage {
  private func connect(_ socket: GCDAsyncSocket, _ command: ConnectCommand) throws {
    let timeout = command.timeout.seconds
    switch command.target {
    case .peer(let name):
      guard let address = peers[name] else { throw NoObject(reason: "the peer \(name) does not listen") }
      if let path = address.unixPath { return try socket.connect(to: folder.url(path), withTimeout: timeout) }
      try socket.connect(
        toHost: address.ip?.host ?? "", onPort: address.port, viaInterface: command.interface,
        withTimeout: timeout)
    case .host(let host, let reference):
      guard let port = port(reference) else { throw NoObject(reason: "the port is not known") }
      try socket.connect(toHost: host, onPort: port, viaInterface: command.interface, withTimeout: timeout)
    case .address(let bytes):
      try socket.connect(toAddress: Data(bytes), viaInterface: command.interface, withTimeout: timeout)
    case .path(let path): try socket.connect(to: folder.url(path), withTimeout: timeout)
    }
  }

  private func listen(_ socket: GCDAsyncSocket, named name: String, _ command: ListenCommand) throws {
    switch command.place {
    case .anywhere(.of(let other)) where setup.variant.family == .unix:
      guard let path = peers[other]?.unixPath ?? listener(other)?.path else {
        throw NoObject(reason: "\(other) has no path")
      }
      return try listen(socket, named: name, path: path)
    case .anywhere where setup.variant.family == .unix: return try listen(socket, named: name, path: name)
    case .anywhere(let port): try socket.accept(onPort: number(port, for: name))
    case .interface(let interface, let port): try socket.accept(onInterface: interface, port: number(port, for: name))
    case .path(let path): return try listen(socket, named: name, path: path)
    }
    noteListener(name, ListenerPlace(port: socket.localPort, host: socket.localHost))
  }

  private func listen(_ socket: GCDAsyncSocket, named name: String, path: String) throws {
    try socket.accept(on: folder.url(path))
    noteListener(name, ListenerPlace(port: 0, path: folder.absolute(path)))
  }

  /// The port to ask for. 0, which leaves it to the kernel, unless the scenario comes back to the port.
  func number(_ port: ListenCommand.ListenPort, for socket: String) throws -> UInt16 {
    switch port {
    case .free: return try setup.scenario.portsTakenAgain.contains(socket) ? reservePort(for: socket) : 0
    case .number(let number): return number
    case .of(let name):
      guard let number = self.port(.peer(name)) ?? self.port(.listener(name)) else {
        throw NoObject(reason: "\(name) has no port")
      }
      return number
    }
  }
}
