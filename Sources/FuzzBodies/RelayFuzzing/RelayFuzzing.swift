import FuzzHarness
import PacketRelay
import ScenarioModel

/// The relay between two hosts takes whatever their kernels send, and a reader of the packets that shares nothing with
/// it looks at what comes out.
///
/// Laws
/// - `relay/sights`: a packet is seen once, as it came; what is no whole packet, is for a group, or is of a connection
///   whose SYN did not come, is not.
/// - `relay/departures`: a packet goes on as often as it may, to where it was going.
/// - `relay/changed`: nothing about it is other than what the network is to do.
/// - `relay/checksums`: a sum that was right is right behind the relay, and so are those of the relay's own packets.
/// - `relay/fragments`: fragments have the bytes of the packet and its place, and none is larger than it may be.
/// - `relay/answers`: an ICMP message goes to the sender and quotes the packet; a name server's answer is a whole
///   message that repeats number and question.
package enum RelayFuzzing {
  package static let body: FuzzBody = { bytes in
    var run = RelayRun(Relay(hasNames: RelayProgram(bytes).hasNames))
    return run.violation(in: RelayProgram(bytes))
  }

  /// The relay under test, or a double that proves that laws can be broken.
  package protocol Carrier {
    mutating func apply(_ change: PathChange, to side: NetworkSide)
    mutating func reset(to side: NetworkSide, beyond: Int, at now: Duration)
    mutating func take(_ bytes: [UInt8], to side: NetworkSide, at now: Duration)
    mutating func next(at now: inout Duration) -> (to: NetworkSide, bytes: [UInt8])?
    mutating func sights() -> [PacketSight]
  }

  /// Two hosts with one link.
  package struct Relay: Carrier {
    private var machine: RelayMachine<SplitMix64>

    package init(hasNames: Bool) {
      machine = RelayMachine(
        links: ["link"], names: hasNames ? RelayProgram.names : nil, generator: SplitMix64(seed: 1))
    }

    package mutating func apply(_ change: PathChange, to side: NetworkSide) {
      machine.apply(change, PathScope(to: side))
    }

    package mutating func reset(to side: NetworkSide, beyond: Int, at now: Duration) {
      _ = machine.reset(to: side, beyond: beyond, at: now)
    }

    package mutating func take(_ bytes: [UInt8], to side: NetworkSide, at now: Duration) {
      machine.take(bytes, link: 0, to: side, at: now)
    }

    package mutating func next(at now: inout Duration) -> (to: NetworkSide, bytes: [UInt8])? {
      guard let instant = machine.nextInstant else { return nil }
      now = max(now, instant)
      return machine.nextDeparture(at: now).map { ($0.to, $0.bytes) }
    }

    package mutating func sights() -> [PacketSight] { machine.takeSights() }
  }
}

