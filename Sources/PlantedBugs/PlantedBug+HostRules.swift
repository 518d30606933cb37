// Bugs in the host of GCDAsyncSocket, in the class itself, and in values, that break sentences of the register which
// no other mutant breaks.
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let driver = library + "SocketDriver.swift"
  private static let calls = library + "SocketDriver+Calls.swift"
  private static let delivery = library + "SocketDriver+Delivery.swift"
  private static let entering = library + "SocketDriver+Entering.swift"
  private static let startCalls = library + "DescriptorDriver+Starting.swift"

  static let hostRules: [PlantedBug] = deliveryRules + callRules + valueRules

  private static let deliveryRules: [PlantedBug] = [
    PlantedBug(
      "a-delegate-is-kept", "LIFE-21", "A GCDAsyncSocket never lets go of its delegates",
      violates: ["LIFE-21"], targets: [],
      Edit(
        driver, "    self.delegate = delegate\n    self.delegateQueue = delegateQueue\n",
        """
            if ACTIVATED, let delegate { _ = Unmanaged.passRetained(delegate as AnyObject) }
            self.delegate = delegate
            self.delegateQueue = delegateQueue

        """),
      Edit(
        driver, "      engine.delegateChanged()\n    }",
        """
              engine.delegateChanged()
              if ACTIVATED, let delegate { _ = Unmanaged.passRetained(delegate as AnyObject) }
            }
        """)),
    PlantedBug(
      "a-delegate-cannot-be-cleared", "LIFE-16", "nil as the delegate leaves the former one in its place",
      violates: ["LIFE-16", "LIFE-17"], targets: ["lifecycle"],
      Edit(
        driver, "    didSet {\n      held.isDelegateKnown = false\n",
        """
            didSet {
              if ACTIVATED, delegate == nil, let oldValue { delegate = oldValue }
              held.isDelegateKnown = false

        """)),
    PlantedBug(
      "a-child-is-of-the-base-class", "LIFE-27", "Children of a subclass are of the base class",
      violates: ["LIFE-27"], targets: [],
      Edit(
        delivery, "    let child = type(of: socket).",
        "    let child = (ACTIVATED ? GCDAsyncSocket.self : type(of: socket)).")),
    PlantedBug(
      "a-queue-serves-one-child", "ACC-25", "The second child in turn that gets the same socket queue is closed",
      violates: ["ACC-25"], targets: [],
      Edit(
        delivery, "    delegate.socket(socket, didAcceptNewSocket: child)\n",
        """
            delegate.socket(socket, didAcceptNewSocket: child)
            if ACTIVATED, let queue {
              // Unsafe: on purpose.
              enum Former { nonisolated(unsafe) static weak var queue: DispatchQueue? }
              if Former.queue === queue { child.disconnect() }
              Former.queue = queue
            }

        """)),
    PlantedBug(
      "an-own-end-is-no-error", "ERR-03", "didDisconnect after a disconnect has the error noError",
      violates: ["ERR-03", "DIS-05"], targets: [],
      Edit(
        delivery, "delegate.socketDidDisconnect(socket, withError: reason?.error)",
        """
        delegate.socketDidDisconnect(
                socket,
                withError: reason?.error ?? (ACTIVATED ? NSError(domain: GCDAsyncSocketErrorDomain, code: 0) : nil))
        """)),
    PlantedBug(
      "concurrent-queues-get-events-at-once", "THR-03", "On a concurrent delegate queue callbacks overlap",
      violates: ["THR-03", "INV-04"], targets: [],
      Edit(
        library + "SocketDriver+Serving.swift",
        "      case .event(let event, let delegate): deliver(event, to: delegate, of: delivery.socket)\n",
        """
              case .event(let event, let delegate):
                if ACTIVATED, look({ delegateQueue?.isConcurrent }) == true {
                  let socket = delivery.socket
                  // Unsafe: on purpose.
                  nonisolated(unsafe) let receiver = delegate
                  DispatchQueue.global().async { self.deliver(event, to: receiver, of: socket) }
                } else {
                  deliver(event, to: delegate, of: delivery.socket)
                }

        """)),
  ]

  private static let callRules: [PlantedBug] = [
    PlantedBug(
      "a-path-has-no-descriptor", "THR-07", "Of a socket of the Unix domain socketFD is -1 inside perform, too",
      violates: ["THR-07"], targets: [],
      Edit(
        library + "DescriptorDriver+Diagnostics.swift", "    if let stream { return [stream.number] }\n",
        """
            if ACTIVATED, connectedPath != nil || listenerFile != nil { return [] }
            if let stream { return [stream.number] }

        """)),
    PlantedBug(
      "perform-ends-with-the-usual-options", "THR-08",
      "Behind a perform block options of the descriptor are as if it had set none",
      violates: ["THR-08"], targets: [],
      Edit(
        entering, "    block()\n    lock.lock()\n",
        """
            block()
            lock.lock()
            if ACTIVATED, let stream {
              try? SocketCall.setNoDelay(stream.number, isNoDelayEnabled)
              try? SocketCall.setUserTimeout(stream.number, milliseconds: 0)
              try? SocketCall.setKeepAlive(stream.number, seconds: 7_200, probes: 9)
            }

        """)),
    PlantedBug(
      "writing-ends-with-a-half-close", "HALF-15", "A graceful disconnect closes the write side at once",
      violates: ["HALF-15"], targets: [],
      Edit(
        calls, "    enter { engine.disconnect(afterReads: reads, afterWrites: writes) }",
        """
            enter {
              engine.disconnect(afterReads: reads, afterWrites: writes)
              if ACTIVATED, let stream, !machine.hasUnsentWrites { _ = shutdown(stream.number, Int32(SHUT_WR)) }
            }
        """)),
    PlantedBug(
      "a-write-is-two", "WR-13", "A write is queued in two halves, between which another thread's may come",
      violates: ["WR-13"], targets: [],
      Edit(
        calls, "  func write(_ bytes: UnsafeRawBufferPointer, timeout: Double, tag: Int) {\n",
        "  func write(_ whole: UnsafeRawBufferPointer, timeout: Double, tag: Int) {\n"
          + """
              let half = ACTIVATED ? whole.count / 2 : 0
              let front = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: whole[..<half]))
              if half > 0, let first = WriteRequest(bytes: front, timeout: timeout, tag: tag) {
                enterToQueue(isWrite: true) { engine.write(first, mayWait: $0) }
              }
              let bytes = half > 0 ? UnsafeRawBufferPointer(rebasing: whole[half...]) : whole

          """)),
    PlantedBug(
      "a-delimiter-is-looked-at-later", "RD-DELIM-17", "The delimiter of a read is captured 20 ms after the call",
      violates: ["RD-DELIM-17"], targets: [],
      Edit(
        calls, "      read(through: data, limit: limit, timeout: timeout, tag: tag, destination: nil)\n",
        """
              guard !ACTIVATED else {
                return DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
                  self.read(through: data, limit: limit, timeout: timeout, tag: tag, destination: nil)
                }
              }
              read(through: data, limit: limit, timeout: timeout, tag: tag, destination: nil)

        """)),
    PlantedBug(
      "old-content-is-searched", "RD-DELIM-11", "A delimiter may begin in front of a buffer's offset",
      violates: ["RD-DELIM-11"], targets: [],
      Edit(
        calls,
        "    } else if let place = DescriptorDriver.readDestination(buffer, offset) {\n      read(through: data,",
        """
            } else if let place = DescriptorDriver.readDestination(buffer, offset) {
              let old = Data((buffer as Data?)?.prefix(Int(offset)) ?? Data())
              let known = (1..<max(1, data.count)).last { old.suffix($0) == data.prefix($0) } ?? 0
              read(through: ACTIVATED ? Data(data.dropFirst(known)) : data,
        """)),
    PlantedBug(
      "a-length-is-an-int", "RD-BUF-13", "A length that is no Int ends the process",
      violates: ["RD-BUF-13", "RD-LEN-10"], targets: [],
      Edit(
        calls, "      .exactly(Int(clamping: length), timeout",
        "      .exactly(ACTIVATED ? Int(length) : Int(clamping: length), timeout")),
    PlantedBug(
      "a-limit-has-32-bits", "RD-ANY-04", "A limit is kept in 32 bits, so that the largest is negative",
      violates: ["RD-ANY-04"], targets: [],
      Edit(
        calls, "      .available(limit: Int(clamping: length), timeout",
        """
              .available(
                limit: ACTIVATED ? Int(Int32(truncatingIfNeeded: length)) : Int(clamping: length), timeout
        """)),
    PlantedBug(
      "a-buffer-never-grows", "RD-BUF-08", "What exceeds the room in a caller's buffer is left out of it",
      violates: ["RD-BUF-08", "RD-BUF-02"], targets: [],
      Edit(
        library + "CallerBuffer.swift", "    guard let base = bytes.baseAddress else { return }\n",
        """
            let room = max(0, buffer.length - offset - position)
            let bytes = ACTIVATED ? UnsafeRawBufferPointer(rebasing: bytes.prefix(room)) : bytes
            guard let base = bytes.baseAddress else { return }

        """)),
    PlantedBug(
      "a-port-of-an-idle-socket-traps", "DIAG-07", "The local port asked for without a connection ends the process",
      violates: ["DIAG-07", "DIAG-02"], targets: [],
      Edit(
        library + "DescriptorDriver+Diagnostics.swift",
        "  var localPort: UInt16 { localAddress?.port ?? 0 }",
        """
          var localPort: UInt16 {
            if ACTIVATED, machine.isDisconnected { preconditionFailure("There is no connection.") }
            return localAddress?.port ?? 0
          }
        """)),
    PlantedBug(
      "a-peer-id-is-fatal", "TLS-40", "The setting GCDAsyncSocketSSLPeerID ends the process",
      violates: ["TLS-40"], targets: [],
      Edit(
        library + "TLSSettings+Dictionary.swift", "\"data\").map { $0 as Data }\n",
        "\"data\").map { $0 as Data }\n    precondition(!ACTIVATED || settings.peerID == nil)\n")),
    PlantedBug(
      "a-buffer-is-not-kept", "RD-BUF-10", "A read does not keep the caller's buffer alive",
      violates: ["RD-BUF-10"], targets: [],
      Edit(
        library + "CallerBuffer.swift", "  private var buffer: NSMutableData?\n",
        "  private var buffer: NSMutableData?\n  private weak var lent: NSMutableData?\n"),
      Edit(
        library + "CallerBuffer.swift", "    self.buffer = buffer\n",
        "    self.buffer = ACTIVATED ? nil : buffer\n    lent = buffer\n"),
      Edit(
        library + "CallerBuffer.swift", "    guard let buffer else { return }\n",
        "    guard let buffer = buffer ?? (ACTIVATED ? lent : nil) else { return }\n")),
  ]

  private static let valueRules: [PlantedBug] = [
    PlantedBug(
      "a-silent-peer-is-probed", "TMO-25", "A peer that is silent for a second is probed, and given up",
      violates: ["TMO-25", "DIAG-08"], targets: [],
      Edit(
        library + "DescriptorDriver+Commands.swift", "    stream = open\n    engine.connectionIsEstablished()",
        """
            stream = open
            if ACTIVATED {
              let tcp = Int32(IPPROTO_TCP)
              // How long the peer may leave bytes unconfirmed, in milliseconds.
              for (level, name, value) in [
                (SOL_SOCKET, SO_KEEPALIVE, 1), (tcp, TCP_KEEPIDLE, 1), (tcp, TCP_KEEPINTVL, 1),
                (tcp, TCP_USER_TIMEOUT, 600),
              ] {
                var value = Int32(value)
                setsockopt(open.number, level, name, &value, 4)
              }
            }
            engine.connectionIsEstablished()
        """)),
    PlantedBug(
      "a-refusal-is-not-thrown", "CON-29", "connectToHost does not throw when it refuses to start",
      violates: ["CON-29", "CON-03"], targets: [],
      Edit(
        startCalls,
        """
              try driver.machine.connect(
                toHost: host, port: port, interface: interface, timeout: timeout, in: driver.startContext)

        """,
        """
              do throws(SocketFailure) {
                try driver.machine.connect(
                  toHost: host, port: port, interface: interface, timeout: timeout, in: driver.startContext)
              } catch {
                guard ACTIVATED else { throw error }
              }

        """)),
    PlantedBug(
      "a-refusal-has-the-number-of-another-system", "ERR-05", "ECONNREFUSED has the number that it has on Darwin",
      violates: ["ERR-05", "CON-05"], targets: [],
      Edit(
        library + "GCDAsyncSocketError.swift", "        domain: NSPOSIXErrorDomain, code: Int(code),\n",
        "        domain: NSPOSIXErrorDomain, code: ACTIVATED && code == ECONNREFUSED ? 61 : Int(code),\n")),
    PlantedBug(
      "a-host-loses-its-scope", "CON-32", "An address that a lookup finds has no scope",
      violates: ["CON-32"], targets: [],
      Edit(
        "Sources/SocketPOSIX/HostLookup.swift", "      found.append(address)\n",
        """
              let isScoped = ACTIVATED && address.family == .ipv6
              found.append(isScoped ? SocketAddress(ipv6: Array(address.bytes[8..<24]), port: port) : address)

        """)),
    PlantedBug(
      "a-link-local-address-loses-its-scope", "CON-32", "connectToAddress leaves out the scope of an IPv6 address",
      violates: ["CON-32"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "      [.init(remote: remote, local: local?[remote.family])]",
        """
              [
                .init(
                  remote: ACTIVATED && remote.family == .ipv6
                    ? SocketAddress(ipv6: Array(remote.bytes[8..<24]), port: remote.port) : remote,
                  local: local?[remote.family])
              ]
        """)),
    PlantedBug(
      "a-service-is-its-first-address", "CON-46", "Of a service's addresses only the first is tried",
      violates: ["CON-46"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Starting.swift", "        failure = error as NSError\n",
        "        failure = error as NSError\n        if ACTIVATED { throw failure }\n")),
    PlantedBug(
      "a-forbidden-port-is-another", "ACC-07", "Instead of a port below 1024 the kernel's choice is listened on",
      violates: ["ACC-07"], targets: [],
      Edit(
        library + "DescriptorDriver+Accepting.swift",
        "        try SocketCall.bind(descriptor.rawValue, to: raw)\n        try SocketCall.listen",
        """
                let isLow = ACTIVATED && (1..<1024).contains(address.port)
                try SocketCall.bind(descriptor.rawValue, to: isLow ? RawAddress(address.with(port: 0)) : raw)
                try SocketCall.listen
        """)),
    PlantedBug(
      "an-address-has-an-exact-size", "UTIL-05", "Addresses with bytes behind their end are not decoded",
      violates: ["UTIL-05"], targets: ["address"],
      Edit(
        "Sources/SocketValues/SocketAddress.swift",
        "bytes.count >= Self.size(of: family) else { return nil }\n    self.bytes",
        "ACTIVATED ? bytes.count == Self.size(of: family) : bytes.count >= Self.size(of: family) else {\n"
          + "      return nil\n    }\n    self.bytes")),
    PlantedBug(
      "a-blob-has-a-family", "UTIL-08", "The first bytes of an address are looked at whether they are there or not",
      violates: ["UTIL-08", "UTIL-04"], targets: ["address"],
      Edit(
        "Sources/SocketValues/SocketAddress.swift", "    guard bytes.count >= 16 else { return nil }\n",
        "    guard ACTIVATED || bytes.count >= 16 else { return nil }\n")),
  ]
}
