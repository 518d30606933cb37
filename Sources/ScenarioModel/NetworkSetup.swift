/// A network of the case's own: the subject on one host, the peers on another, and links between them whose packets a
/// relay of the lab carries.
package struct NetworkSetup: Hashable, Sendable, Codable {
  /// In the order of the file; never empty.
  package var links: [NetworkLink]
  /// What becomes of the network, in order; a lane like those of the subject.
  package var steps: [LocatedStep]
  /// What the name server of the peers' host knows; nil: there is none.
  package var resolver: [NameAnswer]?
  /// How often the kernels of both hosts send a segment again before they give a connection up; nil: as they come.
  package var retransmissions: Int?

  package init(
    links: [NetworkLink] = [NetworkLink(name: "lab0")], steps: [LocatedStep] = [], resolver: [NameAnswer]? = nil,
    retransmissions: Int? = nil
  ) {
    self.links = links
    self.steps = steps
    self.resolver = resolver
    self.retransmissions = retransmissions
  }

  /// More links than this no scenario may have.
  package static let maxLinks = 4

  /// The place of a link among them, from 0; nil: there is none of that name.
  package func place(of link: String) -> Int? { links.firstIndex { $0.name == link } }
}

/// One link: an interface on either host, with addresses that its place says.
package struct NetworkLink: Hashable, Sendable, Codable {
  /// The name of the interface on both hosts.
  package var name: String
  /// nil: both families.
  package var family: AddressFamily?
  /// The interfaces' largest packet, in bytes.
  package var mtu: Int

  package init(name: String, family: AddressFamily? = nil, mtu: Int = 1_500) {
    self.name = name
    self.family = family
    self.mtu = mtu
  }

  /// Whether its hosts have addresses of that family.
  package func carries(_ family: AddressFamily) -> Bool { family != .unix && (self.family ?? family) == family }

  /// `10.77.1.2`, `fd77:1::2`: the address of a host on the link at `place`, from 0.
  package static func address(_ family: AddressFamily, of side: NetworkSide, place: Int) -> String {
    family == .ipv6 ? "fd77:\(place + 1)::\(side.number)" : "10.77.\(place + 1).\(side.number)"
  }

  /// `fe80::2`: the address of a host that is the same on every link.
  package static func linkLocalAddress(of side: NetworkSide) -> String { "fe80::\(side.number)" }
}

/// The hosts of a case's own network.
package enum NetworkSide: String, CaseIterable, Hashable, Sendable, Codable {
  case subject, peer

  /// The last number of the host's addresses.
  package var number: Int { self == .subject ? 1 : 2 }
  /// The one at the other end.
  package var other: NetworkSide { self == .subject ? .peer : .subject }
}

/// What the lab's name server answers when it is asked for a name.
package struct NameAnswer: Hashable, Sendable, Codable {
  /// What is wrong with an answer.
  package enum Fault: String, CaseIterable, Hashable, Sendable, Codable {
    /// The name does not exist; the server has failed; the server will not answer.
    case nxdomain, servfail, refused
    /// No answer; one that is no message; a false one with a guessed number, and the right one behind it.
    case silent, garbage, forged
  }

  /// As a `connect` step writes it.
  package var name: String
  /// Numeric, in the server's order; none: the name exists, and has no addresses.
  package var addresses: [String]
  /// How long the answer takes.
  package var delay: Duration
  /// nil: it is sound.
  package var fault: Fault?

  package init(name: String, addresses: [String] = [], delay: Duration = .zero, fault: Fault? = nil) {
    self.name = name
    self.addresses = addresses
    self.delay = delay
    self.fault = fault
  }
}

/// How often something is drawn, in ten-thousandths.
package struct Chance: Hashable, Sendable, Codable {
  /// 0 to 10,000.
  package var tenThousandths: Int

  package init(tenThousandths: Int) { self.tenThousandths = tenThousandths }

  /// `30%`, `0.5%`.
  package var text: String {
    let (whole, rest) = tenThousandths.quotientAndRemainder(dividingBy: 100)
    guard rest != 0 else { return "\(whole)%" }
    let digits = "\(rest + 100)".dropFirst()
    return "\(whole).\(digits.hasSuffix("0") ? digits.dropLast() : digits)%"
  }
}

/// Which packets a change is about.
package struct PathScope: Hashable, Sendable, Codable {
  /// nil: all links.
  package var link: String?
  /// Those on their way to this host; nil: both ways.
  package var to: NetworkSide?

  package init(link: String? = nil, to: NetworkSide? = nil) {
    self.link = link
    self.to = to
  }
}

/// A change of the way that packets take; it holds until the next one of its kind, or until `restore`.
package enum PathChange: Hashable, Sendable, Codable {
  /// Packets take so long, and up to `jitter` more; their order stays.
  case delay(Duration, jitter: Duration)
  case lose(Chance)
  case double(Chance)
  /// One bit behind the packet's addresses is wrong.
  case corrupt(Chance)
  /// Packets that are drawn come so much later than the others.
  case reorder(Chance, by: Duration)
  /// Bytes a second; what is more than `queue` bytes behind is lost.
  case throttle(Int, queue: Int)
  /// Larger packets go on in fragments of at most that many bytes.
  case fragment(Int)
  /// Larger packets are lost; `isTold`: their sender gets an ICMP message.
  case mtu(Int, isTold: Bool)
  /// Everything is lost, without a message.
  case blackhole
  /// Everything is lost, and its sender told so by ICMP.
  case unreachable(Unreachability)
  /// No TCP header promises more room than that many bytes, as far as its connection's scale lets it say.
  case window(Int)
  /// A SYN ACK goes on as a SYN, as if both ends had begun at the same time.
  case cross
  /// Nothing is done to packets any more.
  case restore

  /// What an ICMP message says could not be reached.
  package enum Unreachability: String, CaseIterable, Hashable, Sendable, Codable {
    case network, host, port, prohibited
  }
}

/// An act of the network's lane.
package enum NetworkAction: Hashable, Sendable, Codable {
  case change(PathChange, PathScope)
  /// A forged RST to this host, in the connection that began last; `beyond` bytes off what the host waits for.
  case reset(to: NetworkSide, beyond: Int)
  /// The host has this address, or no longer.
  case address(String, of: NetworkSide, link: String?, isThere: Bool)
  /// The host's interface is up or down.
  case interface(String, of: NetworkSide, isUp: Bool)
}

/// A packet that came to the relay, and what became of it.
package struct PacketSight: Hashable, Sendable, Codable {
  /// The link it came over.
  package var link: String
  /// The host it was meant for.
  package var to: NetworkSide
  /// `TCP 40312→7001 SYN, 0 B`.
  package var text: String
  /// `lost`, `delayed 20 ms`; empty: it went on as it was.
  package var fate: String
  /// Bytes of the whole packet.
  package var count: Int
  /// The packet as it came, or as much as is kept of it; the relay's own are as they left.
  package var bytes: [UInt8]

  package init(link: String, to: NetworkSide, text: String, fate: String, count: Int, bytes: [UInt8]) {
    self.link = link
    self.to = to
    self.text = text
    self.fate = fate
    self.count = count
    self.bytes = bytes
  }

  /// Whether it did not come to the host it was meant for as it was sent.
  package var isTouched: Bool { !fate.isEmpty }
}
