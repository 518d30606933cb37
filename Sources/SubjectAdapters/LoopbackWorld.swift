import CocoaAsyncSocket
import Dispatch
import Glibc
import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues
import SubjectPrograms
import TestCertificates

/// The real kernel's loopback, with a class of the library in this process or a program of its own as the subject.
///
/// Laws (besides those of `World`)
/// - Belongs to one thread, the runner's, and shares nothing with other worlds: many run side by side.
/// - All waiting is in `nextEvent`: one wait over the peers' descriptors, the subject's, and the wake-up descriptor of
///   the log, to which callbacks in this process write.
/// - A call on the subject is given up after `callTimeout`; one that needs a thread which a `hold` of the scenario's
///   has, when the case's limit has come.
/// - Peers are read as soon as the runner asks for events and none is waiting; a peer's step that follows an event acts
///   before its peer reads any further.
///
/// A scenario with a network of its own is played in network namespaces (`CaseNetwork`): the whole process is on the
/// subject's host, and the runner's thread goes to the peers' host to open their sockets.
///
/// Differences from run to run that no scenario should depend on: port numbers, the number of `received` pieces, and
/// which of two sockets' callbacks comes first.
package final class LoopbackWorld: World {
  /// The number of events in a row that are handed out before the peers are looked at again.
  private static let maxConsecutiveEvents = 64

  private let hostNetwork: HostNetwork
  private var network: CaseNetwork?
  private let subject: any CaseSubject
  private var stage: CaseStage?
  private var log: WorldEventLog?
  private var delaysBefore: SchedulingDelays?
  private var lanes: [PeerLane] = []
  private var peers: [PeerSocket] = []
  private var readiness = ReadinessSet()
  private var ranges: [Range<Int>] = []
  private var eventsInARow = 0

  /// - Parameters:
  ///   - callTimeout: a call on the subject that takes longer counts as hung.
  ///   - network: what network the process is in.
  package init(callTimeout: Duration = .seconds(5), network: HostNetwork = .shared) {
    hostNetwork = network
    subject = LibrarySubject(callTimeout: .nanoseconds(Int(clamping: callTimeout.nanoseconds)))
  }

  /// With a program of its own as the subject, which the pool has or starts.
  package init(_ program: SubjectProgram, pool: SubjectPool, callTimeout: Duration = .seconds(5)) {
    hostNetwork = .shared
    subject = ProgramSubject(program, pool: pool, callTimeout: callTimeout.nanoseconds)
  }

  deinit { _ = close() }

  package var name: WorldName { .loopback }

  /// The sockets of this process; nil: the subject is a program of its own, or no case is open.
  var library: SubjectStage? { (subject as? LibrarySubject)?.stage }

  package var now: Duration { log?.now ?? .zero }

  package var lateness: Duration { log?.lateness ?? .zero }

  package var processorWait: Duration { delaysBefore.map { SchedulingDelays.now.longest(since: $0) } ?? .zero }

  package func port(_ reference: PortReference) -> UInt16? { subject.port(reference) }

  package var fault: SubjectFault? { subject.fault }

  package var lastWords: [String] { subject.lastWords }

  package func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    subject.perform(command, on: socket)
  }

  package var lastCall: Duration? { subject.lastCall.flatMap { log?.time(of: $0) } }

  package var hold: SourcePosition? { subject.hold }

  package func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    subject.read(property, name: name, of: socket)
  }

  package func perform(_ action: PeerAction, by peer: String) {
    guard let index = lanes.firstIndex(where: { $0.name == peer }) else { return }
    guard case .connect(let socket) = action else { return onPeersHost { peers[index].perform(action) } }
    guard let address = address(of: socket, for: lanes[index]) else {
      log?.append(.peer(peer, .connectFailed(ECONNREFUSED)))
      return
    }
    onPeersHost { peers[index].connect(to: address) }
  }

  package func takenUnderWay(by peer: String) -> Int {
    lanes.firstIndex { $0.name == peer }.map { peers[$0].takenUnderWay } ?? 0
  }

  package func perform(_ action: NetworkAction) -> String? {
    network.map { $0.perform(action) } ?? "the case has no network of its own"
  }

  private func onPeersHost<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard let network else { return try body() }
    return try network.asPeer(body)
  }

  package func nextEvent(before deadline: Duration) -> WorldEvent? {
    guard let log else { return nil }
    while true {
      if eventsInARow >= Self.maxConsecutiveEvents { wait(until: .distantPast, before: .zero, log) }
      if let event = log.next(before: deadline) {
        eventsInARow += 1
        return event
      }
      if subject.fault != nil { return log.next(before: deadline) }
      let isLast = log.now >= deadline
      wait(until: log.instant(of: min(deadline, log.waitsForCallUntil ?? deadline)), before: deadline, log)
      if isLast { return log.next(before: deadline) }
    }
  }

  package func toldEvent(before instant: Duration) -> WorldEvent? { log?.next(before: instant) }

  package func uninvited() -> [String] {
    zip(lanes, peers).filter { $0.1.hasUninvited() }.map(\.0.name)
  }

  package func close() -> [ClosingRemark] {
    guard let stage else { return [] }
    let remarks = subject.close()
    for peer in peers { peer.closeAll() }
    subject.forget()
    stage.folder.remove()
    network?.close()
    network = nil
    self.stage = nil
    return remarks
  }
}