/// One packet after the other: each has left before the next one comes, so that what leaves is known to be of it.
package struct RelayRun<Carrier: RelayFuzzing.Carrier> {
  private struct Terms {
    var changes: [String: PathChange] = [:]

    /// What is done to packets, by the names of what does it.
    mutating func apply(_ change: PathChange) {
      if case .restore = change {
        changes = [:]
      } else {
        changes["\(change)".prefix { $0.isLetter }.description] = change
      }
    }

    func has(_ names: String...) -> Bool { names.contains { changes[$0] != nil } }
  }

  private var carrier: Carrier
  private var now = Duration.zero
  private var terms: [NetworkSide: Terms] = [.subject: Terms(), .peer: Terms()]
  /// The ends of the connections of which a SYN came, the subject's first.
  private var begun: Set<[UInt8]> = []

  package init(_ carrier: Carrier) { self.carrier = carrier }

  package mutating func violation(in program: RelayProgram) -> Violation? {
    for isIPv6 in [false, true] { open(isIPv6: isIPv6) }
    for act in program.acts {
      let violation: Violation?
      switch act {
      case .change(let number, let argument, let toPeer):
        let (change, side) = (RelayProgram.change(number, argument), Self.side(toPeer))
        carrier.apply(change, to: side)
        terms[side]?.apply(change)
        violation = nil
      case .packet(let kind, let isIPv6, let form, let flags, let toPeer, let content):
        let bytes = RelayProgram.packet(kind, isIPv6: isIPv6, form: form, flags: flags, toPeer: toPeer, content)
        violation = check(bytes, to: Self.side(toPeer), hasNames: program.hasNames)
      case .bytes(let bytes, let toPeer):
        violation = check(bytes, to: Self.side(toPeer), hasNames: program.hasNames)
      case .reset(let toPeer, let beyond): violation = reset(to: Self.side(toPeer), beyond: Int(beyond))
      }
      if let violation { return violation }
    }
    return nil
  }

  /// Begins the connection that a program's segments are of: most programs have no SYN.
  private mutating func open(isIPv6: Bool) {
    let bytes = RelayProgram.packet(.tcp, isIPv6: isIPv6, form: 2, flags: 2, toPeer: true, [])
    if let packet = WirePacket(bytes) { _ = hasBegun(packet, to: .peer) }
    carrier.take(bytes, to: .peer, at: now)
    (_, _) = (departures(), carrier.sights())
  }

  /// Whether the packet is none of a connection whose SYN did not come; one that shows no whole header is not.
  private mutating func hasBegun(_ packet: WirePacket, to side: NetworkSide) -> Bool {
    let content = packet.content
    guard packet.transport == 6, packet.place == 0, content.count >= 20 else { return true }
    let header = Int(content[12] / 16) * 4
    guard header >= 20, content.count >= header else { return true }
    let (source, target) = (packet.source + content[0..<2], packet.target + content[2..<4])
    let ends = side == .peer ? source + target : target + source
    // Of SYN, RST and ACK the first alone.
    if content[13] & 0x16 == 2 { begun.insert(ends) }
    return begun.contains(ends)
  }

  private static func side(_ toPeer: Bool) -> NetworkSide { toPeer ? .peer : .subject }

  private mutating func departures() -> [(to: NetworkSide, bytes: [UInt8])] {
    var found: [(to: NetworkSide, bytes: [UInt8])] = []
    while let next = carrier.next(at: &now) { found.append(next) }
    return found
  }

  private mutating func reset(to side: NetworkSide, beyond: Int) -> Violation? {
    carrier.reset(to: side, beyond: beyond, at: now)
    let (made, seen) = (departures(), carrier.sights())
    guard made.count <= 1, made.count == seen.count, made.allSatisfy({ $0.to == side }) else {
      return Violation("relay/departures", "a reset leaves \(made.count) packets")
    }
    return made.isEmpty || isOwn(made[0].bytes) ? nil : Violation("relay/checksums", "a forged reset is wrong")
  }

  /// Whether a packet of the relay's own is whole, with right checksums.
  private func isOwn(_ bytes: [UInt8]) -> Bool {
    WirePacket(bytes).map { $0.bytes == bytes && $0.headerIsRight && $0.isRight } ?? false
  }

  private mutating func check(_ bytes: [UInt8], to side: NetworkSide, hasNames: Bool) -> Violation? {
    carrier.take(bytes, to: side, at: now)
    let (left, seen) = (departures(), carrier.sights())
    guard let packet = WirePacket(bytes), !packet.isForMany else {
      return left.isEmpty && seen.isEmpty ? nil : Violation("relay/sights", "no packet is seen or goes on")
    }
    guard hasBegun(packet, to: side) else {
      return left.isEmpty && seen.isEmpty ? nil : Violation("relay/sights", "a stranger's segment is seen or goes on")
    }
    let (own, others) = (left.filter { $0.to != side }.map(\.bytes), left.filter { $0.to == side }.map(\.bytes))
    guard seen.count == 1 + own.count, seen[0].bytes == packet.bytes, seen[0].count == packet.bytes.count else {
      return Violation("relay/sights", "\(seen.count) sights of a packet with \(own.count) answers")
    }
    if let violation = check(own, to: packet, toPeer: side == .peer, hasNames) { return violation }
    let isQuery =
      hasNames && side == .peer && packet.transport == 17 && packet.place == 0 && packet.content.count >= 8
      && WirePacket.number(packet.content, 2) == 53
    let terms = terms[side] ?? Terms()
    let isDropped = isQuery || terms.has("blackhole", "unreachable")
    guard !isDropped || others.isEmpty else { return Violation("relay/departures", "a packet that is lost goes on") }
    guard !isDropped, !(others.isEmpty && terms.has("lose", "mtu")) else { return nil }
    return check(others, of: packet, terms)
  }
}

// MARK: - What goes on

