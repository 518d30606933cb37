/// What a connection runs over.
package enum AddressFamily: String, CaseIterable, Hashable, Sendable, Codable {
  case ipv4, ipv6, unix
}

/// Where cases run.
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

/// Which of its shortcuts the subject takes: mechanisms that save time, and make no other difference.
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
  /// Which classes are judged; nil: the scenario does not say.
  package var subjects: [SubjectKind]?
  /// What the connections run over.
  package var families: [AddressFamily]
  /// How the peers' sends are cut.
  package var segmentations: [Segmentation]
  /// Which queues the sockets get.
  package var queues: [QueueTopology]
  /// What lies below the connections.
  package var securities: [Security]
  /// Which shortcuts the subject takes.
  package var speeds: [Speed]

  package init(
    subjects: [SubjectKind]? = nil, families: [AddressFamily] = [.ipv4], segmentations: [Segmentation] = [.whole],
    queues: [QueueTopology] = [.separate], securities: [Security] = [.plain], speeds: [Speed] = [.all]
  ) {
    self.subjects = subjects
    self.families = families
    self.segmentations = segmentations
    self.queues = queues
    self.securities = securities
    self.speeds = speeds
  }
}

/// Which alternatives the reference takes of a scenario's `oneOf`, where that is on record.
package struct RecordedForms: Hashable, Sendable, Codable {
  /// A `oneOf` of the scenario in one of the worlds.
  package struct Place: Hashable, Sendable, Codable {
    /// The `oneOf`, in file order, from 1.
    package var oneOf: Int
    /// The world in which the alternatives came.
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
  /// One line, for people: what the subject must do.
  package var title: String
  /// Requirement ids of the contract, such as `RD-DELIM-04`.
  package var requirements: [String]
  /// nil: nothing is on record, and nothing compared.
  package var recordedForms: RecordedForms?
  /// Free words, by which a run can be narrowed.
  package var tags: [String]
  /// The worlds in which the scenario runs; never empty.
  package var worlds: Set<WorldName>
  /// Why a world is left out; nil when both are in.
  package var worldsReason: String?
  /// The dimensions of its variants.
  package var matrix: Matrix
  /// The whole case must be over by then (virtual time in the simulated world).
  package var limit: Duration
  /// How long the case is watched for stray events after everything expected was seen.
  package var settle: Duration
  /// What of a simulated schedule is drawn; nil: all, from the case's seed.
  package var schedule: Schedule?
  /// The scenario that runs the same course with a well-behaved peer; it must pass, or this case's verdict is void.
  package var control: String?
  /// Where `control` stands in the file; nil for a scenario that no file says.
  package var controlPosition: SourcePosition?
  /// A canary must fail: it proves that the judge can see.
  package var canary: Bool
  /// The case's own network; nil: the loopback interface.
  package var network: NetworkSetup?
  /// Host names the case's resolver knows, instead of the system's.
  package var hosts: [HostEntry]
  /// The subject sockets that exist from the start, in the order of the file.
  package var sockets: [SocketSetup]
  /// The scripted peers, in the order of the file.
  package var peers: [PeerLane]
  /// The lanes of calls, in the order of the file; they run side by side.
  package var subjects: [SubjectLane]
  /// What is done inside callbacks; of several that fit, the first in file order that is not used up.
  package var reactions: [Reaction]
  /// What must be seen, in the order of the file.
  package var expectations: [Expectation]
  /// The list was written, and is empty: no callback may come. An empty list that was not written judges none.
  package var expectsNothing: Bool
  /// How the connection must end; nil: the scenario does not say.
  package var ending: EndingExpectation?
  /// Where `ending` stands in the file; nil exactly if it is nil.
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
    expectsNothing = false
  }
}

/// A name in the case's own resolver.
package struct HostEntry: Hashable, Sendable, Codable {
  /// As a `connect` step writes it.
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
  /// Unique among the scenario's sockets; steps and expectations refer to it.
  package var name: String
  /// nil: the variant's topology.
  package var queues: QueueTopology?
  /// false: the socket is made without a delegate.
  package var hasDelegate: Bool
  /// false: the socket is made without a delegate queue.
  package var hasDelegateQueue: Bool
  /// true: its first delegate queue runs blocks side by side. In simulated time every queue is serial.
  package var hasConcurrentDelegateQueue = false
  /// Of a run-loop socket: the lab's name of the loop it lives on; nil: `main`.
  package var runLoop: String?
  /// Of a run-loop socket: the modes it is given at the start; nil: it keeps those it is made with.
  package var modes: [String]?
  /// Of a run-loop socket: the number it is made with; nil: none is passed.
  package var userNumber: Int?

  package init(
    name: String, queues: QueueTopology? = nil, hasDelegate: Bool = true, hasDelegateQueue: Bool = true,
    runLoop: String? = nil, modes: [String]? = nil, userNumber: Int? = nil
  ) {
    self.name = name
    self.queues = queues
    self.hasDelegate = hasDelegate
    self.hasDelegateQueue = hasDelegateQueue
    self.runLoop = runLoop
    self.modes = modes
    self.userNumber = userNumber
  }
}

/// A sequence of calls on subject sockets; lanes run side by side.
package struct SubjectLane: Hashable, Sendable, Codable {
  /// The lane's name is also the socket its unprefixed steps call.
  package var name: String
  /// In the order in which they are taken.
  package var steps: [LocatedStep]

  package init(name: String, steps: [LocatedStep]) {
    self.name = name
    self.steps = steps
  }
}
