import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// What a world has ready for the subject's side of a case.
struct CaseStage {
  var setup: CaseSetup
  /// Where the peers that listen are.
  var peers: [String: RawAddress]
  var folder: CaseFolder
  var log: WorldEventLog
  var gate: ClosingGate
}

/// Where a subject's socket listens.
struct ListenerPlace: Sendable {
  var port: UInt16
  var host: String?
  /// The path of a Unix-domain listener; nil for all others.
  var path: String?
}

/// The subject's side of the loopback world: a class of the library in this process, or a program of its own.
///
/// Laws
/// - Belongs to the runner's thread. A call that does not return is given up after a while.
/// - What happens is written into the stage's log, by `serve` or on threads of the subject's own.
protocol CaseSubject: AnyObject {
  /// Makes the sockets that exist from the start. The case's time begins when it returns.
  func open(_ stage: CaseStage) throws(CaseObstacle)
  func perform(_ command: SubjectCommand, on socket: String) -> CommandResult
  /// When the last call of `perform` was made, if the subject says so.
  var lastCall: Instant? { get }
  /// The `hold` of a reaction that kept the last call or reading from returning; nil: none did.
  var hold: SourcePosition? { get }
  /// nil: it was not to be had.
  func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue?
  /// The port a reference stands for; nil for Unix-domain peers and for sockets that never listened.
  func port(_ reference: PortReference) -> UInt16?
  /// Where the socket listens; nil: it never did.
  func listener(_ name: String) -> ListenerPlace?
  /// Adds the descriptors that `serve` is to be called for.
  func addInterest(to set: inout ReadinessSet)
  func serve()
  /// Of a subject that is of no use any more.
  var fault: SubjectFault? { get }
  var lastWords: [String] { get }
  /// Nothing is recorded any more; closes what is open, and says what could not be closed.
  func close() -> [ClosingRemark]
  /// Lets go of everything: the peers are closed.
  func forget()
}

extension CaseSubject {
  /// A program runs its reactions itself.
  var hold: SourcePosition? { nil }
}
