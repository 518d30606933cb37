// Mutants of starts: what is checked, where a listener or a connect goes, what becomes of a start that fails.
extension PlantedBug {
  static let starting: [PlantedBug] = [
    PlantedBug(
      "only-ipv4-is-listened-on", "ACC-01", "A listener for both families listens over IPv4 only",
      violates: ["ACC-01", "ACC-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Accepting.swift",
        "    for address in [addresses.ipv4, addresses.ipv6] {",
        "    for address in [addresses.ipv4, ACTIVATED && addresses.ipv4 != nil ? nil : addresses.ipv6] {")),
    PlantedBug(
      "each-family-has-a-port-of-its-own", "ACC-02", "With port 0 the kernel chooses a port for each family",
      violates: ["ACC-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Accepting.swift",
        "        port = SocketCall.localAddress(descriptor.rawValue)?.port ?? 0",
        "        port = ACTIVATED ? 0 : SocketCall.localAddress(descriptor.rawValue)?.port ?? 0")),
    PlantedBug(
      "an-interface-stands-for-all", "ACC-08", "The name of an interface means every interface",
      violates: ["ACC-08", "CON-24"], targets: [],
      Edit(
        "Sources/SocketCore/InterfaceSpec.swift", "    return found.isEmpty ? nil : found",
        "    if ACTIVATED, !found.isEmpty {\n      return LocalAddresses(ipv4: .any(.ipv4, port: port), ipv6: "
          + ".any(.ipv6, port: port))\n    }\n    return found.isEmpty ? nil : found"
      )),
    PlantedBug(
      "localhost-is-every-interface", "ACC-10", "A listener on localhost is bound to every address",
      violates: ["ACC-10"], targets: [],
      Edit(
        "Sources/SocketCore/InterfaceSpec.swift",
        "      return LocalAddresses(ipv4: .loopback(.ipv4, port: port), ipv6: .loopback(.ipv6, port: port))",
        "      if ACTIVATED { return LocalAddresses(ipv4: .any(.ipv4, port: port), ipv6: .any(.ipv6, port: port)) "
          + "}\n      return LocalAddresses(ipv4: .loopback(.ipv4, port: port), ipv6: .loopback(.ipv6, port: port))"
      )),
    PlantedBug(
      "no-interface-is-the-loopback", "ACC-11", "Without an interface a listener is bound to the loopback",
      violates: ["ACC-11", "ACC-01"], targets: [],
      Edit(
        "Sources/SocketCore/InterfaceSpec.swift", "    if name.isEmpty { return",
        "    if name.isEmpty, ACTIVATED {\n      return LocalAddresses(ipv4: .loopback(.ipv4, port: port), ipv6: "
          + ".loopback(.ipv6, port: port))\n    }\n    if name.isEmpty { return"
      )),
    PlantedBug(
      "an-unknown-interface-is-any", "ACC-12", "A listener on an interface that does not exist listens everywhere",
      violates: ["ACC-12", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "    guard let found = try InterfaceSpec.addresses(for: interface, port: port, interfaces: "
          + "context.interfaces) else {",
        "    let any = LocalAddresses(ipv4: .any(.ipv4, port: port), ipv6: .any(.ipv6, port: port))\n"
          + "    guard let found = try InterfaceSpec.addresses(for: interface, port: port, interfaces: "
          + "context.interfaces)\n      ?? (ACTIVATED ? any : nil)\n    else {"
      )),
    PlantedBug(
      "an-interface-of-a-disabled-family-is-another-error", "ACC-13",
      "An interface with addresses of a disabled family only is refused with otherError",
      violates: ["ACC-13", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "      throw .badParam(\"The interface has only addresses of a family that is disabled on this socket.\")",
        "      let text = \"The interface has only addresses of a family that is disabled on this socket.\"\n"
          + "      throw ACTIVATED ? .other(text) : .badParam(text)"
      )),
    PlantedBug(
      "the-port-of-the-interface-wins", "ACC-14", "The port behind the interface counts though another one was passed",
      violates: ["ACC-14"], targets: [],
      Edit(
        "Sources/SocketCore/InterfaceSpec.swift", "    return (name, port == 0 ? number : port)",
        "    return (name, port == 0 || ACTIVATED ? number : port)")),
    PlantedBug(
      "a-port-in-time-wait-is-busy", "ACC-16",
      "A listener's port cannot be listened on again while old connections are in TIME_WAIT",
      violates: ["ACC-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Accepting.swift",
        "        try SocketCall.setReuseAddress(descriptor.rawValue)",
        "        if !ACTIVATED { try SocketCall.setReuseAddress(descriptor.rawValue) }")),
    PlantedBug(
      "a-listener-is-never-closed", "ACC-28", "The descriptor of a listener stays open after its disconnect",
      violates: ["ACC-28", "ACC-17", "INV-08"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Accepting.swift", "      listener.close()",
        "      if ACTIVATED { listener.release() } else { listener.close() }")),
    PlantedBug(
      "a-new-child-has-no-peer", "ACC-21", "In didAccept nobody knows the address of the client",
      violates: ["ACC-21", "ACC-20"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Diagnostics.swift",
        "    guard machine.isConnected, let stream else { return nil }",
        "    guard machine.isConnected, let stream, !(ACTIVATED && engine.isInactive) else { return nil }")),
    PlantedBug(
      "any-file-makes-way", "ACC-36", "A listener of the Unix domain deletes a regular file at its path",
      violates: ["ACC-36"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/UnixListenerFile.swift", "    guard status.st_mode & S_IFMT == S_IFSOCK else {",
        "    guard ACTIVATED || status.st_mode & S_IFMT == S_IFSOCK else {")),
    PlantedBug(
      "a-strangers-path-is-removed", "ACC-37",
      "A listener of the Unix domain removes its path though it is another socket's now",
      violates: ["ACC-37"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/UnixListenerFile.swift",
        "status.st_dev == device, status.st_ino == inode else { return }",
        "ACTIVATED || status.st_dev == device && status.st_ino == inode else { return }")),
    PlantedBug(
      "a-refusal-has-no-errno", "CON-37", "A connect that the kernel refuses at once has otherError",
      violates: ["CON-37", "CON-05", "CON-34", "ERR-04", "CON-36"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Commands.swift",
        "      engine.attemptFailed(attempt, SocketFailure(error))",
        "      engine.attemptFailed(attempt, ACTIVATED ? .other(\"The connection was refused.\") : "
          + "SocketFailure(error))"
      )),
    PlantedBug(
      "the-interface-is-not-bound", "CON-24", "A connect by way of an interface is not bound to it",
      violates: ["CON-24", "CON-26", "CON-27"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Commands.swift", "      if let local {",
        "      if let local, !ACTIVATED {")),
    PlantedBug(
      "a-connect-timeout-of-zero-is-none", "CON-10", "A connect timeout of zero means no timeout",
      violates: ["CON-10"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "    let deadline = context.now.after(seconds: timeout)",
        "    let deadline = ACTIVATED && timeout == 0 ? nil : context.now.after(seconds: timeout)")),
    PlantedBug(
      "a-connect-always-has-a-timeout", "CON-09", "A connect without a timeout is given up after 200 ms",
      violates: ["CON-09"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "    var resolution = Resolution(configuration: configuration, port: port, local: local, deadline: deadline)",
        "    var resolution = Resolution(configuration: configuration, port: port, local: local, deadline: deadline)\n"
          + "    if ACTIVATED, timeout < 0 { resolution.deadline = context.now.after(seconds: 0.2) }"
      )),
    PlantedBug(
      "localhost-is-resolved", "CON-16", "The resolver is asked for localhost and loopback",
      violates: ["CON-16"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    if host == \"localhost\" || host == \"loopback\" {",
        "    if !ACTIVATED, host == \"localhost\" || host == \"loopback\" {")),
    PlantedBug(
      "the-last-address-is-tried", "CON-21", "Of several addresses of a family the last one is tried",
      violates: ["CON-21"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "order.compactMap { family in allowed.first { $0.family == family } }",
        "order.compactMap { family in (ACTIVATED ? allowed.reversed() : allowed).first { $0.family == family } }")),
    PlantedBug(
      "the-alternate-delay-is-fixed", "CON-22", "The alternate delay that was set is passed over",
      violates: ["CON-22", "LIFE-11"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "let headStart = resolution.configuration.alternateAddressDelay",
        "let headStart = ACTIVATED ? 0.3 : resolution.configuration.alternateAddressDelay")),
    PlantedBug(
      "an-unknown-interface-is-none", "CON-25", "A connect by way of an unknown interface goes any way",
      violates: ["CON-25", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "      throw .badParam(\"Unknown interface: \\(interface). Pass the name or an address of an interface of "
          + "this host.\")",
        "      if ACTIVATED { return nil }\n      throw .badParam(\"Unknown interface: \\(interface). Pass the "
          + "name or an address of an interface of this host.\")"
      )),
    PlantedBug(
      "an-address-may-be-longer", "CON-31", "connectToAddress takes an address with bytes behind its end",
      violates: ["CON-31"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "remote.bytes.count == bytes.count else {",
        "ACTIVATED || remote.bytes.count == bytes.count else {")),
    PlantedBug(
      "an-address-of-a-disabled-family-will-do", "CON-31", "connectToAddress takes an address of a disabled family",
      violates: ["CON-31", "CFG-04"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    guard configuration.allows(remote) else {",
        "    guard ACTIVATED || configuration.allows(remote) else {")),
    PlantedBug(
      "an-empty-path-is-a-path", "CON-34", "An empty path of the Unix domain is not refused for that",
      violates: ["CON-34", "ACC-35"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    guard !path.isEmpty else { throw",
        "    guard ACTIVATED || !path.isEmpty else { throw")),
    PlantedBug(
      "a-refused-start-is-told-as-well", "CON-35", "A start that a call refuses has a didDisconnect, too",
      violates: ["CON-35", "LIFE-14", "CON-27"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift", "    phase = .idle\n    commands = []",
        "    if ACTIVATED { events.append(.didDisconnect(nil)) }\n    phase = .idle\n    commands = []")),
    PlantedBug(
      "accepted-descriptors-are-inherited", "ACC-41", "Accepted descriptors survive exec",
      violates: ["ACC-41"], targets: [],
      Edit(
        "Sources/SocketPOSIX/LinuxCall.swift", "Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))",
        "Int32(SOCK_NONBLOCK.rawValue | (ACTIVATED ? 0 : SOCK_CLOEXEC.rawValue)))")),
    PlantedBug(
      "no-delegate-is-needed", "LIFE-05", "A socket starts without a delegate",
      violates: ["LIFE-05", "LIFE-07", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    guard context.hasDelegate else {",
        "    guard ACTIVATED || context.hasDelegate else {")),
    PlantedBug(
      "no-delegate-queue-is-needed", "LIFE-06", "A socket starts without a delegate queue",
      violates: ["LIFE-06", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    guard context.hasDelegateQueue else {",
        "    guard ACTIVATED || context.hasDelegateQueue else {")),
    PlantedBug(
      "the-host-is-looked-at-last", "LIFE-08", "connectToHost looks for the delegate before it looks at the host",
      violates: ["LIFE-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    let host = host.upToZero",
        "    if ACTIVATED { try checkStart(context, needsFamily: true) }\n    let host = host.upToZero")),
    PlantedBug(
      "early-writes-run-later", "LIFE-12", "A write before the start is sent on the next connection",
      violates: ["LIFE-12", "WR-06"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift", "    machine.write(request)\n    return queued(isWrite: true",
        "    if ACTIVATED, machine.isDisconnected { machine.earlyWrites.append(request) }\n    machine.write(request)\n"
          + "    return queued(isWrite: true"),
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "  // MARK: State\n",
        "  @exclusivity(unchecked) var earlyWrites: [WriteRequest] = []\n\n  // MARK: State\n"),
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift", "    if let announce { events.append(announce) }",
        "    for write in earlyWrites { stream.enqueue(write) }\n    earlyWrites = []\n"
          + "    if let announce { events.append(announce) }")),
    PlantedBug(
      "a-missing-route-is-not-told", "CON-36", "A connect without a route is as if nobody answered",
      violates: ["CON-36"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "    let (next, outcome) = race.failed(attempt, failure)\n",
        """
            let (next, outcome) = race.failed(attempt, failure)
            if ACTIVATED, case .lost(.posix(let code, _)) = outcome, code == 101 || code == 113 { return }

        """)),
    PlantedBug(
      "a-released-socket-stays-open", "LIFE-18", "Releasing the last reference leaves the connection open",
      violates: ["LIFE-18", "INV-08"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/SocketDriver.swift", "      swap(&userData, &self.userData)",
        "      swap(&userData, &self.userData)\n      if ACTIVATED { stream?.release() }")),
    PlantedBug(
      "anything-can-be-adopted", "LIFE-22", "A descriptor of a datagram socket is adopted",
      violates: ["LIFE-22"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Adopting.swift", "SocketCall.isStream(socketFD),",
        "ACTIVATED || SocketCall.isStream(socketFD),")),
    PlantedBug(
      "an-adopted-socket-is-silent", "LIFE-23", "An adopted socket has no didConnect",
      violates: ["LIFE-23"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Adopting.swift", "inactive: false, announcing: .didConnect(address))",
        "inactive: false, announcing: ACTIVATED ? nil : .didConnect(address))")),
    PlantedBug(
      "an-initialiser-forgets-its-queue", "LIFE-24", "The initialiser with a socket queue makes one of its own",
      violates: ["LIFE-24"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Adopting.swift",
        "    self.init(delegate: nil, delegateQueue: nil, socketQueue: sq)\n  }\n\n  /// A socket",
        "    self.init(delegate: nil, delegateQueue: nil, socketQueue: ACTIVATED ? nil : sq)\n  }\n\n  /// A socket")),
    PlantedBug(
      "any-queue-is-a-socket-queue", "LIFE-25", "A concurrent queue is taken as socket queue",
      violates: ["LIFE-25"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "    guard sq?.isConcurrent != true else {",
        "    guard ACTIVATED || sq?.isConcurrent != true else {")),
    PlantedBug(
      "one-start-is-the-only-one", "LIFE-09", "A second start has the number of the first, and is mistaken for it",
      violates: ["LIFE-09", "INV-18"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    starts += 1",
        "    if !ACTIVATED || starts == 0 { starts += 1 }")),
  ]
}
