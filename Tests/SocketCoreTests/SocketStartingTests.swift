import SocketCore
import SocketValues
import TestSupport
import Testing

/// What start calls check, in which order, and what a refused start leaves behind.
@Suite("Starting")
struct SocketStartingTests {
  /// What can be wrong with a connect call, in the order in which it must be noticed (LIFE-08).
  enum Fault: Int, CaseIterable, Sendable {
    case argument, addressFamily, delegate, queue, started, families, interface

    func failure(toAddress: Bool) -> RecordedFailure {
      switch self {
      case .argument, .addressFamily, .interface: .badParam
      case .delegate, .queue, .started, .families: .badConfig
      }
    }
  }

  enum Call: String, CaseIterable, Sendable {
    case host, address, path, accept, acceptPath

    /// The faults the call knows, in the order of the checks.
    var order: [Fault] {
      switch self {
      case .host: [.argument, .delegate, .queue, .started, .families, .interface]
      // A disabled family is the address's fault first.
      case .address: [.argument, .addressFamily, .delegate, .queue, .started, .interface]
      case .path, .acceptPath: [.argument, .delegate, .queue, .started]
      case .accept: [.delegate, .queue, .started, .families, .interface]
      }
    }
  }

  /// Makes the call with these faults and says how it failed, and by which fault's text.
  static func attempt(_ call: Call, _ faults: Set<Fault>) -> (failure: SocketFailure?, machine: SocketMachine) {
    let machine = SocketMachine()
    if faults.contains(.started) { machine.adoptConnection(announcing: nil) }
    if faults.contains(.families) {
      machine.configuration.isIPv4Enabled = false
      machine.configuration.isIPv6Enabled = false
    }
    if faults.contains(.addressFamily) { machine.configuration.isIPv4Enabled = false }
    let context = StartContext(
      hasDelegate: !faults.contains(.delegate), hasDelegateQueue: !faults.contains(.queue),
      now: Instant(nanoseconds: 5)
    ) { InterfaceSpecTests.host }
    let interface = faults.contains(.interface) ? "nosuch0" : nil
    let isFaulty = faults.contains(.argument)
    do throws(SocketFailure) {
      switch call {
      case .host:
        try machine.connect(
          toHost: isFaulty ? "" : "name.invalid", port: 1, interface: interface, timeout: -1, in: context)
      case .address:
        let bytes = SocketAddress.loopback(.ipv4, port: 1).bytes
        try machine.connect(toAddress: isFaulty ? bytes + [0] : bytes, interface: interface, timeout: -1, in: context)
      case .path: _ = try machine.connect(toPath: isFaulty ? "" : "/tmp/x", timeout: -1, in: context)
      case .accept: _ = try machine.addressesToAccept(onInterface: interface, port: 1, in: context)
      case .acceptPath: try machine.checkAccept(onPath: isFaulty ? "" : "/tmp/x", in: context)
      }
      return (nil, machine)
    } catch {
      return (error, machine)
    }
  }

  @Test("LIFE-08: of two faults the one that is checked first is told", arguments: Call.allCases)
  func everyPairOfFaults(call: Call) throws {
    #expect(Self.attempt(call, []).failure == nil)
    for (index, first) in call.order.enumerated() {
      let alone = try #require(Self.attempt(call, [first]).failure)
      #expect(RecordedFailure(alone) == first.failure(toAddress: call == .address), "\(first)")
      for second in call.order[(index + 1)...] {
        #expect(Self.attempt(call, [first, second]).failure == alone, "\(first) and \(second)")
      }
    }
    // Each check has a text of its own, so equal texts mean the same check.
    let texts = call.order.compactMap { Self.attempt(call, [$0]).failure }
    #expect(Set(texts).count == texts.count)
  }

  @Test("LIFE-14: a refused start leaves no trace", arguments: Call.allCases)
  func refusedStart(call: Call) {
    for fault in call.order where fault != .started {
      let (_, machine) = Self.attempt(call, [fault])
      #expect(machine.isDisconnected)
      #expect(machine.generation == 0)
      #expect(machine.takeCommands() == [])
      machine.drainEvents { Issue.record("\($0) after \(fault)") }
    }
  }

  @Test("LIFE-03: a start call on a started socket changes nothing", arguments: Call.allCases)
  func startedTwice(call: Call) {
    let (failure, machine) = Self.attempt(call, [.started])
    #expect(failure.map(RecordedFailure.init) == .badConfig)
    #expect(machine.isConnected)
    #expect(machine.generation == 1)
    #expect(machine.takeCommands() == [])
  }

