import ScenarioModel

/// The expectations of a scenario, made ready for matching: projected onto sockets, payloads made once, alternatives of
/// other profiles left out.
///
/// Sockets that one `oneOf` mentions together share a group, because the choice of the alternative binds them all; all
/// others are judged apart.
package struct ExpectationProgram: Sendable {
  struct Socket: Sendable {
    var name: String
    var group: Int
    /// Its place within the group.
    var slot: Int
    /// The incidental kinds that the scenario's expectations name for this socket, so that they are judged too.
    var judgedIncidentals: [CallbackKind]
  }

  struct Group: Sendable {
    /// One sequence for each socket of the group.
    var sequences: [[ExpectationNode]]
  }

  var sockets: [Socket] = []
  var groups: [Group] = []
  /// For each `oneOf`, in file order: which of its alternatives are tolerated only.
  var nonStrict: [[Bool]] { choices.nonStrict }
  private(set) var choices = ChoiceTable()
  /// No socket is expected to do anything; otherwise, without any expectation, nothing is judged.
  var expectsNothing = false

  /// Kinds that are not judged here, besides those that are incidental.
  private let passed: Set<CallbackKind>
  private let subject: SubjectKind

  /// Alternatives of other profiles are left out. Callbacks of the kinds in `passing` come when they like.
  package init(
    _ expectations: [Expectation], profile: Profile, passing: Set<CallbackKind> = [], subject: SubjectKind = .gcd
  ) {
    passed = passing
    self.subject = subject
    let names = Self.names(in: expectations)
    var owner = Array(names.indices)
    Self.unite(expectations, names: names, owner: &owner)
    var nonStrict: [[Bool]] = []
    for (index, name) in names.enumerated() {
      if owner[index] == index { groups.append(Group(sequences: [])) }
      let group = owner[index] == index ? groups.count - 1 : sockets[owner[index]].group
      var compiler = ExpectationCompiler(socket: name, profile: profile, subject: subject)
      let nodes = compiler.nodes(of: expectations)
      nonStrict = compiler.nonStrict
      sockets.append(
        Socket(
          name: name, group: group, slot: groups[group].sequences.count,
          judgedIncidentals: compiler.judgedIncidentals))
      groups[group].sequences.append(nodes)
    }
    choices = ChoiceTable(nonStrict, groups.map(\.sequences))
  }

  /// Whether a callback of this kind is judged for order only if an expectation of its socket names the kind.
  func isUnjudged(_ kind: CallbackKind, of socket: String) -> Bool {
    passed.contains(kind) || kind.isIncidental(of: socket, subject)
  }

  /// The sockets in the order in which they are first mentioned.
  private static func names(in expectations: [Expectation]) -> [String] {
    var names: [String] = []
    for expectation in expectations {
      for name in mentions(expectation) where !names.contains(name) { names.append(name) }
    }
    return names
  }

  private static func mentions(_ expectation: Expectation) -> [String] {
    switch expectation {
    case .event(let event): [event.socket]
    case .stream(let stream): [stream.socket]
    case .nothing(_, let socket, _): [socket]
    case .anyOrder(let items, _): items.flatMap(mentions)
    case .oneOf(let alternatives, _): alternatives.flatMap { $0.expectations.flatMap(mentions) }
    }
  }

  /// Gives all sockets of every `oneOf` the same owner: the one that is named first.
  private static func unite(_ expectations: [Expectation], names: [String], owner: inout [Int]) {
    for expectation in expectations {
      switch expectation {
      case .event, .stream, .nothing: continue
      case .anyOrder(let items, _): unite(items, names: names, owner: &owner)
      case .oneOf(let alternatives, _):
        let owners = mentions(expectation).compactMap { name in names.firstIndex(of: name).map { owner[$0] } }
        guard let first = owners.min() else { continue }
        for index in owner.indices where owners.contains(owner[index]) { owner[index] = first }
        for alternative in alternatives { unite(alternative.expectations, names: names, owner: &owner) }
      }
    }
  }
}

extension CallbackKind {
  /// Besides the kinds that are incidental everywhere, didConnect is for the children of run-loop listeners: the other
  /// class tells it of sockets that connect, only (RL-16, ACC-20).
  fileprivate func isIncidental(of socket: String, _ subject: SubjectKind) -> Bool {
    isIncidental || self == .didConnect && subject == .runLoop && ChildName.isChild(socket)
  }
}

/// One expectation as one socket sees it.
enum ExpectationNode: Sendable {
  case event(EventNode)
  case stream(StreamNode)
  case nothing(NothingNode)
  case anyOrder(AnyOrderNode)
  case oneOf(OneOfNode)
}

final class EventNode: Sendable {
  let expectation: EventExpectation
  /// The pattern without its bytes, which are here already made.
  private let pattern: CallbackPattern
  private let bytes: [UInt8]?

