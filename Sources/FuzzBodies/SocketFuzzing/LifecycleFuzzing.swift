import FuzzHarness

/// Real sockets over socket pairs, used from several queues at once.
///
/// Laws
/// - `lifecycle/queue`: a delegate is called on its own queue only.
/// - `lifecycle/once`: there is at most one didDisconnect, and nothing behind it.
/// - `lifecycle/turn`: what one actor asked for is answered in its order.
/// - `lifecycle/data`: what is read is what the peer sent, and what the peer gets is what was written; what didWrite
///   reported has arrived.
/// - `lifecycle/hang`: a connection that the peer has closed ends.
/// - `lifecycle/freed`: when nobody refers to the socket and its delegates, they are freed.
/// - `lifecycle/descriptors`: no descriptor stays open.
package enum LifecycleFuzzing {
  package static let body: FuzzBody = { check(LifecycleProgram($0)) }

  package static func check(_ program: LifecycleProgram) -> Violation? {
    if let violation = LifecycleRun.perform(program) { return violation }
    return LifecycleDescriptors.check()
  }
}
