import CocoaAsyncSocket

// A program may have declared what the library has for it: its own names come first.

let NSEC_PER_SEC: UInt64 = 1_000
typealias NSInteger = Int64
typealias CFTimeInterval = Float

extension DispatchQueue: @retroactive Equatable {
  /// Queues of one name are equal.
  public static func == (one: DispatchQueue, other: DispatchQueue) -> Bool { one.label == other.label }
}

/// The answers with the program's own comparison.
func ownComparisons(_ queue: DispatchQueue, _ other: DispatchQueue?) -> [Bool] {
  [queue == other, other == queue, queue != other, other != nil, nil == other, queue == queue, [queue] == [queue]]
}

func ownUnits() -> (UInt64, NSInteger, CFTimeInterval) { (NSEC_PER_SEC, 1, 1) }
