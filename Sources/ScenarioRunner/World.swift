import ScenarioModel

/// Where a case happens: a subject, scripted peers, the wire between them, and time.
///
/// Laws
/// - The runner pulls. A world does nothing on its own that the runner can see except between two calls of
///   `nextEvent(before:)`; events come out in the order they happened, with the instant at which they happened.
/// - `perform` on the subject returns what the call returned; what it sets off comes out as events.
/// - Callbacks are delivered by the world on the subject's delegate queues. Reactions run inside them (`reactions`),
///   and what they did comes out as events too, after the callback that set them off.
/// - All instants count from the moment `open` returned.
package protocol World {
  /// Which of the worlds it is.
  var name: WorldName { get }

  /// Whether it shows events that did not happen, or not so.
  static var falsifies: Bool { get }

  /// Time since the case was opened.
  var now: Duration { get }

  /// How late the lab itself was at worst in this case; zero in virtual time.
  var lateness: Duration { get }

  /// The longest that any thread of the lab's has waited for a processor in this case, or shortly before; zero in
  /// virtual time, and where nobody counts. To be asked for with reason: it takes a look at every thread.
  var processorWait: Duration { get }

  /// Makes the sockets, starts the listeners of peers that listen, and installs the resolver entries.
  /// A `CaseSkip` says that the host lacks something; a `LabFailure` is the lab's own fault.
  mutating func open(_ setup: CaseSetup) throws(CaseObstacle)

  /// Calls the subject; returns when the call has returned (or is given up as hung).
  mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult

  /// When the subject made the call that `perform` was last given, if it says so: a program gets a call later than
  /// that.
  var lastCall: Duration? { get }

  /// The scenario's own `hold`, inside a reaction, that kept the last call or reading from returning, because it needs
  /// the thread that the callback has; nil: none did. To be asked after one that has not returned.
  var hold: SourcePosition? { get }

  /// Reads a property of a subject socket; `name` is the buffer's for `.buffer`. nil: reading it did not return.
  mutating func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue?

  /// The port a reference stands for in this case, when it is known.
  func port(_ reference: PortReference) -> UInt16?

  /// Lets a scripted peer act; answers come as `.peer` events.
  mutating func perform(_ action: PeerAction, by peer: String)

  /// How many bytes of the send that the peer has under way the kernel has taken, for messages.
  func takenUnderWay(by peer: String) -> Int

  /// Does something to the case's own network. Returns why it could not be done; nil: it was.
  mutating func perform(_ action: NetworkAction) -> String?

  /// Why the subject cannot be used for the rest of the case; nil while it can. Events from before come first.
  var fault: SubjectFault? { get }

  /// What the subject's process said as it ended, line by line.
  var lastWords: [String] { get }

  /// The next event that happens before the deadline; nil once the deadline has come and nothing is left before it.
  mutating func nextEvent(before deadline: Duration) -> WorldEvent?

  /// The next event that happened before the instant and that the world has been told of already, such as a callback
  /// that came inside a call; nil: there is none. Nobody is looked at for it.
  mutating func toldEvent(before instant: Duration) -> WorldEvent?

  /// The peers at which a connection waits, still open, that no step of theirs has accepted.
  mutating func uninvited() -> [String]

  /// Ends the case: closes everything. The world is not used afterwards.
  mutating func close() -> [ClosingRemark]
}

/// What the end of a case showed.
package struct ClosingRemark: Hashable, Sendable {
  /// For the trace.
  package var text: String
  /// Whether the subject has done wrong.
  package var isFault: Bool

  package init(_ text: String, isFault: Bool) {
    self.text = text
    self.isFault = isFault
  }
}

extension World {
  package static var falsifies: Bool { false }

  /// A call is made when it is asked for.
  package var lastCall: Duration? { nil }

  /// In virtual time no call waits longer for a callback than the case lasts.
  package var hold: SourcePosition? { nil }

  package func takenUnderWay(by peer: String) -> Int { 0 }

  /// What happens in virtual time happens when it is asked for.
  package mutating func toldEvent(before instant: Duration) -> WorldEvent? { nil }

  package mutating func uninvited() -> [String] { [] }

  /// A subject in the lab's own process takes the process with it.
  package var fault: SubjectFault? { nil }

  /// A subject in the lab's own process has no words of its own.
  package var lastWords: [String] { [] }

  /// A world without networks: no scenario that has one is played there.
  package mutating func perform(_ action: NetworkAction) -> String? { "this world has no network" }
}

/// Why a case could not be opened.
package enum CaseObstacle: Error, Hashable, Sendable {
  /// The host lacks something (no IPv6, a missing interface): the case is skipped with this reason.
  case skip(String)
  /// The subject does not offer what the case needs.
  case unsupported(String)
  case failure(LabFailure)
  /// The subject could not begin the case.
  case subject(SubjectFault)
}

/// What a world needs to know before a case starts.
package struct CaseSetup: Sendable {
  /// The story to be played; its reactions come from `reactions`.
  package var scenario: Scenario
  /// The point of the matrix it runs at.
  package var variant: Variant
  /// Everything random in the case is drawn from it.
  package var seed: UInt64
  /// Asked for the steps inside callbacks.
  package var reactions: ReactionBook

  package init(scenario: Scenario, variant: Variant, seed: UInt64, reactions: ReactionBook) {
    self.scenario = scenario
    self.variant = variant
    self.seed = seed
    self.reactions = reactions
  }
}

/// Something that happened in a world.
package struct WorldEvent: Hashable, Sendable {
  /// What happened.
  package enum Kind: Hashable, Sendable {
    case callback(DeliveredCallback)
    case peer(String, PeerObservation)
    /// A packet came by on the case's own network.
    case packet(PacketSight)
    /// A reaction's call, inside a callback.
    case command(SubjectCommand, socket: String, result: CommandResult, refusal: ErrorPattern?)
    /// A reaction's check, inside a callback.
    case checked(PropertyCheck, socket: String, actual: PropertyValue)
    /// A reaction reached a named point.
    case point(String)
    case note(String)
  }

  /// Since the case was opened.
  package var at: Duration
  /// What happened.
  package var kind: Kind
  /// The step that caused it, for what reactions did.
  package var position: SourcePosition?
  /// A callback that is only shown: no reaction to it has been run.
  package var isForged = false

  package init(at: Duration, kind: Kind, position: SourcePosition? = nil) {
    self.at = at
    self.kind = kind
    self.position = position
  }
}
