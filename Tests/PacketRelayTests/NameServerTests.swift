import ScenarioModel
import Testing

@testable import PacketRelay

@Suite struct NameServerTests {
  private static let refusals: [NameAnswer.Fault] = [.servfail, .refused, .nxdomain]

  private static let server = NameServer(
    answers: [
      NameAnswer(name: "good.example", addresses: ["10.77.1.2", "fd77:1::2", "10.77.2.2"]),
      NameAnswer(name: "slow.example", addresses: ["10.77.1.2"], delay: .milliseconds(400)),
      NameAnswer(name: "none.example"),
      NameAnswer(name: "silent.example", fault: .silent),
      NameAnswer(name: "forged.example", addresses: ["10.77.1.2"], fault: .forged),
      NameAnswer(name: "garbage.example", fault: .garbage),
    ] + refusals.map { NameAnswer(name: "\($0.rawValue).example", fault: $0) })

  /// A query as resolvers send it: one question, number 0x1234, recursion wanted.
  private static func query(_ name: String, type: UInt16 = 1, isIPv6: Bool = false) -> IPPacket {
    var message: [UInt8] = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.split(separator: ".") { message += [UInt8(label.utf8.count)] + Array(label.utf8) }
    message += [0]
    message += type.bigEndianBytes
    message += [0, 1]
    var datagram: [UInt8] = [0x30, 0x39, 0, 53]
    datagram += UInt16(8 + message.count).bigEndianBytes
    datagram += [0, 0]
    datagram += message
    let (source, target) =
      isIPv6 ? (Packets.subject6, Packets.peer6) : (Packets.subject4, Packets.peer4)
    let bytes = IPPacket.make(
      isIPv6: isIPv6, from: source[...], to: target[...], transport: IPPacket.Transport.udp, content: datagram,
      checksumOffset: 6)
    return IPPacket(bytes)!
  }

  /// An answer's number, code and addresses, read by its layout.
  private static func answer(_ bytes: [UInt8]) throws -> (number: [UInt8], code: UInt8, addresses: [[UInt8]]) {
    #expect(Packets.isSound(bytes))
    let content = Array(try #require(IPPacket(bytes)).content)
    #expect(content.prefix(4) == [0, 53, 0x30, 0x39])
    let message = Array(content.dropFirst(8))
    var place = 12
    while message[place] != 0 { place += 1 + Int(message[place]) }
    place += 5
    var addresses: [[UInt8]] = []
    while place < message.count {
      let count = Int(message.word(place + 10))
      addresses.append(Array(message[(place + 12)..<(place + 12 + count)]))
      place += 12 + count
    }
    #expect(addresses.count == Int(message.word(6)))
    return (Array(message[0..<2]), message[3] & 15, addresses)
  }

  @Test(arguments: [false, true]) func namesHaveTheirAddresses(isIPv6: Bool) throws {
    let rows: [(String, UInt16, [[UInt8]])] = [
      ("good.example", 1, [[10, 77, 1, 2], [10, 77, 2, 2]]), ("GOOD.Example", 28, [Packets.peer6]),
      ("slow.example", 28, []), ("none.example", 1, []),
    ]
    for (name, type, addresses) in rows {
      let replies = Self.server.replies(to: Self.query(name, type: type, isIPv6: isIPv6))
      let answer = try Self.answer(try #require(replies.first).bytes)
      #expect(replies.count == 1 && answer.number == [0x12, 0x34] && answer.code == 0)
      #expect(answer.addresses == addresses, "\(name)")
    }
    #expect(Self.server.replies(to: Self.query("slow.example")).map(\.after) == [.milliseconds(400)])
  }

  @Test(arguments: [("servfail", 2), ("refused", 5), ("nxdomain", 3), ("nobody-knows", 3)] as [(String, UInt8)])
  func failuresHaveTheirCodes(name: String, code: UInt8) throws {
    let replies = Self.server.replies(to: Self.query("\(name).example"))
    #expect(try Self.answer(try #require(replies.first).bytes).code == code)
  }

  @Test func liesAreLies() throws {
    #expect(Self.server.replies(to: Self.query("silent.example")).isEmpty)
    #expect(Self.server.replies(to: Self.query("garbage.example")).count == 1)
    let forged = Self.server.replies(to: Self.query("forged.example"))
    #expect(forged.count == 2)
    let (lie, right) = (try Self.answer(forged[0].bytes), try Self.answer(forged[1].bytes))
    #expect(lie.number == [0xED, 0xCB] && lie.addresses == [[10, 77, 1, 66]])
    #expect(right.number == [0x12, 0x34] && right.addresses == [[10, 77, 1, 2]])
  }

  /// Of so many bytes with the lengths of its labels and the zero at its end, which are two more than its letters.
  private static func name(_ count: Int) -> String {
    let label = String(repeating: "n", count: 63) + "."
    let rest = (count - 2) % 64
    return String(repeating: label, count: (count - 2) / 64) + String(repeating: "n", count: rest)
  }

  @Test func namesLongerThanNamesMayBeAreNotAnswered() throws {
    #expect(try Self.answer(try #require(Self.server.replies(to: Self.query(Self.name(255))).first).bytes).code == 3)
    for count in [256, 300, 65_490] {
      #expect(Self.server.replies(to: Self.query(Self.name(count))).isEmpty, "\(count)")
    }
  }

  @Test func whatIsNoQueryIsNotAnswered() throws {
    var bytes = Self.query("good.example").bytes
    for count in 28..<bytes.count {
      var short = Array(bytes[..<count])
      short.put(UInt16(count), at: 2)
      short.putHeaderChecksum()
      let packet = try #require(IPPacket(short))
      #expect(Self.server.replies(to: packet).isEmpty)
    }
    bytes[23] = 54
    #expect(!NameServer.serves(try #require(IPPacket(bytes))))
    #expect(!NameServer.serves(try #require(IPPacket(Packets.tcp()))))
  }

  @Test func addressesAreRead() {
    #expect(AddressText.bytes("10.77.1.2") == [10, 77, 1, 2])
    #expect(AddressText.bytes("fd77:1::2") == Packets.peer6)
    #expect(AddressText.bytes("::") == [UInt8](repeating: 0, count: 16))
    #expect(AddressText.bytes("1:2:3:4:5:6:7:8") == [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8])
    for text in ["", "10.77.1", "10.77.1.256", "1:2:3:4:5:6:7", "1::2::3", "g::1", "1:2:3:4:5:6:7:8::"] {
      #expect(AddressText.bytes(text) == nil, "\(text)")
    }
  }
}