// Waiting.
extension LoopbackWorld {
  /// Waits once, and serves the peers that are ready. With an instant that has passed it only polls.
  private func wait(until instant: Instant, before deadline: Duration, _ log: WorldEventLog) {
    eventsInARow = 0
    readiness.removeAll()
    ranges.removeAll(keepingCapacity: true)
    let hasWakeup = log.beginWait(before: deadline, on: &readiness)
    for peer in peers {
      let start = readiness.count
      peer.addInterest(to: &readiness)
      ranges.append(start..<readiness.count)
    }
    let subjects = readiness.count
    subject.addInterest(to: &readiness)
    let ofSubject = subjects..<readiness.count
    let sleeps = hasWakeup && instant > .now()
    readiness.wait(until: hasWakeup ? instant : .distantPast)
    log.endWait(wakeupIsReady: hasWakeup && readiness.isReady(0))
    // Whatever woke it, the lab was to be awake by then.
    if sleeps { log.noteLateness(instant.nanoseconds(until: .now())) }
    for (peer, range) in zip(peers, ranges) where readiness.isAnyReady(range) { peer.serve() }
    if readiness.isAnyReady(ofSubject) { subject.serve() }
  }

  /// Where the subject's socket listens, as a peer of that lane reaches it; nil when it never did.
  private func address(of socket: String, for lane: PeerLane) -> RawAddress? {
    guard let stage, let place = subject.listener(socket) else { return nil }
    if let path = place.path { return .unix(path) }
    let family = lane.family ?? stage.setup.variant.family
    let isIPv6 = family == .ipv6
    let usual: RawAddress? =
      if let network {
        network.address(family, of: .subject, port: place.port)
      } else {
        isIPv6 ? .loopbackIPv6(port: place.port) : .loopbackIPv4(port: place.port)
      }
    guard let host = place.host, host != "0.0.0.0", host != "::" else { return usual }
    guard let address = SocketAddress(numeric: host, port: place.port) else { return usual }
    return address.family == (isIPv6 ? .ipv6 : .ipv4) ? RawAddress(address) : usual
  }
}

// Opening.
extension LoopbackWorld {
  /// How often a port that another family does not have free is given back for another one.
  private static let portTries = 16

  /// Opens the peers that listen, on the loopback interface at ports that the kernel chooses, or at paths in a folder
  /// of the case's own; then makes the subject's sockets. The case's time begins when it returns. A skip says what the
  /// host lacks: an address, IPv6, or a port that the scenario fixes.
  package func open(_ setup: CaseSetup) throws(CaseObstacle) {
    try checkHost(setup)
    delaysBefore = .recent
    do throws(SystemCallFailure) {
      let log = try WorldEventLog()
      let gate = try ClosingGate()
      let folder = CaseFolder()
      self.log = log
      lanes = setup.scenario.peers
      do throws(SystemCallFailure) {
        if let wanted = setup.scenario.network, case .own(let own, _) = hostNetwork {
          network = try CaseNetwork(wanted, in: own, seed: setup.seed, log: log)
        }
        try openPeers(family: setup.variant.family, folder: folder, log: log)
      } catch {
        network?.close()
        network = nil
        folder.remove()
        throw error
      }
      let addresses = zip(lanes, peers).compactMap { lane, peer in
        address(of: peer, lane.family ?? setup.variant.family).map { (lane.name, $0) }
      }
      let stage = CaseStage(
        setup: setup, peers: Dictionary(addresses) { first, _ in first }, folder: folder, log: log, gate: gate)
      self.stage = stage
    } catch {
      if error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT {
        throw CaseObstacle.skip("the host can't bind the peers' addresses: \(error.description)")
      }
      // Where /proc/sys is not there, or may only be read.
      if setup.scenario.network?.retransmissions != nil, [EACCES, EPERM, EROFS, ENOENT].contains(error.code) {
        throw CaseObstacle.skip("the host can't set how often a segment is sent again: \(error.description)")
      }
      throw CaseObstacle.failure(LabFailure(error.description))
    }
    guard let stage else { return }
    // Otherwise the first handshake would wait for its keys. A certificate that can't be made is reported when it is
    // used.
    for name in setup.scenario.shownCertificates { _ = try? TestPKI.shared.identity(name) }
    do throws(CaseObstacle) { try subject.open(stage) } catch {
      _ = close()
      throw error
    }
    stage.log.restart()
  }

