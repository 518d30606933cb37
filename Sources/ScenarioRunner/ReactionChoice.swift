import ScenarioModel

/// Which reaction of a case runs inside a callback: the first one in order that fits and is not used up.
struct ReactionChoice: Sendable {
  let reactions: [Reaction]
  /// For each reaction the number of what it is a copy of: copies are used up together.
  let origins: [Int]
  /// By that number.
  private var left: [Int?] = []

  init(_ reactions: [Reaction]) {
    self.reactions = reactions
    var known: [Int: Int] = [:]
    var origins: [Int] = []
    for reaction in reactions {
      if let number = reaction.origin.flatMap({ known[$0] }) {
        origins.append(number)
        continue
      }
      if let origin = reaction.origin { known[origin] = left.count }
      origins.append(left.count)
      left.append(reaction.times)
    }
    self.origins = origins
  }

  /// The index of the reaction that runs inside this callback, which uses it; nil: none does.
  mutating func next(for delivered: DeliveredCallback) -> Int? {
    for index in reactions.indices {
      let reaction = reactions[index]
      guard left[origins[index]] != 0, reaction.socket == nil || reaction.socket == delivered.socket,
        reaction.pattern.matches(delivered)
      else { continue }
      if let times = left[origins[index]] { left[origins[index]] = times - 1 }
      return index
    }
    return nil
  }
}
