import SocketValues

/// The surroundings of the socket that a start call depends on.
package struct StartContext {
  /// Whether a delegate is set; without one every connect and accept call throws `badConfig` (LIFE-05).
  package var hasDelegate: Bool
  /// Whether a delegate queue is set; without one every connect and accept call throws `badConfig` (LIFE-06).
  package var hasDelegateQueue: Bool
  /// All addresses of all interfaces; called only when an interface argument needs it.
  package var interfaces: () throws(SocketFailure) -> [InterfaceAddress]
  /// When the call was made: connect timeouts count from here.
  package var now: Instant

  package init(
    hasDelegate: Bool, hasDelegateQueue: Bool, now: Instant,
    interfaces: @escaping () throws(SocketFailure) -> [InterfaceAddress]
  ) {
    self.hasDelegate = hasDelegate
    self.hasDelegateQueue = hasDelegateQueue
    self.interfaces = interfaces
    self.now = now
  }
}

extension SocketMachine {
  // MARK: Connecting

  /// Starts to connect to a named or numeric host, which ends at its first zero. The order of the checks is part of the
  /// contract (LIFE-08).
  package func connect(
    toHost host: String, port: UInt16, interface: String?, timeout: Double, in context: StartContext
  ) throws(SocketFailure) {
    let host = host.upToZero
    guard !host.isEmpty else {
      throw .badParam("The host is empty. Pass a name or a numeric address.")
    }
    try checkStart(context, needsFamily: true)
    let local = try localAddresses(interface, context)
    let stream = begin()
    let deadline = context.now.after(seconds: timeout)
    var resolution = Resolution(configuration: configuration, port: port, local: local, deadline: deadline)
    phase = .resolving(resolution, stream)
    if host == "localhost" || host == "loopback" {
      let both = [SocketAddress.loopback(.ipv4, port: port), .loopback(.ipv6, port: port)]
      lookUpInCall(both, resolution, now: context.now)
    } else if let literal = SocketAddress(numeric: host, port: port) {
      lookUpInCall([literal], resolution, now: context.now)
    } else {
      resolution.isUnderWay = true
      phase = .resolving(resolution, stream)
      commands.append(.lookUp(LookupID(generation: generation), host: host, port: port))
    }
  }

  /// Starts to connect to a raw sockaddr_in or sockaddr_in6 of exactly its size (CON-31).
  package func connect(
    toAddress bytes: [UInt8], interface: String?, timeout: Double, in context: StartContext
  ) throws(SocketFailure) {
    let remote = try allowed(bytes)
    try checkStart(context, needsFamily: true)
    try connect(to: remote, from: try localAddresses(interface, context), timeout: timeout, now: context.now)
  }

  /// The same from a local address of the caller's, which is bound as it is: with its port and its scope.
  package func connect(
    toAddress bytes: [UInt8], from local: SocketAddress, timeout: Double, in context: StartContext
  ) throws(SocketFailure) {
    let remote = try allowed(bytes)
    try checkStart(context, needsFamily: true)
    try connect(to: remote, from: LocalAddresses(local), timeout: timeout, now: context.now)
  }

  private func allowed(_ bytes: [UInt8]) throws(SocketFailure) -> SocketAddress {
    guard let remote = SocketAddress(decoding: bytes), remote.bytes.count == bytes.count else {
      throw .badParam("The address is not a sockaddr_in (16 bytes) or sockaddr_in6 (28 bytes).")
    }
    guard configuration.allows(remote) else {
      throw .badParam("The address is of a family that is disabled on this socket.")
    }
    return remote
  }

  private func connect(
    to remote: SocketAddress, from local: LocalAddresses?, timeout: Double, now: Instant
  ) throws(SocketFailure) {
    if let local, local[remote.family] == nil {
      throw .badParam("The interface has no address of the remote address's family.")
    }
    let stream = begin()
    race(
      [.init(remote: remote, local: local?[remote.family])], stream, deadline: now.after(seconds: timeout), now: now)
  }

  /// Starts to connect to a Unix-domain path; the driver makes the one attempt itself (`AttemptID` index 0).
  package func connect(
    toPath path: String, timeout: Double, in context: StartContext
  ) throws(SocketFailure) -> AttemptID {
    try checkPath(path)
    try checkStart(context, needsFamily: false)
    let stream = begin()
    phase = .connecting(
      ConnectRace(generation: generation), deadline: context.now.after(seconds: timeout), stream)
    return AttemptID(generation: generation, index: 0)
  }

