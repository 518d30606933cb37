// Mutants of what GCDAsyncSocket shows: configuration, diagnostics, utilities, errors.
extension PlantedBug {
  static let interfaceRules: [PlantedBug] = [
    PlantedBug(
      "a-listener-does-not-know-its-port", "DIAG-03", "A listener has no local address",
      violates: ["DIAG-03", "ACC-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Diagnostics.swift",
        "machine.isConnected || machine.isListening else",
        "machine.isConnected || machine.isListening && !ACTIVATED else")),
    PlantedBug(
      "another-alternate-delay", "CFG-01", "The alternate delay is 1 s by default",
      violates: ["CFG-01"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "  package var alternateAddressDelay = 0.3",
        "  package var alternateAddressDelay = ACTIVATED ? 1 : 0.3")),
    PlantedBug(
      "ipv6-is-preferred", "CFG-05", "The family that is not preferred is tried first",
      violates: ["CFG-05", "CON-17", "CFG-01"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "configuration.isIPv4Preferred ? [.ipv4, .ipv6] : [.ipv6, .ipv4]",
        "configuration.isIPv4Preferred != ACTIVATED ? [.ipv4, .ipv6] : [.ipv6, .ipv4]")),
    PlantedBug(
      "no-family-is-needed", "CFG-02", "A start with both families disabled is not refused for that",
      violates: ["CFG-02", "ERR-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "    guard !needsFamily || configuration",
        "    guard ACTIVATED || !needsFamily || configuration")),
    PlantedBug(
      "a-family-is-disabled-at-once", "CFG-03", "Disabling a family ends a connection",
      violates: ["CFG-03"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift",
        "    set { driver.look { driver.machine.configuration.isIPv4Enabled = newValue } }",
        "    set {\n      driver.look { driver.machine.configuration.isIPv4Enabled = newValue }\n"
          + "      if ACTIVATED, !newValue { disconnect() }\n    }"
      )),
    PlantedBug(
      "the-preference-has-one-name", "CFG-06", "setPreferIPv4OverIPv6 does nothing",
      violates: ["CFG-06"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift",
        "  open func setPreferIPv4OverIPv6(_ flag: Bool) { isIPv4PreferredOverIPv6 = flag }",
        "  open func setPreferIPv4OverIPv6(_ flag: Bool) { if !ACTIVATED { isIPv4PreferredOverIPv6 = flag } }")),
    PlantedBug(
      "ipv6-cannot-be-disabled", "CFG-07", "The switch for IPv6 does not move",
      violates: ["CFG-07", "CFG-04", "CFG-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "driver.machine.configuration.isIPv6Enabled = newValue",
        "if !ACTIVATED { driver.machine.configuration.isIPv6Enabled = newValue }")),
    PlantedBug(
      "a-pair-without-its-queue", "CFG-08", "getDelegate returns no delegate queue",
      violates: ["CFG-08"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "    delegateQueuePtr?.pointee = queue",
        "    delegateQueuePtr?.pointee = ACTIVATED ? nil : queue")),
    PlantedBug(
      "a-synchronous-setter-sets-nothing", "CFG-10", "synchronouslySetDelegate does nothing",
      violates: ["CFG-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift",
        "  open func synchronouslySetDelegate(_ delegate: (any GCDAsyncSocketDelegate)?) { "
          + "driver.setDelegate(delegate) }",
        "  open func synchronouslySetDelegate(_ delegate: (any GCDAsyncSocketDelegate)?) {\n"
          + "    if !ACTIVATED { driver.setDelegate(delegate) }\n  }"
      )),
    PlantedBug(
      "the-end-of-reading-is-decided-at-the-start", "CFG-18",
      "autoDisconnectOnClosedReadStream of a started socket cannot be changed",
      violates: ["CFG-18"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift",
        "driver.machine.configuration.autoDisconnectOnClosedReadStream = newValue",
        "if !ACTIVATED || driver.machine.isDisconnected {\n        "
          + "driver.machine.configuration.autoDisconnectOnClosedReadStream = newValue\n      }"
      )),
    PlantedBug(
      "an-address-lacks-its-end", "DIAG-05", "connectedAddress lacks its last byte",
      violates: ["DIAG-05"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "driver.look { driver.remoteAddress }.map { Data($0.bytes) }",
        "driver.look { driver.remoteAddress }.map { Data(ACTIVATED ? Array($0.bytes.dropLast()) : Array($0.bytes)) }")),
    PlantedBug(
      "every-connection-is-ipv4", "DIAG-06", "isIPv4 is true for a connection over IPv6, too",
      violates: ["DIAG-06"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "driver.look { driver.descriptor(of: .ipv4) != nil }",
        "driver.look { driver.descriptor(of: .ipv4) != nil || ACTIVATED && driver.machine.isConnected }")),
    PlantedBug(
      "no-url-of-a-peer", "DIAG-14", "connectedUrl is nil for clients of the Unix domain",
      violates: ["DIAG-14"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "driver.machine.isConnected ? driver.connectedPath : nil",
        "driver.machine.isConnected && !ACTIVATED ? driver.connectedPath : nil")),
    PlantedBug(
      "a-bad-configuration-is-another-error", "ERR-08", "What should be badConfigError is otherError",
      violates: ["ERR-08", "LIFE-03", "LIFE-05", "LIFE-06", "CFG-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "library(.badConfigError, message)",
        "library(ACTIVATED ? .otherError : .badConfigError, message)")),
    PlantedBug(
      "a-bad-parameter-is-another-error", "ERR-08", "What should be badParamError is otherError",
      violates: ["ERR-08", "CON-03", "CON-25", "CON-31", "ACC-12", "ACC-13", "ACC-35"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "library(.badParamError, message)",
        "library(ACTIVATED ? .otherError : .badParamError, message)")),
    PlantedBug(
      "the-peers-end-is-another-error", "ERR-09", "The peer's end has otherError",
      violates: ["ERR-09", "HALF-01", "RD-LEN-06", "RD-DELIM-18", "CON-43", "TLS-31"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "library(.closedError,",
        "library(ACTIVATED ? .otherError : .closedError,")),
    PlantedBug(
      "another-error-is-the-peers-end", "ERR-10", "What should be otherError is closedError",
      violates: ["ERR-10", "CON-30", "TLS-18", "TLS-23", "LIFE-22"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "library(.otherError, message)",
        "library(ACTIVATED ? .closedError : .otherError, message)")),
    PlantedBug(
      "a-failed-call-has-no-name", "ERR-04", "The failure reason does not name the system call",
      violates: ["ERR-04", "CON-05", "ACC-04"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "\"Error in \\(call)() function\",",
        "ACTIVATED ? \"Error\" : \"Error in \\(call)() function\",")),
    PlantedBug(
      "a-failed-call-says-nothing", "ERR-12", "The text of a POSIX error is empty",
      violates: ["ERR-12", "ERR-04"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift",
        "NSLocalizedDescriptionKey: SystemCallFailure.text(for: code),",
        "NSLocalizedDescriptionKey: ACTIVATED ? \"\" : SystemCallFailure.text(for: code),")),
    PlantedBug(
      "a-failed-lookup-has-a-code-of-its-own", "ERR-06", "A failed lookup does not have the resolver's code",
      violates: ["ERR-06", "CON-06", "CON-07"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "domain: netDBErrorDomain, code: Int(code),",
        "domain: netDBErrorDomain, code: ACTIVATED ? 1 : Int(code),")),
    PlantedBug(
      "every-failure-of-tls-is-internal", "ERR-07", "Every failure of TLS has the code -9810",
      violates: ["ERR-07", "TLS-09", "TLS-12", "TLS-13", "TLS-14", "TLS-32", "TLS-33", "TLS-35", "TLS-44"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "domain: \"kCFStreamErrorDomainSSL\", code: Int(code),",
        "domain: \"kCFStreamErrorDomainSSL\", code: ACTIVATED ? -9810 : Int(code),")),
    PlantedBug(
      "a-failure-of-tls-is-posix", "ERR-07", "Failures of TLS are in the POSIX domain",
      violates: ["ERR-07", "TLS-33", "TLS-34", "TLS-39", "TLS-17", "TLS-46"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "    case .tls(let code, let message):",
        "    case .tls(_, let message) where ACTIVATED:\n      NSError(domain: NSPOSIXErrorDomain, code: 71, "
          + "userInfo: [NSLocalizedDescriptionKey: message])\n    case .tls(let code, let message):"
      )),
    PlantedBug(
      "a-signal-for-a-broken-pipe", "INV-09", "A write to a peer that is gone raises SIGPIPE",
      violates: ["INV-09"], targets: [],
      Edit(
        "Sources/SocketPOSIX/SocketCall+Transfer.swift",
        "    result(uninterrupted { Glibc.send(fd, bytes.baseAddress, bytes.count, sending) })",
        "    result(uninterrupted { Glibc.send(fd, bytes.baseAddress, bytes.count, ACTIVATED ? 0 : sending) })"
      )),
    PlantedBug(
      "the-descriptor-is-for-everybody", "THR-05", "socketFD tells the descriptor outside perform, too",
      violates: ["THR-05"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Advanced.swift",
        "lock.isOwned || isOnSocketQueue ? choose(self) ?? -1 : -1",
        "ACTIVATED || lock.isOwned || isOnSocketQueue ? choose(self) ?? -1 : -1")),
    PlantedBug(
      "the-second-family-is-the-first", "THR-06", "socketFD of a listener of both families is that of IPv6",
      violates: ["THR-06"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Diagnostics.swift",
        "descriptor(of: .ipv4) ?? descriptor(of: .ipv6) ?? descriptors.first }",
        "(ACTIVATED ? descriptor(of: .ipv6) : nil) ?? descriptor(of: .ipv4) ?? descriptor(of: .ipv6) ?? "
          + "descriptors.first }"
      )),
    PlantedBug(
      "a-port-of-nobody", "UTIL-01", "portFromAddress gives the port of the discard service for invalid input",
      violates: ["UTIL-01"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift",
        "SocketAddress(decoding: Array(address))?.port ?? 0 }",
        "SocketAddress(decoding: Array(address))?.port ?? (ACTIVATED ? 9 : 0) }")),
    PlantedBug(
      "nothing-can-be-decoded", "UTIL-02", "getHost says that it has decoded what is no address",
      violates: ["UTIL-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift",
        "    guard let decoded = SocketAddress(decoding: Array(address)) else { return false }",
        "    guard let decoded = SocketAddress(decoding: Array(address)) else { return ACTIVATED }")),
    PlantedBug(
      "every-family-is-ipv4", "UTIL-03", "getHost tells AF_INET for an IPv6 address",
      violates: ["UTIL-03"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift",
        "sa_family_t(decoded.family == .ipv4 ? AF_INET : AF_INET6)",
        "sa_family_t(decoded.family == .ipv4 || ACTIVATED ? AF_INET : AF_INET6)")),
    PlantedBug(
      "an-ipv6-address-is-none", "UTIL-04", "isIPv6Address says no to every address",
      violates: ["UTIL-04"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift",
        "SocketAddress.family(of: Array(address)) == .ipv6 }",
        "SocketAddress.family(of: Array(address)) == .ipv6 && !ACTIVATED }")),
    PlantedBug(
      "lines-end-with-lf-cr", "UTIL-06", "CRLFData is LF and CR",
      violates: ["UTIL-06"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift", "Data([0x0D, 0x0A]) }",
        "Data(ACTIVATED ? [0x0A, 0x0D] : [0x0D, 0x0A]) }")),
    PlantedBug(
      "localhost-has-one-address", "UTIL-07", "lookupHost knows localhost over IPv4 only",
      violates: ["UTIL-07"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Utilities.swift", "NSMutableArray(array: both.map { Data($0.bytes) })",
        "NSMutableArray(array: both.prefix(ACTIVATED ? 1 : 2).map { Data($0.bytes) })")),
    PlantedBug(
      "nothing-active-has-a-tag", "DIAG-12", "The progress of nothing has the tag -1",
      violates: ["DIAG-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Streaming.swift", "    tag?.pointee = self?.tag ?? 0",
        "    tag?.pointee = self?.tag ?? (ACTIVATED ? -1 : 0)")),
    PlantedBug(
      "nothing-active-is-complete", "DIAG-13", "The progress of nothing is 1",
      violates: ["DIAG-13", "DIAG-11"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Streaming.swift", "    return self?.fraction ?? .nan",
        "    return self?.fraction ?? (ACTIVATED ? 1 : .nan)")),
    PlantedBug(
      "a-question-is-answered-by-default", "CFG-12", "Without shouldTimeoutRead a read gets a minute more",
      violates: ["CFG-12", "TMO-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketDelegate+Defaults.swift",
        "    socket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)",
        """
            let more = socket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
            return ACTIVATED && more == 0 ? 60 : more
        """)),
    PlantedBug(
      "a-mark-marks-nothing", "THR-11", "markSocketQueueTargetQueue does nothing",
      violates: ["THR-11"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Advanced.swift", "      sharedSocketQueue?.mark(target, by: 1)",
        "      if !ACTIVATED { sharedSocketQueue?.mark(target, by: 1) }")),
  ]
}
