import ScenarioModel

/// Reads, writes, and the bytes that go with them.
extension UnitLinking {
  /// A socket that has one connection, and the lane of the peer at its other end.
  struct Channel {
    var socket: String
    var lane: Int
  }

  /// More bytes than this are not divided.
  private static let maxBytes = 1 << 20

  /// The connections of which both ends are known.
  var channels: [Channel] {
    let connects = calls.compactMap { call -> (socket: String, peer: String?)? in
      guard case .connect(let connect) = call.command else { return nil }
      switch connect.target {
      case .peer(let name), .host(_, .peer(let name)): return (call.socket, name)
      default: return (call.socket, nil)
      }
    }
    let listeners = calls.filter { if case .listen = $0.command { true } else { false } }.map(\.socket)
    let entries = scenario.peers.flatMap { $0.steps.filter(\.value.isConnect) }.count
    return scenario.peers.enumerated().compactMap { lane, peer in
      if entries == 1, listeners.count == 1, peer.steps.contains(where: \.value.isConnect) {
        return Channel(socket: ChildName.first(1)[0], lane: lane)
      }
      let own = connects.filter { $0.peer == peer.name }
      guard own.count == 1, let socket = own.first?.socket, !listeners.contains(socket),
        connects.filter({ $0.socket == socket }).count == 1,
        peer.steps.filter({ $0.value == .accept }).count == 1
      else { return nil }
      return Channel(socket: socket, lane: lane)
    }
  }

  /// The socket at the other end of the peer's connection; nil: not known.
  func socket(of lane: Int) -> String? { channels.first { $0.lane == lane }?.socket }

  mutating func linkData(_ channel: Channel) {
    guard !isEndedByData(channel.socket) else { return linkWithEnd(channel) }
    linkReads(channel)
    linkWrites(channel)
  }

  /// Whether reads or writes decide when the connection ends: one runs into its timeout or its limit, or the end waits
  /// for them.
  private func isEndedByData(_ socket: String) -> Bool {
    let waits = calls.contains { call in
      guard call.socket == socket else { return false }
      switch call.command {
      case .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting: return true
      default: return false
      }
    }
    return waits || scenario.expectations.contains { $0.isEndedByData(socket) }
  }

  /// All reads and writes, and what the peer sends and takes, go with the end or stay.
  private mutating func linkWithEnd(_ channel: Channel) {
    let end = Node.anchor(.ending, socket: channel.socket)
    for concern in [Concern.reading, .writing] { link(end, .anchor(concern, socket: channel.socket)) }
    tangle(
      .reading, channel, calls.filter { $0.socket == channel.socket && ($0.command.isRead || $0.command.isWrite) },
      events(.didRead, of: channel.socket) + events(.didWrite, of: channel.socket)
    ) { $0.byteCount(isSent: true) != nil || $0.byteCount(isSent: false) != nil || $0.isOddSource || $0.isOddSink }
  }

  // MARK: Reads

  private mutating func linkReads(_ channel: Channel) {
    let reads = calls.filter { $0.socket == channel.socket && $0.command.isRead }
    let expected = events(.didRead, of: channel.socket)
    let steps = scenario.peers[channel.lane].steps
    guard let pairs = pairs(expected, reads), !isTangled(.reading, channel.socket),
      !steps.contains(where: \.value.isOddSource), let pieces = incoming(pairs, reads, channel)
    else { return tangle(.reading, channel, reads, expected) { $0.byteCount(isSent: true) != nil || $0.isOddSource } }
    fixSteps(channel) { $0.byteCount(isSent: true) != nil }
    for ((event, call), range) in zip(pairs, pieces) {
      link(.item(.expectation(event)), reads[call].node)
      link(.item(.expectation(event)), .piece(.init(lane: channel.lane, isSent: true, range: range)))
    }
    let matched = Set(pairs.map(\.call))
    let strays = reads.indices.filter { !matched.contains($0) }
    for stray in strays { link(.anchor(.ending, socket: channel.socket), reads[stray].node) }
    let total = steps.reduce(0) { $0 + ($1.value.byteCount(isSent: true) ?? 0) }
    let surplus = (pieces.last?.upperBound ?? 0)..<total
    guard !surplus.isEmpty else { return }
    link(
      .anchor(strays.isEmpty ? .reading : .ending, socket: channel.socket),
      .piece(.init(lane: channel.lane, isSent: true, range: surplus)))
  }

