import ScenarioModel

/// What stands between two hosts and carries their packets, in virtual time: a machine that takes packets and instants,
/// and says which packet leaves when.
///
/// Laws
/// - Begins empty: a segment of TCP goes nowhere, is not shown and draws nothing before a SYN has come for its
///   connection, however that SYN fares. What shows no whole header of TCP can't be told, and is taken like the rest.
/// - Pure: the same changes, packets, instants and numbers drawn give the same departures and sights. Each packet draws
///   equally many numbers, whatever is done to packets.
/// - Without conditions every packet leaves at once and as it came.
/// - Packets of one way over one link leave in the order in which they came, but for those that `reorder` draws.
/// - Every packet that comes is seen once, with its fate, and so is every packet that the relay makes itself. Packets
///   for groups of hosts are the kernels' own business: they are dropped and not shown.
package struct RelayMachine<Generator: RandomNumberGenerator & Sendable>: Sendable {
  /// A packet on its way to a host.
  package struct Departure: Hashable, Sendable {
    /// The place of the link, from 0.
    package var link: Int
    /// The host that gets it.
    package var to: NetworkSide
    /// The whole packet.
    package var bytes: [UInt8]
  }

  private struct Waiting {
    var at: Duration
    var number: Int
    var departure: Departure
  }

  /// One way over one link.
  private struct Path {
    var condition = PathCondition()
    /// When the last byte that goes at a rate is through.
    var freeAt = Duration.zero
    /// Nothing that keeps its order leaves before.
    var lastAt = Duration.zero
  }

  private let links: [String]
  private var generator: Generator
  private let nameServer: NameServer?
  private var paths: [[NetworkSide: Path]]
  private var connections = ConnectionTable()
  /// The next one is the last.
  private var waiting: [Waiting] = []
  private var number = 0
  private var sights: [PacketSight] = []
  private var keptBytes = 0

  /// The number of kept bytes after which only the head of each further packet is kept.
  private static var maxKeptBytes: Int { 1 << 20 }
  private static var headBytes: Int { 96 }

  /// - Parameters:
  ///   - links: their names.
  ///   - names: what is answered to queries for names on their way to the peers' host; nil: they go on to it.
  ///   - generator: what chances and jitter are drawn from.
  package init(links: [String], names: [NameAnswer]? = nil, generator: Generator) {
    self.links = links
    nameServer = names.map(NameServer.init)
    self.generator = generator
    paths = links.map { _ in [.subject: Path(), .peer: Path()] }
  }

  // MARK: - The lane

  /// Changes the way of packets that come from now on.
  package mutating func apply(_ change: PathChange, _ scope: PathScope) {
    for place in links.indices where scope.link == nil || links[place] == scope.link {
      for side in NetworkSide.allCases where scope.to == nil || scope.to == side {
        paths[place][side]?.condition.apply(change)
      }
    }
  }

  /// Sends a forged reset over the first link. False: no connection was seen that it could be for.
  package mutating func reset(to side: NetworkSide, beyond: Int, at now: Duration) -> Bool {
    guard let bytes = connections.reset(to: side, beyond: beyond) else { return false }
    send(bytes, link: 0, to: side, at: now, fate: "forged")
    return true
  }

  // MARK: - Packets

  /// A packet has come over the link at `place`, on its way to `side`.
  package mutating func take(_ bytes: [UInt8], link place: Int, to side: NetworkSide, at now: Duration) {
    let whole = IPPacket(bytes)
    // Ahead of the draw, so that what others left behind does not decide what becomes of the case's packets.
    if let whole, isForeign(whole, to: side) { return }
    let draws = Draws(&generator)
    guard paths.indices.contains(place), var packet = whole, !packet.isForMany,
      let path = paths[place][side]
    else { return }
    let text = text(of: packet, to: side)
    let original = packet.bytes
    if let loss = loss(of: packet, path.condition, draws) {
      see(packet.bytes, text: text, link: place, to: side, fate: loss.fate)
      if let answer = loss.message?.answer(to: packet) {
        send(answer, link: place, to: side.other, at: now, fate: "of the relay")
      }
      return
    }
    var fates: [String] = []
    var answers: [NameServer.Reply] = []
    defer {
      see(original, text: text, link: place, to: side, fate: fates.joined(separator: ", "))
      for answer in answers {
        send(answer.bytes, link: place, to: .subject, at: now + answer.after, fate: "of the relay")
      }
    }
    if side == .peer, let nameServer, NameServer.serves(packet) {
      answers = nameServer.replies(to: packet)
      return
    }
    if draws.corruption < path.condition.corruption.tenThousandths, packet.content.count > 0 {
      let bit = Int(draws.place % UInt64(packet.content.count * 8))
      packet.bytes[packet.transportOffset + bit / 8] ^= 1 << UInt8(bit % 8)
      fates.append("corrupted")
    }
    if let window = path.condition.window, packet.clampWindow(to: UInt16(clamping: window)) {
      fates.append("window \(window)")
    }
    if path.condition.isCrossing, packet.dropAcknowledgementOfOpening() { fates.append("as a SYN") }
    var pieces = [packet.bytes]
    if let most = path.condition.fragment {
      number += 1
      pieces = Fragmenter.fragments(of: packet, most: most, number: UInt32(truncatingIfNeeded: number))
      if pieces.count > 1 { fates.append("in \(pieces.count) fragments") }
    }
    guard let at = leave(pieces, path, draws, link: place, to: side, at: now, &fates) else { return }
    if draws.doubling < path.condition.doubling.tenThousandths {
      fates.append("doubled")
      for piece in pieces { wait(Departure(link: place, to: side, bytes: piece), until: at) }
    }
  }

  /// Whether the packet is of a connection that did not begin here: a host may live longer than the network, and its
  /// kernel goes on sending for sockets that were closed before.
  private func isForeign(_ packet: IPPacket, to side: NetworkSide) -> Bool {
    guard let segment = TCPSegment(packet) else { return false }
    return connections.isForeign(segment, in: packet, to: side)
  }

  /// Why the packet is lost, and what its sender is sent; nil: it is not lost.
  private func loss(
    of packet: IPPacket, _ condition: PathCondition, _ draws: Draws
  ) -> (fate: String, message: ICMPMessage?)? {
    if condition.isHole { return ("lost", nil) }
    if let what = condition.unreachable { return ("refused", .unreachable(what)) }
    if let mtu = condition.mtu, packet.bytes.count > mtu {
      return ("too big", condition.tellsOfMTU ? .tooBig(mtu: mtu) : nil)
    }
    return draws.loss < condition.loss.tenThousandths ? ("lost", nil) : nil
  }

  /// Queues the packet and returns when it leaves; nil: the queue is full.
  private mutating func leave(
    _ pieces: [[UInt8]], _ path: Path, _ draws: Draws, link: Int, to side: NetworkSide, at now: Duration,
    _ fates: inout [String]
  ) -> Duration? {
    var path = path
    let condition = path.condition
    var at = now
    if let rate = condition.rate {
      let count = pieces.reduce(0) { $0 + $1.count }
      let begins = max(now, path.freeAt)
      let ahead = Int((begins - now).inSeconds * Double(rate))
      guard ahead + count <= max(condition.queue, count) else {
        fates.append("lost, the queue is full")
        return nil
      }
      at = begins + .nanoseconds(Int64(Double(count) * 1e9 / Double(rate)))
      path.freeAt = at
    }
    at += condition.delay
    if condition.jitter > .zero { at += condition.jitter * Double(draws.jitter) / Double(Draws.whole) }
    if draws.reordering < condition.reordering.tenThousandths {
      at = max(at, path.lastAt) + condition.setback
      fates.append("set back")
    } else {
      at = max(at, path.lastAt)
      path.lastAt = at
    }
    paths[link][side] = path
    if at > now { fates.append("delayed \(QuantityText.duration(at - now))") }
    for piece in pieces { wait(Departure(link: link, to: side, bytes: piece), until: at) }
    return at
  }

  private mutating func send(_ bytes: [UInt8], link: Int, to side: NetworkSide, at now: Duration, fate: String) {
    guard let packet = IPPacket(bytes) else { return }
    see(bytes, text: text(of: packet, to: side), link: link, to: side, fate: fate)
    wait(Departure(link: link, to: side, bytes: bytes), until: now)
  }

  private mutating func wait(_ departure: Departure, until instant: Duration) {
    number += 1
    let entry = Waiting(at: instant, number: number, departure: departure)
    // The latest stands first; of equal ones the one that came last.
    var (low, high) = (0, waiting.count)
    while low < high {
      let middle = (low + high) / 2
      if waiting[middle].at > instant { low = middle + 1 } else { high = middle }
    }
    waiting.insert(entry, at: low)
  }

  /// When the next packet leaves; nil: none waits.
  package var nextInstant: Duration? { waiting.last?.at }

  /// The next packet that leaves by now; nil: none does.
  package mutating func nextDeparture(at now: Duration) -> Departure? {
    guard let last = waiting.last, last.at <= now else { return nil }
    waiting.removeLast()
    return last.departure
  }

  // MARK: - Sights

  /// What was seen since the last call, in order.
  package mutating func takeSights() -> [PacketSight] {
    defer { sights.removeAll(keepingCapacity: true) }
    return sights
  }

  private mutating func text(of packet: IPPacket, to side: NetworkSide) -> String {
    if packet.isLaterFragment { return "a later fragment" }
    if let segment = TCPSegment(packet) { return connections.note(segment, in: packet, to: side) }
    switch packet.transport {
    case IPPacket.Transport.icmp, IPPacket.Transport.icmp6: return ICMPMessage.text(packet)
    case IPPacket.Transport.udp where packet.content.count >= 8:
      let content = Array(packet.content)
      return "UDP \(content.word(0))→\(content.word(2)), \(content.count - 8) B"
    default: return "protocol \(packet.transport)"
    }
  }

  private mutating func see(_ bytes: [UInt8], text: String, link: Int, to side: NetworkSide, fate: String) {
    let kept = keptBytes < Self.maxKeptBytes ? bytes : Array(bytes.prefix(Self.headBytes))
    keptBytes += kept.count
    sights.append(
      PacketSight(link: links[link], to: side, text: text, fate: fate, count: bytes.count, bytes: kept))
  }
}

/// The numbers that one packet draws; 0 to 9,999, but for the place.
private struct Draws {
  static let whole = 10_000

  let loss: Int
  let corruption: Int
  let doubling: Int
  let reordering: Int
  let jitter: Int
  /// Which bit is corrupted, if one is.
  let place: UInt64

  init(_ generator: inout some RandomNumberGenerator) {
    func draw() -> Int { Int(generator.next() % UInt64(Self.whole)) }
    (loss, corruption, doubling, reordering, jitter) = (draw(), draw(), draw(), draw(), draw())
    place = generator.next()
  }
}
