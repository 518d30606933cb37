import Glibc
import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues
import SubjectPrograms
import SubjectProtocol
import TestCertificates

/// A program of its own as the subject of a case, over the subject protocol.
///
/// Laws
/// - Instants are the subject's own, of the clock that both have. An event that is read late stands where it was read,
///   because what was handed out before can't be taken back; its instant is then that of the last one.
/// - Whatever the subject does, a case ends: it dies, is silent, or breaks the protocol, and each is a `SubjectFault`.
final class ProgramSubject: CaseSubject {
  private let program: SubjectProgram
  private let pool: SubjectPool
  /// In nanoseconds.
  private let callTimeout: Int64
  private var process: SubjectProcess?
  private var stage: CaseStage?
  private var translation: CallTranslation?
  private var number = 0
  private var nextID = 1
  /// Of reactions, by their ids.
  private var steps: [Int: LocatedStep] = [:]
  private var listeners: [String: ListenerPlace] = [:]
  private let reservedPorts = LockedValue<[String: ReservedPort]>([:])
  /// What is waited for while a case is under way, in words.
  private var asked = "an answer"
  /// The answer that is waited for.
  private var answer: SubjectMessage?
  private(set) var lastCall: Instant?
  private(set) var fault: SubjectFault?
  private(set) var lastWords: [String] = []

  init(_ program: SubjectProgram, pool: SubjectPool, callTimeout: Int64) {
    (self.program, self.pool, self.callTimeout) = (program, pool, callTimeout)
  }

  func open(_ stage: CaseStage) throws(CaseObstacle) {
    self.stage = stage
    let process: SubjectProcess
    do { process = try pool.take(program) } catch let trouble as SubjectPool.Trouble {
      lastWords = trouble.lastWords
      throw .subject(trouble.fault)
    } catch let failure as LabFailure { throw .failure(failure) } catch { throw .failure(LabFailure("\(error)")) }
    self.process = process
    guard let claims = process.claims else { throw .failure(LabFailure("\(program.name) has said no hello")) }
    let translation = CallTranslation(claims, family: stage.setup.variant.family, stage.setup.scenario)
    self.translation = translation
    number = Self.numbers.next()
    do throws(CallTranslation.Obstacle) {
      var reactions: [ReactionOutline] = []
      for reaction in stage.setup.scenario.reactions {
        let outline = try translation.reaction(reaction, id: &nextID, in: self) { steps[$0] = $1 }
        if let outline { reactions.append(outline) }
      }
      let outline = CaseOutline(
        number: number, scenario: stage.setup.scenario.id, sockets: socketNames(stage.setup.scenario),
        reactions: reactions)
      process.say(.begin(outline))
    } catch {
      giveBack()
      switch error {
      case .unsupported(let claim): throw .unsupported(claim.text)
      case .noObject(let what): throw .failure(LabFailure("a reaction names what there is not: \(what)"))
      }
    }
    guard waitFor({ if case .ready = $0 { true } else { false } }) != nil else {
      throw .subject(fault ?? SubjectFault(kind: .hang, text: program.name))
    }
  }

  /// Numbers of cases, unlike each other in this process.
  private static let numbers = CaseNumbers()

  private func socketNames(_ scenario: Scenario) -> [String] {
    var names = ["socket"]
    let lanes = scenario.subjects.map(\.name).filter { !ChildName.isChild($0) }
    for name in scenario.sockets.map(\.name) + lanes where !names.contains(name) { names.append(name) }
    return names
  }

  // MARK: - Calls

