/// The faults of the simulated wire, kernel and queues. Ranges are nanoseconds, probabilities 0 to 1.
package struct LinkFaults: Hashable, Sendable {
  /// From one segment's departure to its arrival. Arrivals stay in order.
  package var deliveryDelay: ClosedRange<Int64>
  /// How long a connect takes to reach the listener and come back.
  package var connectDelay: ClosedRange<Int64>
  /// That a segment carries only some of the bytes in flight.
  package var splitSegment: Double
  /// That a FIN does not travel with the last bytes but behind them.
  package var separateFIN: Double
  /// That a send takes only part of what is offered although there is room.
  package var partialSend: Double
  /// That a send with room, or a receive of bytes whose readiness was not yet signalled, would block all the same. The
  /// readiness event follows.
  package var spuriousWouldBlock: Double
  /// The size up to which a send into an empty buffer is always taken whole, as by a kernel; 0: no such promise.
  package var promptSend: Int
  /// That a link does not promise that a receive which fills less than its buffer has emptied it.
  package var withheldPromise: Double
  /// That a receive returns fewer bytes than there are, where that promise is withheld. No kernel does that.
  package var shortReceive: Double
  /// That readiness is signalled although nothing has come.
  package var spuriousReadiness: Double
  /// From readiness to the driver's turn.
  package var turnLatency: ClosedRange<Int64>
  /// From a block's arrival on an idle serial queue to its start.
  package var dispatchLatency: ClosedRange<Int64>
  /// How late a timer fires; never early.
  package var timerLatency: ClosedRange<Int64>
  /// From a spurious would-block to the readiness event.
  package var readinessDelay: ClosedRange<Int64>
  /// That the loop's thread serves a queue that is free, instead of a thread of the queue's.
  package var lending: Double
  /// That another thread enters the engine between two callbacks of a lane.
  package var interruptedDelivery: Double
  /// That a block of a lane has run so long between two callbacks that it ends.
  package var longBlocks: Double
  /// That a socket does without some of its shortcuts, drawn one by one, which must make no difference.
  package var fewerShortcuts: Double
  /// Events of the same instant come in an order drawn from the seed instead of the order they were scheduled in.
  package var shufflesTies: Bool

  /// What scenarios run under: everything a Linux host does now and then, and nothing that it never does.
  package static let standard = LinkFaults(
    deliveryDelay: 10_000...500_000, connectDelay: 10_000...500_000, splitSegment: 0.25, separateFIN: 0.5,
    partialSend: 0.2, spuriousWouldBlock: 0.05, promptSend: 4096, withheldPromise: 0.5, shortReceive: 0,
    spuriousReadiness: 0.03,
    turnLatency: 0...50_000, dispatchLatency: 0...300_000, timerLatency: 0...200_000, readinessDelay: 1_000...200_000,
    lending: 0.5, interruptedDelivery: 0.1, longBlocks: 0.05, fewerShortcuts: 0.25, shufflesTies: true)

  /// A perfect world: everything at once, in the order it was set off.
  package static let none = LinkFaults(
    deliveryDelay: 0...0, connectDelay: 0...0, splitSegment: 0, separateFIN: 0, partialSend: 0, spuriousWouldBlock: 0,
    promptSend: .max, withheldPromise: 0, shortReceive: 0, spuriousReadiness: 0, turnLatency: 0...0,
    dispatchLatency: 0...0,
    timerLatency: 0...0, readinessDelay: 0...0, lending: 0, interruptedDelivery: 0, longBlocks: 0, fewerShortcuts: 0,
    shufflesTies: false)

  /// Worse than any host: for laws that must hold whatever happens, not for scenarios with zero timeouts.
  package static let harsh = LinkFaults(
    deliveryDelay: 0...2_000_000, connectDelay: 0...2_000_000, splitSegment: 0.7, separateFIN: 0.8, partialSend: 0.6,
    spuriousWouldBlock: 0.3, promptSend: 0, withheldPromise: 0.7, shortReceive: 0.6, spuriousReadiness: 0.2,
    turnLatency: 0...500_000,
    dispatchLatency: 0...2_000_000, timerLatency: 0...1_000_000, readinessDelay: 0...1_000_000,
    lending: 0.5, interruptedDelivery: 0.4, longBlocks: 0.2, fewerShortcuts: 0.5, shufflesTies: true)
}