  struct AddressRow: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var isGood: Bool
    var testDescription: String { name }
  }

  static let addresses: [AddressRow] = {
    let ipv4 = SocketAddress.loopback(.ipv4, port: 9).bytes
    let ipv6 = SocketAddress.loopback(.ipv6, port: 9).bytes
    let sizes = [0, 1, 2, 15, 16, 17, 27, 28, 29, 128]
    let padding = [UInt8](repeating: 0, count: 128)
    return sizes.map {
      AddressRow(name: "IPv4, \($0) bytes", bytes: Array((ipv4 + padding).prefix($0)), isGood: $0 == 16)
    }
      + sizes.map { AddressRow(name: "IPv6, \($0) bytes", bytes: Array((ipv6 + padding).prefix($0)), isGood: $0 == 28) }
      + [AddressRow(name: "AF_UNIX", bytes: [1, 0] + padding.prefix(14), isGood: false)]
  }()

  @Test("CON-31: an address of exactly its size, or badParam", arguments: addresses)
  func addressSizes(row: AddressRow) {
    let machine = SocketMachine()
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: Instant(nanoseconds: 5)) { [] }
    do throws(SocketFailure) {
      try machine.connect(toAddress: row.bytes, interface: nil, timeout: -1, in: context)
      #expect(row.isGood)
    } catch {
      #expect(!row.isGood)
      #expect(RecordedFailure(error) == .badParam)
    }
  }

  @Test("CON-31: a disabled family is a bad parameter", arguments: [SocketAddress.Family.ipv4, .ipv6])
  func disabledFamily(family: SocketAddress.Family) {
    let machine = SocketMachine()
    machine.configuration.isIPv4Enabled = family == .ipv6
    machine.configuration.isIPv6Enabled = family == .ipv4
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: Instant(nanoseconds: 5)) { [] }
    #expect(throws: SocketFailure.self) {
      try machine.connect(
        toAddress: SocketAddress.loopback(family, port: 1).bytes, interface: nil, timeout: -1, in: context)
    }
  }

  @Test(
    "CFG-04: an IPv4 address in IPv6 form needs both families", arguments: [(true, true), (true, false), (false, true)])
  func mappedAddress(ipv4: Bool, ipv6: Bool) {
    let machine = SocketMachine()
    machine.configuration.isIPv4Enabled = ipv4
    machine.configuration.isIPv6Enabled = ipv6
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: Instant(nanoseconds: 5)) { [] }
    do throws(SocketFailure) {
      try machine.connect(toAddress: SocketConnectingTests.mapped.bytes, interface: nil, timeout: -1, in: context)
      #expect(ipv4 && ipv6)
    } catch {
      #expect(!(ipv4 && ipv6))
      #expect(RecordedFailure(error) == .badParam)
    }
  }

  @Test(
    "ACC-35: paths fit into a socket address or are refused",
    arguments: [(1, true), (107, true), (108, false), (200, false)])
  func paths(length: Int, isGood: Bool) {
    for call in ["connect", "accept"] {
      let machine = SocketMachine()
      let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: Instant(nanoseconds: 5)) { [] }
      let path = String(repeating: "é", count: length / 2) + String(repeating: "x", count: length % 2)
      do throws(SocketFailure) {
        if call == "connect" {
          _ = try machine.connect(toPath: path, timeout: -1, in: context)
        } else {
          try machine.checkAccept(onPath: path, in: context)
        }
        #expect(isGood)
      } catch {
        #expect(!isGood)
        #expect(RecordedFailure(error) == .badParam)
      }
    }
  }

  struct AcceptRow: CustomTestStringConvertible, Sendable {
    var interface: String?
    var ipv4 = true
    var ipv6 = true
    var hosts: [String]
    var testDescription: String { "\(interface ?? "any"), IPv4 \(ipv4), IPv6 \(ipv6)" }
  }

  static let accepts: [AcceptRow] = [
    AcceptRow(interface: nil, hosts: ["0.0.0.0", "::"]),
    AcceptRow(interface: nil, ipv4: false, hosts: ["::"]),
    AcceptRow(interface: nil, ipv6: false, hosts: ["0.0.0.0"]),
    AcceptRow(interface: "lo", ipv6: false, hosts: ["127.0.0.1"]),
    AcceptRow(interface: "eth0", hosts: ["192.0.2.7"]),
    AcceptRow(interface: "eth0", ipv4: false, hosts: []),
    AcceptRow(interface: "127.0.0.1", ipv4: false, hosts: []),
    AcceptRow(interface: "::1", ipv6: false, hosts: []),
    AcceptRow(interface: "nosuch0", hosts: []),
  ]

  @Test("ACC-01, ACC-08…ACC-13: the addresses to bind", arguments: accepts)
  func accepting(row: AcceptRow) {
    let machine = SocketMachine()
    machine.configuration.isIPv4Enabled = row.ipv4
    machine.configuration.isIPv6Enabled = row.ipv6
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: Instant(nanoseconds: 5)) {
      InterfaceSpecTests.host
    }
    do throws(SocketFailure) {
      let found = try machine.addressesToAccept(onInterface: row.interface, port: 80, in: context)
      #expect([found.ipv4, found.ipv6].compactMap { $0?.host } == row.hosts)
    } catch {
      #expect(row.hosts.isEmpty)
      #expect(RecordedFailure(error) == .badParam)
    }
    #expect(machine.isDisconnected, "nothing is started before the driver has bound")
  }
}