extension RelayRun {
  private func check(_ left: [[UInt8]], of packet: WirePacket, _ terms: Terms) -> Violation? {
    let most = if case .fragment(let size)? = terms.changes["fragment"] { size } else { Int.max }
    let pieces = left.compactMap(WirePacket.init)
    guard pieces.count == left.count, zip(pieces, left).allSatisfy({ $0.bytes == $1 }) else {
      return Violation("relay/changed", "what goes on is no packet, or not all of one")
    }
    // A doubled one comes whole and then again; each of its fragments, too.
    let copies =
      terms.has("double") && !left.isEmpty && left.count % 2 == 0
        && left.prefix(left.count / 2).elementsEqual(left.suffix(left.count / 2)) ? 2 : 1
    let one = Array(pieces.prefix(pieces.count / copies))
    guard !one.isEmpty else { return Violation("relay/departures", "a packet is gone") }
    var came = packet
    if one.count > 1 || one[0].bytes.count != packet.bytes.count {
      guard packet.bytes.count > most else {
        return Violation("relay/departures", "\(left.count) packets in place of one")
      }
      guard let content = WirePacket.whole(one, most: most), content.count == packet.content.count,
        one[0].place == packet.place, one[one.count - 1].hasMore == packet.hasMore,
        one.allSatisfy({ ends($0) == ends(packet) && $0.transport == packet.transport })
      else { return Violation("relay/fragments", "fragments don't make the packet") }
      came.content = content
    } else {
      came = one[0]
      guard came.head == packet.head else { return Violation("relay/changed", "a header of IP is another") }
    }
    return check(came, was: packet, terms)
  }

  private func ends(_ packet: WirePacket) -> [UInt8] { packet.source + packet.target }

  private func check(_ came: WirePacket, was packet: WirePacket, _ terms: Terms) -> Violation? {
    let changed = packet.content.indices.filter { came.content[$0] != packet.content[$0] }
    guard !terms.has("corrupt") else { return nil }
    var allowed: Set<Int> = []
    if packet.transport == 6, packet.place == 0 {
      if terms.has("window") { allowed.formUnion([14, 15, 16, 17]) }
      if terms.has("cross") { allowed.formUnion([8, 9, 10, 11, 13, 16, 17]) }
    }
    guard allowed.isSuperset(of: changed) else {
      return Violation("relay/changed", "bytes behind the headers of IP are others")
    }
    guard !packet.isRight || came.isRight else { return Violation("relay/checksums", "a right sum is wrong now") }
    if case .window(let most)? = terms.changes["window"], packet.transport == 6, packet.place == 0,
      changed.contains(where: [14, 15].contains), WirePacket.number(came.content, 14) != most
    {
      return Violation("relay/changed", "a window is another than the one that is asked for")
    }
    return nil
  }
}

// MARK: - What is answered

extension RelayRun {
  private func check(_ own: [[UInt8]], to packet: WirePacket, toPeer: Bool, _ hasNames: Bool) -> Violation? {
    for bytes in own {
      guard isOwn(bytes), let answer = WirePacket(bytes) else {
        return Violation("relay/checksums", "a packet of the relay's own is wrong")
      }
      guard answer.source == packet.target, answer.target == packet.source else {
        return Violation("relay/answers", "an answer is from or for somebody else")
      }
      if answer.transport == 17 {
        guard toPeer, hasNames, isAnswer(answer.content, to: packet.content) else {
          return Violation("relay/answers", "a name server's answer is none")
        }
      } else {
        guard answer.transport == (packet.isIPv6 ? 58 : 1), packet.bytes.starts(with: answer.content.dropFirst(8)),
          answer.content.count >= min(packet.bytes.count, 68) + 8
        else { return Violation("relay/answers", "an ICMP message does not quote the packet") }
      }
    }
    return nil
  }

  /// Whether a datagram answers another one: whole, with question and records as their numbers say.
  private func isAnswer(_ answer: [UInt8], to query: [UInt8]) -> Bool {
    guard answer.count >= 20, WirePacket.number(answer, 4) == answer.count, answer[..<2] == query[2..<4],
      answer[2..<4] == query[..<2]
    else { return false }
    let message = Array(answer[8...])
    // One of the name server's faults: no message, but its number is right.
    if message.dropFirst(2).allSatisfy({ $0 == 0xFF }) { return message[..<2] == query[8..<10] }
    guard WirePacket.number(message, 4) == 1, message[2] & 0x80 != 0 else { return false }
    var place = 12
    while place < message.count, message[place] != 0 { place += 1 + Int(message[place]) }
    place += 5
    guard place <= message.count, query.count >= 8 + place, message[12..<place].elementsEqual(query[20..<8 + place])
    else { return false }
    for _ in 0..<WirePacket.number(message, 6) {
      guard message.count >= place + 12, message[place] == 0xC0, message[place + 1] == 12 else { return false }
      place += 12 + WirePacket.number(message, place + 10)
    }
    return place == message.count
  }
}
