extension NetworkAction {
  /// An act as the scenario language writes it: its word, and what stands behind it.
  package struct Words: Hashable, Sendable {
    /// `lose`, `address`.
    package var word: String
    /// Keys with their values, in the language's order.
    package var fields: [Field]

    /// One key with its value.
    package struct Field: Hashable, Sendable {
      /// As the language has it.
      package var key: String
      /// As the language writes it.
      package var value: String
    }

    /// `to: peer, chance: 30%`, without the word.
    package var detail: String { fields.map { "\($0.key): \($0.value)" }.joined(separator: ", ") }
  }

  /// - Parameters:
  ///   - duration: a time in the form that is wanted.
  ///   - size: the same of a number of bytes.
  package func words(duration: (Duration) -> String, size: (Int) -> String) -> Words {
    switch self {
    case .change(let change, let scope):
      var words = change.words(duration: duration, size: size)
      if let link = scope.link { words.fields.append(.init(key: "link", value: link)) }
      if let to = scope.to { words.fields.append(.init(key: "to", value: to.rawValue)) }
      return words
    case .reset(let side, let beyond):
      let offset = [Words.Field(key: "beyond", value: size(beyond))].filter { _ in beyond != 0 }
      return Words(word: "reset", fields: [.init(key: "to", value: side.rawValue)] + offset)
    case .address(let address, let side, let link, let isThere):
      let place = link.map { [Words.Field(key: "link", value: $0)] } ?? []
      return Words(
        word: "address",
        fields: [
          .init(key: isThere ? "add" : "remove", value: "\"\(address)\""), .init(key: "of", value: side.rawValue),
        ] + place)
    case .interface(let link, let side, let isUp):
      return Words(
        word: isUp ? "up" : "down", fields: [.init(key: "link", value: link), .init(key: "of", value: side.rawValue)])
    }
  }
}

extension PathChange {
  fileprivate func words(duration: (Duration) -> String, size: (Int) -> String) -> NetworkAction.Words {
    func words(_ word: String, _ fields: (String, String)...) -> NetworkAction.Words {
      .init(word: word, fields: fields.map { .init(key: $0.0, value: $0.1) })
    }
    switch self {
    case .delay(let time, let jitter):
      return jitter == .zero
        ? words("delay", ("by", duration(time))) : words("delay", ("by", duration(time)), ("jitter", duration(jitter)))
    case .lose(let chance): return words("lose", ("chance", chance.text))
    case .double(let chance): return words("double", ("chance", chance.text))
    case .corrupt(let chance): return words("corrupt", ("chance", chance.text))
    case .reorder(let chance, let time): return words("reorder", ("chance", chance.text), ("by", duration(time)))
    case .throttle(let rate, let queue): return words("throttle", ("rate", size(rate)), ("queue", size(queue)))
    case .fragment(let count): return words("fragment", ("size", size(count)))
    case .mtu(let count, let isTold):
      return isTold ? words("mtu", ("size", size(count))) : words("mtu", ("size", size(count)), ("silent", "true"))
    case .blackhole: return words("blackhole")
    case .unreachable(let what): return words("unreachable", ("what", what.rawValue))
    case .window(let count): return words("window", ("size", size(count)))
    case .cross: return words("cross")
    case .restore: return words("restore")
    }
  }
}
