import ScenarioModel
import ScenarioRunner
import Synchronization

/// The cases that no worker has yet, in blocks of one scenario each.
final class CaseQueue: Sendable {
  struct Block: Sendable {
    var scenario: Int
    var numbers: [Int]
  }

  /// Simulated cases take microseconds: fewer in a block would be mostly messages.
  static let maxPerBlock = 16

  let examples: Set<Int>
  private let numbers: [Int]
  private let cases: [PlannedCase]
  private let size: Int
  private let next = Mutex(0)

  /// - Parameter size: the most cases of a block.
  init(_ numbers: [Int], _ cases: [PlannedCase], size: Int, examples: Set<Int>) {
    self.numbers = numbers
    self.cases = cases
    self.examples = examples
    self.size = size
  }

  /// Whether all are taken.
  var isEmpty: Bool { next.withLock { $0 >= numbers.count } }

  /// nil: all are taken.
  func take() -> Block? {
    next.withLock { next in
      guard next < numbers.count else { return nil }
      let scenario = cases[numbers[next]].scenario
      let rest = numbers[next...].prefix(size)
      let block = rest.prefix { cases[$0].scenario == scenario }
      next += block.count
      return Block(scenario: scenario, numbers: Array(block))
    }
  }
}
