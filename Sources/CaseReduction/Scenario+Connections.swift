import ScenarioModel

extension Scenario {
  /// What is done on each connection, with what its peers do: sockets and peers that some step mentions together are of
  /// one part.
  var connectionParts: [[ScenarioItem]] {
    var groups: [Set<String>] = []
    func unite(_ names: Set<String>) {
      let touched = groups.filter { !$0.isDisjoint(with: names) }
      groups.removeAll { !$0.isDisjoint(with: names) }
      groups.append(touched.reduce(names) { $0.union($1) })
    }
    var owners: [(ScenarioItem, Set<String>)] = []
    for (lane, peer) in peers.enumerated() {
      unite(Set([peer.name] + (peer.samePortAs.map { [$0] } ?? [])))
      for (place, step) in peer.steps.enumerated() {
        if case .connect(let socket) = step.value { unite([peer.name, socket]) }
        owners.append((.peer(lane, place), [peer.name]))
      }
    }
    for (lane, subject) in subjects.enumerated() {
      unite([subject.name])
      for (place, step) in subject.steps.enumerated() {
        let names = step.step.mentioned.map { $0.hasPrefix("child") ? subject.name : $0 }
        unite(Set(names).union([subject.name]))
        owners.append((.call(lane, place), [subject.name]))
      }
    }
    for (place, reaction) in reactions.enumerated() {
      let names = reaction.steps.reduce(into: Set(reaction.socket.map { [$0] } ?? [])) {
        $0.formUnion($1.step.mentioned)
      }
      guard let first = names.first else { return [] }
      unite(names)
      owners += reaction.steps.indices.map { (.reaction(place, $0), [first]) }
    }
    for (place, expectation) in expectations.enumerated() {
      let names = Set(expectation.sockets)
      guard let first = names.first, !names.contains(where: { $0.hasPrefix("child") }) else { return [] }
      unite(names)
      owners.append((.expectation(place), [first]))
    }
    return groups.map { group in owners.filter { !$0.1.isDisjoint(with: group) }.map(\.0) }.filter { !$0.isEmpty }
  }
}
