import ScenarioModel

/// What is done to the packets that go one way over one link.
struct PathCondition: Hashable {
  var delay = Duration.zero
  var jitter = Duration.zero
  var loss = Chance(tenThousandths: 0)
  var doubling = Chance(tenThousandths: 0)
  var corruption = Chance(tenThousandths: 0)
  var reordering = Chance(tenThousandths: 0)
  /// How much later packets come that are to be overtaken.
  var setback = Duration.zero
  /// Bytes a second; nil: no bound.
  var rate: Int?
  /// Bytes that may wait for their turn.
  var queue = 0
  var fragment: Int?
  var mtu: Int?
  /// Whether senders of larger packets are told.
  var tellsOfMTU = true
  var isHole = false
  var unreachable: PathChange.Unreachability?
  var window: Int?
  /// Whether a SYN ACK goes on as a SYN.
  var isCrossing = false

  mutating func apply(_ change: PathChange) {
    switch change {
    case .delay(let time, let jitter): (delay, self.jitter) = (time, jitter)
    case .lose(let chance): loss = chance
    case .double(let chance): doubling = chance
    case .corrupt(let chance): corruption = chance
    case .reorder(let chance, let time): (reordering, setback) = (chance, time)
    case .throttle(let rate, let queue): (self.rate, self.queue) = (rate, queue)
    case .fragment(let count): fragment = count
    case .mtu(let count, let isTold): (mtu, tellsOfMTU) = (count, isTold)
    case .blackhole: isHole = true
    case .unreachable(let what): unreachable = what
    case .window(let count): window = count
    case .cross: isCrossing = true
    case .restore: self = PathCondition()
    }
  }
}
