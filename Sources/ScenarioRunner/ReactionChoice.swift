import ScenarioModel

/// Which reaction of a case runs inside a callback: the first one in file order that fits and is not used up.
struct ReactionChoice: Sendable {
  let reactions: [Reaction]
  private var left: [Int?]

  init(_ reactions: [Reaction]) {
    self.reactions = reactions
    left = reactions.map(\.times)
  }

  /// The index of the reaction that runs inside this callback, which uses it; nil: none does.
  mutating func next(for delivered: DeliveredCallback) -> Int? {
    for index in reactions.indices {
      let reaction = reactions[index]
      guard left[index] != 0, reaction.socket == nil || reaction.socket == delivered.socket,
        reaction.pattern.matches(delivered)
      else { continue }
      if let times = left[index] { left[index] = times - 1 }
      return index
    }
    return nil
  }
}
