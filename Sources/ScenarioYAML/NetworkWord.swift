import ScenarioModel

/// The words a step of the network's lane can begin with.
enum NetworkWord: String, CaseIterable {
  case delay, lose, double, corrupt, reorder, throttle, fragment, mtu, blackhole, unreachable, window, cross, restore
  case reset, address, down, up
  case wait, after, reach, `repeat`

  /// What the word alone means; nil: it needs something behind it.
  var alone: PathChange? {
    switch self {
    case .blackhole: .blackhole
    case .cross: .cross
    case .restore: .restore
    default: nil
    }
  }

  /// The key that a value without keys belongs to; nil: there is none.
  var mainKey: String? {
    switch self {
    case .delay: "by"
    case .lose, .double, .corrupt, .reorder: "chance"
    case .throttle: "rate"
    case .fragment, .mtu, .window: "size"
    case .unreachable: "what"
    case .reset: "to"
    case .down, .up: "link"
    case .blackhole, .cross, .restore, .address, .wait, .after, .reach, .repeat: nil
    }
  }

  /// All its keys.
  var keys: [String] {
    switch self {
    case .delay: ["by", "jitter", "link", "to"]
    case .lose, .double, .corrupt: ["chance", "link", "to"]
    case .reorder: ["chance", "by", "link", "to"]
    case .throttle: ["rate", "queue", "link", "to"]
    case .fragment, .window: ["size", "link", "to"]
    case .mtu: ["size", "silent", "link", "to"]
    case .unreachable: ["what", "link", "to"]
    case .blackhole, .cross, .restore: ["link", "to"]
    case .reset: ["to", "beyond"]
    case .address: ["add", "remove", "of", "link"]
    case .down, .up: ["link", "of"]
    case .wait, .after, .reach, .repeat: []
    }
  }

  /// An example of its use, for messages.
  var example: String {
    switch self {
    case .delay: "`delay: 20ms`"
    case .lose, .double, .corrupt: "`\(rawValue): 30%`"
    case .reorder: "`reorder: { chance: 30%, by: 10ms }`"
    case .throttle: "`throttle: 64KiB`"
    case .fragment: "`fragment: 576B`"
    case .mtu: "`mtu: 1280B`"
    case .blackhole: "`blackhole: { to: peer }`"
    case .unreachable: "`unreachable: host`"
    case .window: "`window: { size: 0B, to: subject }`"
    case .cross: "`cross`"
    case .restore: "`restore`"
    case .reset: "`reset: { to: subject, beyond: 1MiB }`"
    case .address: "`address: { remove: \"10.77.1.1\", of: subject }`"
    case .down, .up: "`\(rawValue): lab0`"
    case .wait: "`wait: 20ms`"
    case .after: "`after: didConnect`"
    case .reach: "`reach: NAME`"
    case .repeat: "`repeat: { times: 3, steps: [...] }`"
    }
  }
}
