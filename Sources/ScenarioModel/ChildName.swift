/// The lab's names for accepted sockets: `child`, `child2`, `child3`… in the order of acceptance.
package enum ChildName {
  /// Whether the name is one that accepting gives, so that no socket of that name exists from the start.
  package static func isChild(_ name: String) -> Bool {
    guard name.hasPrefix("child") else { return false }
    let number = name.dropFirst("child".count)
    return number.isEmpty || (number.first != "0" && Int(number).map { $0 >= 2 } ?? false)
  }

  /// The name of the socket that is accepted as that one, counted from 1.
  package static func number(_ place: Int) -> String { place == 1 ? "child" : "child\(place)" }

  /// The names of the first `count` accepted sockets.
  package static func first(_ count: Int) -> [String] {
    (0..<max(count, 0)).map { number($0 + 1) }
  }
}