  /// The ranges of the peer's bytes that complete each expected read; nil: unknown.
  private func incoming(
    _ pairs: [(event: Int, call: Int)], _ reads: [Call], _ channel: Channel
  ) -> [Range<Int>]? {
    let steps = scenario.peers[channel.lane].steps
    guard steps.reduce(0, { $0 + ($1.value.byteCount(isSent: true) ?? 0) }) <= Self.maxBytes else { return nil }
    let bytes = steps.flatMap { step -> [UInt8] in
      switch step.value {
      case .send(let payload), .drip(let payload, _, _): payload.materialised
      default: []
      }
    }
    var offset = 0
    var ranges: [Range<Int>] = []
    for (event, call) in pairs {
      guard case .event(let expected) = scenario.expectations[event], case .read(let read) = reads[call].command,
        let count = Self.count(of: expected.pattern, read, bytes[offset...]), count > 0, offset + count <= bytes.count
      else { return nil }
      ranges.append(offset..<offset + count)
      offset += count
    }
    return ranges
  }

  private static func count(
    of pattern: CallbackPattern, _ read: ReadCommand, _ bytes: ArraySlice<UInt8>
  ) -> Int? {
    if let bytes = pattern.bytes { return bytes.count }
    if let count = pattern.count, count.lowerBound == count.upperBound { return count.lowerBound }
    switch read.boundary {
    case .exactly(let length): return length
    case .available: return nil
    case .through(let delimiter, _):
      return bytes.firstRange(of: delimiter.materialised).map { $0.upperBound - bytes.startIndex }
    }
  }

  // MARK: Writes

  private mutating func linkWrites(_ channel: Channel) {
    let writes = calls.filter { $0.socket == channel.socket && $0.command.isWrite }
    let expected = events(.didWrite, of: channel.socket)
    let steps = scenario.peers[channel.lane].steps
    let seen = steps.reduce(0) { $0 + ($1.value.byteCount(isSent: false) ?? 0) }
    let isOdd = steps.contains { $0.value.isOddSink }
    guard let pairs = pairs(expected, writes), !isTangled(.writing, channel.socket), !isOdd,
      seen == 0 || writes.allSatisfy(\.isInLane)
    else { return tangle(.writing, channel, writes, expected) { $0.byteCount(isSent: false) != nil || $0.isOddSink } }
    fixSteps(channel) { $0.byteCount(isSent: false) != nil }
    for (event, call) in pairs { link(.item(.expectation(event)), writes[call].node) }
    let matched = Set(pairs.map(\.call))
    var offset = 0
    for (place, write) in writes.enumerated() {
      let range = min(offset, seen)..<min(offset + write.command.written, seen)
      offset += write.command.written
      if !range.isEmpty { link(write.node, .piece(.init(lane: channel.lane, isSent: false, range: range))) }
      // What no callback reports was cut off by the end.
      if !matched.contains(place) { link(.anchor(.ending, socket: channel.socket), write.node) }
    }
  }

  // MARK: Both

  /// All of it goes together or stays.
  private mutating func tangle(
    _ concern: Concern, _ channel: Channel, _ calls: [Call], _ expected: [Int], _ isPart: (PeerStep) -> Bool
  ) {
    let anchor = Node.anchor(concern, socket: channel.socket)
    for call in calls { link(anchor, call.node) }
    for event in expected { link(anchor, .item(.expectation(event))) }
    for (place, step) in scenario.peers[channel.lane].steps.enumerated() where isPart(step.value) {
      link(anchor, .item(.peer(channel.lane, place)))
    }
  }

  /// Steps whose bytes are divided go with the last of their bytes.
  private mutating func fixSteps(_ channel: Channel, _ isPart: (PeerStep) -> Bool) {
    for (place, step) in scenario.peers[channel.lane].steps.enumerated() where isPart(step.value) {
      fix(.item(.peer(channel.lane, place)))
    }
  }

  /// Whether some expectation or check speaks of more than one read or write at once.
  private func isTangled(_ concern: Concern, _ socket: String) -> Bool {
    looked.contains(Look(concern: concern, socket: socket))
      || scenario.expectations.contains { expectation in
        guard expectation.concerns(of: socket).contains(concern) else { return false }
        guard case .event(let event) = expectation, !event.optional, event.times == 1 else { return true }
        return event.pattern.kind != (concern == .reading ? .didRead : .didWrite)
      }
  }

  private func events(_ kind: CallbackKind, of socket: String) -> [Int] {
    scenario.expectations.indices.filter { place in
      guard case .event(let event) = scenario.expectations[place] else { return false }
      return event.socket == socket && event.pattern.kind == kind
    }
  }