  init(_ expectation: EventExpectation) {
    self.expectation = expectation
    bytes = expectation.pattern.bytes?.materialised
    var pattern = expectation.pattern
    pattern.bytes = nil
    self.pattern = pattern
  }

  var kind: CallbackKind { pattern.kind }
  var times: Int { max(expectation.times, 1) }
  var isOptional: Bool { expectation.optional || expectation.times == 0 }

  func fits(_ delivered: DeliveredCallback) -> Bool {
    if let bytes {
      guard case .didRead(let actual, _) = delivered.callback, actual == bytes else { return false }
    }
    return pattern.matches(delivered)
  }

  /// Whether the pattern says more than a kind.
  var isSpecific: Bool { expectation.pattern != CallbackPattern(kind: pattern.kind) }

  /// The same but for where it stands in the file.
  func isTwin(of other: EventNode) -> Bool {
    var moved = other.expectation
    moved.position = expectation.position
    return moved == expectation
  }
}

final class StreamNode: Sendable {
  let bytes: [UInt8]
  let position: SourcePosition

  init(_ expectation: StreamExpectation) {
    bytes = expectation.payload.materialised
    position = expectation.position
  }
}

final class NothingNode: Sendable {
  let duration: Duration
  let position: SourcePosition

  init(_ duration: Duration, at position: SourcePosition) {
    self.duration = duration
    self.position = position
  }
}

final class AnyOrderNode: Sendable {
  /// Each item is a sequence of one.
  let items: [[ExpectationNode]]
  /// For each item the earlier one it equals, if any: trying both would find the same.
  let twins: [Int?]

  init(_ nodes: [ExpectationNode]) {
    items = nodes.map { [$0] }
    twins = nodes.indices.map { index in
      guard case .event(let event) = nodes[index] else { return nil }
      return nodes[..<index].lastIndex {
        guard case .event(let earlier) = $0 else { return false }
        return earlier.isTwin(of: event)
      }
    }
  }
}

final class OneOfNode: Sendable {
  struct Alternative: Sendable {
    /// From 1: 0 means that nothing has been chosen yet.
    let number: UInt8
    let nodes: [ExpectationNode]
  }

  /// The same in all projections of the same `oneOf`.
  let choice: Int
  let alternatives: [Alternative]
  let position: SourcePosition

  init(choice: Int, alternatives: [Alternative], position: SourcePosition) {
    self.choice = choice
    self.alternatives = alternatives
    self.position = position
  }
}

/// Projects expectations onto one socket. Walks the whole tree in the same order for each, so that choices are
/// numbered alike.
private struct ExpectationCompiler {
  let socket: String
  let profile: Profile
  let subject: SubjectKind
  var nonStrict: [[Bool]] = []
  var judgedIncidentals: [CallbackKind] = []

  mutating func nodes(of expectations: [Expectation]) -> [ExpectationNode] {
    var nodes: [ExpectationNode] = []
    for expectation in expectations {
      if let node = node(of: expectation) { nodes.append(node) }
    }
    return nodes
  }

  private mutating func node(of expectation: Expectation) -> ExpectationNode? {
    switch expectation {
    case .event(let event):
      guard event.socket == socket else { return nil }
      let kind = event.pattern.kind
      if kind.isIncidental(of: socket, subject), !judgedIncidentals.contains(kind) { judgedIncidentals.append(kind) }
      return .event(EventNode(event))
    case .stream(let stream): return stream.socket == socket ? .stream(StreamNode(stream)) : nil
    case .nothing(let duration, let name, let position):
      return name == socket ? .nothing(NothingNode(duration, at: position)) : nil
    case .anyOrder(let items, _):
      let nodes = nodes(of: items)
      return nodes.isEmpty ? nil : .anyOrder(AnyOrderNode(nodes))
    case .oneOf(let alternatives, let position): return oneOf(alternatives, at: position)
    }
  }

  private mutating func oneOf(_ alternatives: [Alternative], at position: SourcePosition) -> ExpectationNode? {
    let choice = nonStrict.count
    nonStrict.append(alternatives.map { $0.grade == .nonStrict })
    var projected: [OneOfNode.Alternative] = []
    var isMentioned = false
    for (index, alternative) in alternatives.prefix(Int(UInt8.max)).enumerated() {
      let nodes = nodes(of: alternative.expectations)
      if !nodes.isEmpty { isMentioned = true }
      guard alternative.profile == nil || alternative.profile == profile else { continue }
      projected.append(OneOfNode.Alternative(number: UInt8(index + 1), nodes: nodes))
    }
    guard isMentioned else { return nil }
    return .oneOf(OneOfNode(choice: choice, alternatives: projected, position: position))
  }
}
