package enum AddressFamily: String, CaseIterable, Hashable, Sendable, Codable {
  case ipv4, ipv6, unix
}

package enum WorldName: String, CaseIterable, Hashable, Sendable, Codable {
  /// The real kernel.
  case loopback
  /// Virtual time and a seed.
  case simulated
}

/// Which queues the subject's sockets get.
package enum QueueTopology: String, CaseIterable, Hashable, Sendable, Codable {
  /// A serial delegate queue; the socket has no queue of the caller's.
  case separate
  /// One serial queue is delegate queue and socket queue.
  case shared
  /// A serial delegate queue and a serial socket queue of the caller's.
  case own
}

/// How a peer's sends are cut into segments, as a file asks for it.
package enum Segmentation: String, CaseIterable, Hashable, Sendable, Codable {
  case whole, bytes, everySplit, random
}

/// What lies between the scenario's bytes and the wire.
package enum Security: String, CaseIterable, Hashable, Sendable, Codable {
  /// What the scenario's own steps say.
  case plain
  /// Every connection of the scenario is wrapped in TLS of this version; if it has TLS steps of its own, they are its
  /// peers' version.
  case tls12 = "tls1.2"
  case tls13 = "tls1.3"

  /// nil for none.
  package var version: TLSVersion? { TLSVersion(rawValue: rawValue) }
}

/// Which of its shortcuts the subject takes: mechanisms that save time, and of which nobody may see more.
package enum Speed: String, CaseIterable, Hashable, Sendable, Codable {
  /// All of them, as it ships.
  case all
  /// None.
  case plain
  /// One alone, for developers of the subject.
  case deferral, fastPath, inlineDelivery, lending, polling
}

/// The dimensions a scenario is multiplied by.
package struct Matrix: Hashable, Sendable, Codable {
  package var families: [AddressFamily]
  package var segmentations: [Segmentation]
  package var queues: [QueueTopology]
  package var securities: [Security]
  package var speeds: [Speed]

  package init(
    families: [AddressFamily] = [.ipv4], segmentations: [Segmentation] = [.whole],
    queues: [QueueTopology] = [.separate], securities: [Security] = [.plain], speeds: [Speed] = [.all]
  ) {
    self.families = families
    self.segmentations = segmentations
    self.queues = queues
    self.securities = securities
    self.speeds = speeds
  }
}

/// Which alternatives the reference takes of a scenario's `oneOf`, where that is on record.
package struct RecordedForms: Hashable, Sendable, Codable {
  package struct Place: Hashable, Sendable, Codable {
    /// The `oneOf`, in file order, from 1.
    package var oneOf: Int
    package var world: WorldName

    package init(oneOf: Int, world: WorldName) {
      self.oneOf = oneOf
      self.world = world
    }
  }

  /// Alternatives are counted from 1; several: any of them, because a race decides.
  package var alternatives: [Place: Set<Int>]

  package init(_ alternatives: [Place: Set<Int>] = [:]) { self.alternatives = alternatives }
}

/// One scenario file, read and checked.
package struct Scenario: Hashable, Sendable, Codable {
  /// The path below Scenarios/ without extension.
  package var id: String
  package var title: String
  /// Requirement ids of the contract, such as `RD-DELIM-04`.
  package var requirements: [String]
  /// nil: nothing is on record, and nothing compared.
  package var recordedForms: RecordedForms?
  package var tags: [String]
  package var worlds: Set<WorldName>
  /// Why a world is left out; nil when both are in.
  package var worldsReason: String?
  package var matrix: Matrix
  /// The whole case must be over by then (virtual time in the simulated world).
  package var limit: Duration
  /// How long the case is watched for stray events after everything expected was seen.
  package var settle: Duration
  /// The scenario that runs the same course with a well-behaved peer; it must pass, or this case's verdict is void.
  package var control: String?
  /// A canary must fail: it proves that the judge can see.
  package var canary: Bool
  /// Host names the case's resolver knows, instead of the system's.
  package var hosts: [HostEntry]
  package var sockets: [SocketSetup]
  package var peers: [PeerLane]
  package var subjects: [SubjectLane]
  package var reactions: [Reaction]
  package var expectations: [Expectation]
  package var ending: EndingExpectation?
  package var endingPosition: SourcePosition?

  package init(id: String, title: String) {
    self.id = id
    self.title = title
    requirements = []
    tags = []
    worlds = Set(WorldName.allCases)
    matrix = Matrix()
    limit = .seconds(10)
    settle = .milliseconds(50)
    canary = false
    hosts = []
    sockets = []
    peers = []
    subjects = []
    reactions = []
    expectations = []
  }
}

/// A name in the case's own resolver.
package struct HostEntry: Hashable, Sendable, Codable {
  package var name: String
  /// Numeric addresses, in the resolver's order; empty: the name does not exist.
  package var addresses: [String]
  /// How long the lookup takes.
  package var delay: Duration

  package init(name: String, addresses: [String], delay: Duration = .zero) {
    self.name = name
    self.addresses = addresses
    self.delay = delay
  }
}

/// A subject socket that exists from the start. `socket` always does; children are named when they are accepted.
package struct SocketSetup: Hashable, Sendable, Codable {
  package var name: String
  /// nil: the variant's topology.
  package var queues: QueueTopology?
  package var hasDelegate: Bool
  package var hasDelegateQueue: Bool

  package init(
    name: String, queues: QueueTopology? = nil, hasDelegate: Bool = true, hasDelegateQueue: Bool = true
  ) {
    self.name = name
    self.queues = queues
    self.hasDelegate = hasDelegate
    self.hasDelegateQueue = hasDelegateQueue
  }
}

/// A sequence of calls on subject sockets; lanes run side by side.
package struct SubjectLane: Hashable, Sendable, Codable {
  /// The lane's name is also the socket its unprefixed steps call.
  package var name: String
  package var steps: [LocatedStep]

  package init(name: String, steps: [LocatedStep]) {
    self.name = name
    self.steps = steps
  }
}
