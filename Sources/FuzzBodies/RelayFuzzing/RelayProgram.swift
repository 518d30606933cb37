import FuzzHarness
import ScenarioModel

/// What happens to a relay: changes of the network, and packets, sound ones and any bytes.
package struct RelayProgram: Hashable, Sendable {
  package enum Kind: UInt8, CaseIterable, Sendable { case tcp, udp, icmp, query, other }

  package enum Act: Hashable, Sendable {
    /// The change of this number, with an argument, on its way to the peers' host or to the subject's.
    case change(UInt8, argument: UInt8, toPeer: Bool)
    /// A packet with right checksums.
    case packet(Kind, isIPv6: Bool, form: UInt8, flags: UInt8, toPeer: Bool, content: [UInt8])
    case bytes([UInt8], toPeer: Bool)
    case reset(toPeer: Bool, beyond: UInt8)
  }

  static let mostActs = 12

  /// Whether a name server answers.
  package var hasNames = false
  package var acts: [Act] = []

  package init() {}

  /// Total, as every decoding.
  package init(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    hasNames = input.bool()
    for _ in 0..<input.number(upTo: Self.mostActs) where !input.isEmpty {
      switch input.byte() % 4 {
      case 0: acts.append(.change(input.byte(), argument: input.byte(), toPeer: input.bool()))
      case 1:
        acts.append(
          .packet(
            input.choice(of: Kind.allCases), isIPv6: input.bool(), form: input.byte(), flags: input.byte(),
            toPeer: input.bool(), content: Array(input.payload(input.number(upTo: 2000)))))
      case 2:
        let toPeer = input.bool()
        acts.append(.bytes(Array(input.payload(input.number(upTo: 2000))), toPeer: toPeer))
      default: acts.append(.reset(toPeer: input.bool(), beyond: input.byte()))
      }
    }
  }

  package var encoded: [UInt8] {
    var output = FuzzOutput()
    output.bool(hasNames)
    output.number(acts.count, upTo: Self.mostActs)
    for act in acts {
      switch act {
      case .change(let number, let argument, let toPeer):
        output.byte(0)
        output.byte(number)
        output.byte(argument)
        output.bool(toPeer)
      case .packet(let kind, let isIPv6, let form, let flags, let toPeer, let content):
        output.byte(1)
        output.byte(kind.rawValue)
        output.bool(isIPv6)
        output.byte(form)
        output.byte(flags)
        output.bool(toPeer)
        output.number(content.count, upTo: 2000)
        output.payload(content)
      case .bytes(let bytes, let toPeer):
        output.byte(2)
        output.bool(toPeer)
        output.number(bytes.count, upTo: 2000)
        output.payload(bytes)
      case .reset(let toPeer, let beyond):
        output.byte(3)
        output.bool(toPeer)
        output.byte(beyond)
      }
    }
    return output.bytes
  }

  // MARK: What acts are

  /// As scenarios may ask for it.
  static func change(_ number: UInt8, _ argument: UInt8) -> PathChange {
    let chance = Chance(tenThousandths: [0, 5000, 10_000][Int(argument % 3)])
    let time = Duration.milliseconds(Int(argument))
    let size = [68, 69, 96, 128, 576, 1000, 1280, 65_535][Int(argument % 8)]
    switch number % 13 {
    case 0: return .delay(time, jitter: time)
    case 1: return .lose(chance)
    case 2: return .double(chance)
    case 3: return .corrupt(chance)
    case 4: return .reorder(chance, by: time)
    case 5: return .throttle(argument == 0 ? 1 : Int(argument) << 12, queue: 2000)
    case 6: return .fragment(size)
    case 7: return .mtu(size, isTold: argument & 16 == 0)
    case 8: return .blackhole
    case 9: return .unreachable(PathChange.Unreachability.allCases[Int(argument % 4)])
    case 10: return .window(Int(argument) << 4)
    case 11: return .cross
    default: return .restore
    }
  }

  static let names =
    [
      NameAnswer(name: "one.example", addresses: ["192.0.2.1", "2001:db8::1"]),
      NameAnswer(name: "Many.example", addresses: (1...40).map { "192.0.2.\($0)" }),
      NameAnswer(name: "none.example"),
    ]
    + NameAnswer.Fault.allCases.map { NameAnswer(name: "\($0.rawValue).example", addresses: ["192.0.2.9"], fault: $0) }

  static func packet(
    _ kind: Kind, isIPv6: Bool, form: UInt8, flags: UInt8, toPeer: Bool, _ content: [UInt8]
  ) -> [UInt8] {
    let port: UInt8 = kind == .query ? 53 : 80
    // Both ways of one connection.
    let ports: [UInt8] = toPeer ? [0, 7, 0, port] : [0, port, 0, 7]
    let transport: (number: UInt8, bytes: [UInt8]) =
      switch kind {
      case .tcp: (6, ports + [0, 0, form, 1, 0, 0, flags, 2, 0x50, flags, 0x10, form, 0, 0, 0, 0] + content)
      case .udp, .query:
        (17, [0, 7, 0, port, UInt8((content.count + 8) >> 8), UInt8((content.count + 8) & 0xFF), 0, 0] + content)
      case .icmp: (isIPv6 ? 58 : 1, [form, flags, 0, 0, 0, 0, 0, 0] + content)
      case .other: (form == 44 ? 99 : form, content)
      }
    let (one, two): ([UInt8], [UInt8]) =
      isIPv6
      ? (
        [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 12),
        [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 1, count: 12)
      )
      : ([192, 0, 2, 1], [192, 0, 2, 2])
    let ends = toPeer ? one + two : two + one
    let count = transport.bytes.count
    let head: [UInt8]
    if isIPv6 {
      head = [0x60, 0, 0, 0, UInt8(count >> 8), UInt8(count & 0xFF), transport.number, 64] + ends
    } else {
      // Some have options, some may not be cut, and some are fragments.
      let part = kind == .other ? [flags & 0x3F, flags & 0x40 != 0 ? 0xFF : 0] : [form & 0x40, 0]
      let options: [UInt8] = form & 0x80 != 0 ? [1, 1, 1, 0] : []
      let total = 20 + options.count + count
      head =
        [0x45 + UInt8(options.count / 4), 0, UInt8(total >> 8), UInt8(total & 0xFF), 0, 7] + part + [64]
        + [transport.number, 0, 0] + ends + options
    }
    guard var packet = WirePacket(head + transport.bytes) else { return head + transport.bytes }
    packet.correct()
    return packet.bytes
  }
}