  func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    guard let translation, let process, fault == nil else { return .hung }
    let id = newID()
    lastCall = nil
    do throws(CallTranslation.Obstacle) {
      process.say(.call(try translation.call(command, on: socket, id: id, in: self)))
    } catch {
      switch error {
      case .unsupported(let claim): return .unsupported(claim.text)
      case .noObject(let what):
        return .refused(SubjectError(domain: .other, code: 0, message: what))
      }
    }
    asked = "the answer to `\(command.name)` of \(socket)"
    let found = waitFor { if case .result(let answer) = $0 { answer.id == id } else { false } }
    guard case .result(let answer)? = found else { return .hung }
    lastCall = answer.at.map { Instant(nanoseconds: $0) }
    if case .listen(let listen) = command, answer.result == .done { note(listen, socket, answer) }
    return answer.result
  }

  private func note(_ listen: ListenCommand, _ socket: String, _ answer: CallAnswer) {
    if let path = translation?.path(listen, socket, self) {
      listeners[socket] = ListenerPlace(port: 0, path: path)
    } else if let port = answer.port {
      listeners[socket] = ListenerPlace(port: port, host: answer.host)
    } else {
      broke(.badMember(message: "result", problem: "the answer to a `listen` must name the `port`"))
    }
  }

  func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    guard let process, fault == nil else { return nil }
    let id = newID()
    process.say(.get(id: id, socket: socket, property: property))
    asked = "the value of `\(property.rawValue)` of \(socket)"
    let found = waitFor { if case .value(let other, _, _) = $0 { other == id } else { false } }
    guard case .value(_, _, let value)? = found else { return nil }
    return relative(value, of: property)
  }

  private func newID() -> Int {
    defer { nextID += 1 }
    return nextID
  }

  func port(_ reference: PortReference) -> UInt16? {
    switch reference {
    case .number(let number): number
    case .peer(let name): stage?.peers[name].flatMap { $0.family == AF_UNIX ? nil : $0.port }
    case .listener(let name): listeners[name].flatMap { $0.path == nil ? $0.port : nil }
    }
  }

  func listener(_ name: String) -> ListenerPlace? { listeners[name] }

  // MARK: - What it says

  func addInterest(to set: inout ReadinessSet) {
    guard let interest = process?.interest, fault == nil else { return }
    for descriptor in interest.reading { set.add(descriptor, reading: true, writing: false) }
    if let writing = interest.writing { set.add(writing, reading: false, writing: true) }
  }

  func serve() {
    process?.serve()
    takeNews { _ in false }
  }

  /// The message that is waited for; nil: it did not come, and `fault` says why.
  private func waitFor(_ isWanted: (SubjectMessage) -> Bool) -> SubjectMessage? {
    guard let process else { return nil }
    let deadline = SubjectProcess.now + callTimeout
    answer = nil
    while fault == nil {
      takeNews(isWanted)
      if let found = answer {
        answer = nil
        // What came behind it in the same breath.
        takeNews { _ in false }
        return found
      }
      guard fault == nil else { break }
      guard process.wait(until: deadline) else {
        let seconds = callTimeout / 1_000_000_000
        end(.hang, "\(seconds) s passed where \(wanted(process))\(process.remark)")
        break
      }
    }
    return nil
  }

  private func wanted(_ process: SubjectProcess) -> String {
    process.wanted == "the case was under way" ? "\(asked) was to come" : process.wanted
  }

  private func takeNews(_ isWanted: (SubjectMessage) -> Bool) {
    while fault == nil, answer == nil, let news = process?.next() {
      switch news {
      case .message(let message):
        if isWanted(message) { answer = message } else { record(message) }
      case .violation(let violation): broke(violation)
      case .ended(let how), .notStarted(let how): end(.crash, how)
      }
    }
  }

  private func record(_ message: SubjectMessage) {
    guard let log = stage?.log else { return }
    switch message {
    case .callback(let socket, let callback, let at):
      let delivered = DeliveredCallback(socket: socket, delegate: "delegate", callback: relative(callback))
      log.append(.callback(delivered), at: Instant(nanoseconds: at))
    case .result(let answer):
      guard let step = steps[answer.id], case .command(let command, let socket, let refusal) = step.step else {
        return
      }
      if case .listen(let listen) = command, answer.result == .done { note(listen, socket, answer) }
      log.append(
        .command(command, socket: socket, result: answer.result, refusal: refusal),
        at: answer.at.map { Instant(nanoseconds: $0) } ?? .now(), position: step.position)
    case .value(let id, let at, let value):
      guard let step = steps[id], case .check(let checks, let socket) = step.step, let check = checks.first
      else { return }
      log.append(
        .checked(check, socket: socket, actual: relative(value, of: check.property)),
        at: at.map { Instant(nanoseconds: $0) } ?? .now(),
        position: check.position)
    case .reached(let id, let at):
      guard let step = steps[id], case .reach(let point) = step.step else { return }
      log.append(.point(point), at: Instant(nanoseconds: at), position: step.position)
    case .note(let text): log.append(.note("\(program.name): \(text)"))
    case .hello, .ready, .ended: break
    }
  }

  /// Paths below the case's folder lose it, so that traces do not differ from run to run.
  private func relative(_ callback: Callback) -> Callback {
    guard case .didConnectToURL(let path) = callback, let folder = stage?.folder else { return callback }
    return .didConnectToURL(path: folder.relative(path))
  }

  /// The same of a property; and of a certificate the lab's name for it.
  private func relative(_ value: PropertyValue, of property: SubjectProperty) -> PropertyValue {
    switch (property, value) {
    case (.connectedURL, .text(let path)): .text(stage?.folder.relative(path) ?? path)
    case (.peerCertificate, .bytes(let der)):
      .text(TestPKI.shared.name(ofCertificate: der)?.rawValue ?? "unknown")
    default: value
    }
  }

  private func broke(_ violation: ProtocolViolation) { end(.violation, violation.text) }

  private func end(_ kind: SubjectFault.Kind, _ text: String) {
    guard fault == nil else { return }
    fault = SubjectFault(kind: kind, text: "\(program.name): \(text)")
    process?.end(grace: 0)
    lastWords = process?.lastWords ?? []
    process = nil
    stage?.log.append(.note("the subject is of no use any more: \(text)"))
  }

  // MARK: - The end

  func close() -> [ClosingRemark] {
    guard let process, fault == nil else { return [] }
    // What comes now belongs to no case that is watched.
    process.say(.end(number: number))
    let found = waitFor { if case .ended = $0 { true } else { false } }
    guard case .ended(_, let open)? = found else { return fault.map { [ClosingRemark($0.text, isFault: false)] } ?? [] }
    if open.isEmpty {
      giveBack()
    } else {
      // What it holds open would be there in the next case, too.
      process.end(grace: 0)
      self.process = nil
    }
    return open.map { ClosingRemark("\($0) could not be closed", isFault: true) }
  }

  func forget() {
    process?.end(grace: 0)
    process = nil
    stage = nil
  }

  private func giveBack() {
    guard let process else { return }
    self.process = nil
    pool.give(back: process, after: stage?.setup.scenario.id ?? "a case")
  }
}

