import ScenarioModel
import TestSupport
import Testing

@testable import PacketRelay

@Suite struct IPPacketTests {
  @Test(arguments: [false, true]) func readsItsParts(isIPv6: Bool) throws {
    let bytes = Packets.tcp([.syn, .ack], isIPv6: isIPv6, sequence: 7, acknowledged: 9, window: 512, data: [1, 2, 3])
    let packet = try #require(IPPacket(bytes + [0, 0]))
    #expect(packet.bytes == bytes)
    #expect(packet.isIPv6 == isIPv6)
    #expect(Array(packet.source) == (isIPv6 ? Packets.subject6 : Packets.subject4))
    #expect(Array(packet.target) == (isIPv6 ? Packets.peer6 : Packets.peer4))
    let segment = try #require(TCPSegment(packet))
    #expect(segment.sourcePort == 40_000 && segment.targetPort == 7_001)
    #expect(segment.sequence == 7 && segment.acknowledged == 9 && segment.window == 512 && segment.count == 3)
    #expect(segment.flags.text == "SYN ACK")
    #expect(segment.advance == 4)
  }

  @Test(arguments: [false, true]) func isNothingWhenItIsCutOff(isIPv6: Bool) {
    let bytes = Packets.tcp(isIPv6: isIPv6, data: [1])
    for count in 0..<bytes.count { #expect(IPPacket(bytes[..<count]) == nil) }
  }

  /// Whatever the bytes, nothing is read beyond their end.
  @Test func anyBytesAreReadOrRefused() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      var bytes = Packets.tcp(isIPv6: Bool.random(using: &generator), data: Array(repeating: 7, count: 30))
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      guard var packet = IPPacket(bytes) else { continue }
      _ = TCPSegment(packet)
      _ = packet.isICMPError
      _ = ICMPMessage.text(packet)
      _ = ICMPMessage.unreachable(.host).answer(to: packet)
      _ = packet.clampWindow(to: 0)
      let pieces = Fragmenter.fragments(of: packet, most: 60, number: 1)
      #expect(!pieces.isEmpty)
    }
  }

  @Test func sumsAsTheRFCDoes() {
    var generator = SeededGenerator(seed: 9)
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var sum = InternetChecksum()
      sum.add(bytes)
      // There are two zeros in ones' complement.
      #expect(sum.value == Packets.oracle(bytes) || (sum.value | Packets.oracle(bytes)) == 0xFFFF && count == 0)
    }
  }

  @Test(arguments: [false, true]) func whatIsMadeHasRightChecksums(isIPv6: Bool) {
    #expect(Packets.isSound(Packets.tcp(isIPv6: isIPv6, data: [1, 2, 3])))
  }

  @Test(arguments: [false, true]) func aClampedWindowKeepsTheChecksumRight(isIPv6: Bool) throws {
    for window in [UInt16(1), 7, 999, 65_535] {
      var packet = try #require(IPPacket(Packets.tcp(isIPv6: isIPv6, window: window, data: [5])))
      #expect(packet.clampWindow(to: 1) == (window > 1))
      #expect(TCPSegment(packet)?.window == 1)
      #expect(Packets.isSound(packet.bytes))
    }
  }

  private static let unreachabilities: [(PathChange.Unreachability, UInt8, UInt8)] = [
    (.network, 0, 0), (.host, 1, 3), (.port, 3, 4), (.prohibited, 13, 1),
  ]

  @Test(arguments: unreachabilities)
  func sendersAreTold(what: PathChange.Unreachability, code4: UInt8, code6: UInt8) throws {
    for isIPv6 in [false, true] {
      let packet = try #require(IPPacket(Packets.tcp(.syn, isIPv6: isIPv6)))
      let answer = try #require(ICMPMessage.unreachable(what).answer(to: packet))
      #expect(Packets.isSound(answer))
      let told = try #require(IPPacket(answer))
      #expect(told.source == packet.target && told.target == packet.source)
      #expect(Array(told.content.prefix(2)) == (isIPv6 ? [1, code6] : [3, code4]))
      #expect(Array(told.content.dropFirst(8)) == packet.bytes)
      // No error of an error.
      #expect(ICMPMessage.unreachable(what).answer(to: told) == nil)
    }
  }

  @Test func theLargestPacketIsToldWhereItsVersionHasIt() throws {
    let four = try #require(IPPacket(Packets.tcp()))
    let six = try #require(IPPacket(Packets.tcp(isIPv6: true)))
    let told4 = try #require(ICMPMessage.tooBig(mtu: 1_280).answer(to: four).flatMap { IPPacket($0) })
    let told6 = try #require(ICMPMessage.tooBig(mtu: 1_280).answer(to: six).flatMap { IPPacket($0) })
    #expect(Array(told4.content.prefix(8))[...1] == [3, 4] && Array(told4.content).word(6) == 1_280)
    #expect(Array(told6.content.prefix(8))[...1] == [2, 0] && Array(told6.content).longWord(4) == 1_280)
    #expect(ICMPMessage.text(told4) == "ICMP too big, at most 1280 B")
    #expect(ICMPMessage.text(told6) == "ICMPv6 too big, at most 1280 B")
  }

  @Test(arguments: [false, true]) func fragmentsAreTheWhole(isIPv6: Bool) throws {
    for size in [0, 1, 300, 1_400] {
      let packet = try #require(IPPacket(Packets.tcp(isIPv6: isIPv6, data: (0..<size).map { UInt8($0 & 255) })))
      for most in [68, 100, 576, 1_280] {
        let fragments = Fragmenter.fragments(of: packet, most: most, number: 77)
        guard packet.bytes.count > most else {
          #expect(fragments == [packet.bytes])
          continue
        }
        #expect(fragments.allSatisfy { $0.count <= most && IPPacket($0)?.bytes == $0 })
        #expect(Packets.joined(fragments) == Array(packet.content))
        #expect(fragments.dropFirst().allSatisfy { IPPacket($0)?.isLaterFragment == true })
        #expect(IPPacket(fragments[0])?.isLaterFragment == false)
      }
    }
  }

  /// A fragment that is cut again keeps its place in the whole.
  @Test func fragmentsOfFragmentsAreTheWhole() throws {
    let packet = try #require(IPPacket(Packets.tcp(data: (0..<1_000).map { UInt8($0 & 255) })))
    let pieces = Fragmenter.fragments(of: packet, most: 576, number: 1).flatMap { bytes in
      IPPacket(bytes).map { Fragmenter.fragments(of: $0, most: 120, number: 2) } ?? []
    }
    #expect(pieces.count > 8)
    #expect(Packets.joined(pieces) == Array(packet.content))
  }

  /// One that reaches beyond the longest packet is left as it is: there is no number for the places behind.
  @Test func aFragmentBeyondTheLongestPacketIsNotCut() throws {
    var bytes = Packets.tcp(data: [UInt8](repeating: 7, count: 200))
    bytes.replaceSubrange(6..<8, with: [0x1F, 0xFF])
    let packet = try #require(IPPacket(bytes))
    #expect(Fragmenter.fragments(of: packet, most: 68, number: 1) == [bytes])
  }

  /// Whether more follow, and the number that a whole's fragments share.
  private static func marks(_ fragments: [[UInt8]]) -> (more: [Bool], numbers: Set<UInt16>) {
    (fragments.map { $0[6] & 0x20 != 0 }, Set(fragments.map { $0.word(4) }))
  }

  /// The last fragment of one that is not the last itself says that more follow.
  @Test func fragmentsOfFragmentsSayWhatFollows() throws {
    let packet = try #require(IPPacket(Packets.tcp(data: (0..<1_000).map { UInt8($0 & 255) })))
    let pieces = Fragmenter.fragments(of: packet, most: 576, number: 1)
    #expect(Self.marks(pieces).more == [true, false] && Self.marks(pieces).numbers == [1])
    let again = try pieces.map { Fragmenter.fragments(of: try #require(IPPacket($0)), most: 300, number: 2) }
    #expect(again.map { Self.marks($0).more } == [[true, true], [true, false]])
    // They are put together with those of the whole, whose number they keep.
    #expect(again.allSatisfy { Self.marks($0).numbers == [1] })
    #expect(again.joined().allSatisfy { IPPacket($0).map { Packets.oracle(Array($0.bytes[..<20])) } == 0 })
  }

  /// A fragment of IPv6 has its own header already, which a second one would hide.
  @Test func aFragmentOfIPv6IsNotCutAgain() throws {
    let packet = try #require(IPPacket(Packets.tcp(isIPv6: true, data: [UInt8](repeating: 1, count: 1_000))))
    for piece in Fragmenter.fragments(of: packet, most: 576, number: 1) {
      #expect(Fragmenter.fragments(of: try #require(IPPacket(piece)), most: 200, number: 2) == [piece])
    }
  }

  /// Behind the first fragment stand no headers by which anybody could tell whom an error is for.
  @Test(arguments: [false, true]) func laterFragmentsAndGroupsAreNotAnswered(isIPv6: Bool) throws {
    let packet = try #require(IPPacket(Packets.tcp(isIPv6: isIPv6, data: [UInt8](repeating: 1, count: 1_000))))
    let answered = try Fragmenter.fragments(of: packet, most: 300, number: 1).map {
      ICMPMessage.unreachable(.host).answer(to: try #require(IPPacket($0))) != nil
    }
    #expect(answered == [true] + [Bool](repeating: false, count: answered.count - 1) && answered.count > 2)
    var group = packet.bytes
    group[isIPv6 ? 24 : 16] = isIPv6 ? 0xFF : 224
    #expect(ICMPMessage.unreachable(.host).answer(to: try #require(IPPacket(group))) == nil)
  }
}