  /// Which call each expected callback answers, in the order of the callbacks; nil: unknown.
  private func pairs(_ expected: [Int], _ calls: [Call]) -> [(event: Int, call: Int)]? {
    let tags = calls.map(\.command.tag)
    let wanted = expected.map { place -> Int? in
      guard case .event(let event) = scenario.expectations[place] else { return nil }
      return event.pattern.tag
    }
    if Set(tags).count == tags.count, Set(wanted).count == wanted.count, !wanted.contains(nil) {
      var found: [(event: Int, call: Int)] = []
      for (place, tag) in zip(expected, wanted) {
        guard let tag, let call = tags.firstIndex(of: tag), call > (found.last?.call ?? -1) else { return nil }
        found.append((place, call))
      }
      return found
    }
    guard expected.count <= calls.count, calls.allSatisfy(\.isInLane),
      zip(wanted, tags).allSatisfy({ $0 == nil || $0 == $1 })
    else { return nil }
    return zip(expected, calls.indices).map { ($0, $1) }
  }
}

extension Expectation {
  /// What of the socket it speaks of.
  func concerns(of socket: String) -> Set<UnitLinking.Concern> {
    switch self {
    case .event(let event): event.socket == socket ? [event.pattern.kind.concern] : []
    case .stream(let stream): stream.socket == socket ? [.reading] : []
    case .nothing: []
    case .anyOrder(let items, _): items.reduce(into: []) { $0.formUnion($1.concerns(of: socket)) }
    case .oneOf(let alternatives, _):
      alternatives.flatMap(\.expectations).reduce(into: []) { $0.formUnion($1.concerns(of: socket)) }
    }
  }

  /// Whether it is about an end of the socket's connection that a read or a write brings about.
  func isEndedByData(_ socket: String) -> Bool {
    switch self {
    case .event(let event):
      guard event.socket == socket, [.didDisconnect, .willDisconnect].contains(event.pattern.kind),
        let error = event.pattern.error?.text
      else { return false }
      return ["ReadTimeout", "WriteTimeout", "ReadMaxedOut"].contains { error.contains($0) }
    case .stream, .nothing: return false
    case .anyOrder(let items, _): return items.contains { $0.isEndedByData(socket) }
    case .oneOf(let alternatives, _):
      return alternatives.contains { $0.expectations.contains { $0.isEndedByData(socket) } }
    }
  }

  /// Whether its time counts from when the one before it was met.
  var countsFromPrevious: Bool {
    switch self {
    case .event(let event): event.window?.origin == .previous
    case .nothing: true
    case .stream: false
    case .anyOrder(let items, _): items.contains(where: \.countsFromPrevious)
    case .oneOf(let alternatives, _): alternatives.contains { $0.expectations.contains(where: \.countsFromPrevious) }
    }
  }
}

extension CallbackKind {
  fileprivate var concern: UnitLinking.Concern {
    switch self {
    case .didConnect, .didConnectToURL, .newSocketQueue, .didAccept, .willConnect, .wantsRunLoop: .connecting
    case .didRead, .didReadPartial, .shouldTimeoutRead: .reading
    case .didWrite, .didWritePartial, .shouldTimeoutWrite: .writing
    case .didCloseRead, .didDisconnect, .willDisconnect: .ending
    case .didSecure, .didReceiveTrust: .securing
    }
  }
}

extension SubjectCommand {
  fileprivate var isRead: Bool { if case .read = self { true } else { false } }
  fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
  fileprivate var written: Int { if case .write(let write) = self { write.payload.count } else { 0 } }

  fileprivate var tag: Int {
    switch self {
    case .read(let read): read.tag
    case .write(let write): write.tag
    default: 0
    }
  }
}

extension PeerStep {
  fileprivate var isConnect: Bool { if case .connect = self { true } else { false } }

  /// Sends what is not counted, or has what is sent depend on what comes.
  fileprivate var isOddSource: Bool {
    switch self {
    case .echo, .raw, .record, .sendUrgent: true
    default: false
    }
  }

  /// Takes what is not counted.
  fileprivate var isOddSink: Bool {
    switch self {
    case .echo, .expectCount(_, .some): true
    default: false
    }
  }
}

extension SubjectProperty {
  /// What changes it.
  var concern: UnitLinking.Concern? {
    switch self {
    case .progressOfRead, .unreadData, .buffer: .reading
    case .progressOfWrite: .writing
    case .isConnected, .isDisconnected, .isSecure, .connectedHost, .connectedPort, .connectedURL, .connectedAddress,
      .peerCertificate, .description:
      .ending
    default: nil
    }
  }
}