extension ProgramSubject: CaseDirectory {
  func place(ofPeer name: String) -> PeerPlace? {
    guard let address = stage?.peers[name] else { return nil }
    if let path = address.unixPath { return .path(absolute(path)) }
    return address.ip.map { .address(host: $0.host, port: address.port) }
  }

  func path(ofListener name: String) -> String? { listeners[name]?.path }

  func absolute(_ path: String) -> String { stage?.folder.absolute(path) ?? path }

  func freePort(for socket: String) -> UInt16 {
    guard let scenario = stage?.setup.scenario, scenario.portsTakenAgain.contains(socket) else { return 0 }
    return reservedPorts.withLock { ports in
      // Without one the kernel chooses, and another program may have the port by the time it is wanted again.
      if ports[socket] == nil { ports[socket] = try? ReservedPort() }
      return ports[socket]?.number ?? 0
    }
  }

  var validationTime: Int64 { TestPKI.shared.now }

  func identity(_ name: CertificateName) -> PEMIdentity? {
    guard let identity = try? TestPKI.shared.identity(name) else { return nil }
    return PEMIdentity(chain: text(identity.chain), key: text(identity.key))
  }

  func anchors(_ anchors: TLSCommand.Anchors) -> String? {
    switch anchors {
    case .testRoot: (try? TestPKI.shared.rootPEM).map(text)
    case .host: nil
    case .certificate(let name): (try? TestPKI.shared.anchor(for: name)).map(text)
    }
  }

  func revocationLists(outdated: Bool) -> String? {
    (try? outdated ? TestPKI.shared.outdatedRevocationList : TestPKI.shared.revocationList).map(text)
  }

  private func text(_ pem: [UInt8]) -> String { String(decoding: pem, as: UTF8.self) }
}