  /// Where the subject reaches a peer that listens.
  private func address(of peer: PeerSocket, _ family: AddressFamily) -> RawAddress? {
    guard let address = peer.address, let network else { return peer.address }
    return network.address(family, of: .peer, port: address.port)
  }

  private func checkHost(_ setup: CaseSetup) throws(CaseObstacle) {
    if let network = setup.scenario.network {
      switch hostNetwork {
      case .own(_, let trouble?) where network.resolver != nil: throw CaseObstacle.skip(trouble)
      case .own: break
      case .shared: throw CaseObstacle.skip("this process is in the machine's own network: `socketlab run` plays it")
      case .refused(let reason): throw CaseObstacle.skip(reason)
      }
    }
    let families = [setup.variant.family] + setup.scenario.peers.compactMap(\.family)
    if families.contains(.ipv6), !HostProbe.hasIPv6 { throw CaseObstacle.skip("the host has no IPv6 loopback") }
    for port in setup.scenario.fixedPorts where !HostProbe.isFree(port: port) {
      throw CaseObstacle.skip("port \(port), which the scenario listens on, is in use")
    }
  }

  /// Opens the lanes that listen. Lanes that share a port number get one that is free in all their families.
  private func openPeers(
    family: AddressFamily, folder: CaseFolder, log: WorldEventLog
  ) throws(SystemCallFailure) {
    let sharesPorts = lanes.contains { $0.samePortAs != nil }
    for attempt in 1...Self.portTries {
      do throws(SystemCallFailure) {
        peers = lanes.map { lane in
          PeerSocket(receiveBuffer: lane.receiveBuffer) { [log] in log.append(.peer(lane.name, $0)) }
        }
        for followers in [false, true] {
          for index in lanes.indices where lanes[index].listens && (lanes[index].samePortAs != nil) == followers {
            try open(index, family: family, folder: folder)
          }
        }
        return
      } catch {
        for peer in peers { peer.closeAll() }
        guard error.code == EADDRINUSE, sharesPorts, attempt < Self.portTries else { throw error }
      }
    }
  }

  private func open(_ index: Int, family: AddressFamily, folder: CaseFolder) throws(SystemCallFailure) {
    let lane = lanes[index]
    let anchor = lane.samePortAs.flatMap { name in lanes.firstIndex { $0.name == name } }
    let port = anchor.flatMap { peers[$0].address?.port } ?? 0
    let address: RawAddress? =
      switch lane.family ?? family {
      case .ipv4 where network != nil: RawAddress(.any(.ipv4, port: port))
      case .ipv6 where network != nil: RawAddress(.any(.ipv6, port: port))
      case .ipv4: .loopbackIPv4(port: port)
      case .ipv6: .loopbackIPv6(port: port)
      case .unix: .unix(folder.absolute(lane.name))
      }
    guard let address else { throw SystemCallFailure(call: "bind", code: ENAMETOOLONG) }
    try onPeersHost { () throws(SystemCallFailure) in try peers[index].open(at: address, answer: lane.answer) }
  }
}

extension PeerLane {
  /// What a connect meets before the lane's first `accept`.
  fileprivate var answer: PeerSocket.Answer {
    switch steps.first?.value {
    case .refuse: .refuses
    case .blackhole: .hangs
    default: .listens
    }
  }
}