  // MARK: Listening

  /// The addresses to bind for an accept call; the driver binds them and calls `listenerIsReady`.
  package func addressesToAccept(
    onInterface interface: String?, port: UInt16, in context: StartContext
  ) throws(SocketFailure) -> LocalAddresses {
    try checkStart(context, needsFamily: true)
    guard let found = try InterfaceSpec.addresses(for: interface, port: port, interfaces: context.interfaces) else {
      throw .badParam(
        "Unknown interface: \(interface ?? ""). Pass the name or an address of an interface of this host.")
    }
    return try enabled(of: found)
  }

  /// The same for a name that has been resolved: the first address of each family, with the port set (ACC-39).
  package func addressesToAccept(
    resolved: [SocketAddress], in context: StartContext
  ) throws(SocketFailure) -> LocalAddresses {
    try checkStart(context, needsFamily: true)
    return try enabled(
      of: LocalAddresses(
        ipv4: resolved.first { $0.family == .ipv4 }, ipv6: resolved.first { $0.family == .ipv6 }))
  }

  private func enabled(of found: LocalAddresses) throws(SocketFailure) -> LocalAddresses {
    let enabled = LocalAddresses(
      ipv4: configuration.isIPv4Enabled ? found.ipv4 : nil, ipv6: configuration.isIPv6Enabled ? found.ipv6 : nil)
    guard !enabled.isEmpty else {
      throw .badParam("The interface has only addresses of a family that is disabled on this socket.")
    }
    return enabled
  }

  /// Throws the reason why an accept call for a Unix-domain path is refused; the driver binds the path and calls
  /// `listenerIsReady`.
  package func checkAccept(onPath path: String, in context: StartContext) throws(SocketFailure) {
    try checkPath(path)
    try checkStart(context, needsFamily: false)
  }

  /// Reports that the listening descriptors are bound, after `addressesToAccept` or `checkAccept`: the socket is
  /// listening from now on.
  package func listenerIsReady() {
    let stream = begin()
    phase = .listening(ListenerMachine(), stream)
  }

  // MARK: Adopting

  /// Takes over a connected descriptor: an accepted child, or one the caller brings. `announce` is the event that tells
  /// the delegate, if any; an accepted child has none (ACC-20).
  package func adoptConnection(announcing announce: SocketEvent?) {
    let stream = begin()
    open(stream, announcing: announce)
  }

  // MARK: Checks

  /// Refuses a start that is a misuse, whatever it is to.
  package func checkStart(_ context: StartContext, needsFamily: Bool) throws(SocketFailure) {
    guard context.hasDelegate else {
      throw .badConfig("The socket has no delegate. Set one before starting.")
    }
    guard context.hasDelegateQueue else {
      throw .badConfig("The socket has no delegate queue. Set one before starting.")
    }
    guard isDisconnected else {
      throw .badConfig("The socket is connected, connecting or accepting already. Disconnect it first.")
    }
    guard !needsFamily || configuration.isIPv4Enabled || configuration.isIPv6Enabled else {
      throw .badConfig("IPv4 and IPv6 are both disabled. Enable one before starting.")
    }
  }

  private func checkPath(_ path: String) throws(SocketFailure) {
    guard !path.isEmpty else { throw .badParam("The Unix-domain path is empty.") }
    // sun_path holds 108 bytes with the terminating zero.
    guard path.utf8.count < 108 else {
      throw .badParam("The Unix-domain path is longer than the 107 bytes a socket address holds.")
    }
  }

  private func localAddresses(
    _ interface: String?, _ context: StartContext
  ) throws(SocketFailure) -> LocalAddresses? {
    guard let interface = interface?.upToZero, !interface.isEmpty else { return nil }
    guard let found = try InterfaceSpec.addresses(for: interface, port: 0, interfaces: context.interfaces) else {
      throw .badParam("Unknown interface: \(interface). Pass the name or an address of an interface of this host.")
    }
    return found
  }

  private func begin() -> StreamMachine {
    starts += 1
    return StreamMachine(generation: generation, keepsUnread: configuration.announcesEnds)
  }
}
