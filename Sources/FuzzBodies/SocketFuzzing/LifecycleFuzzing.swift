import FuzzHarness

/// Real sockets over socket pairs: used from several queues at once, or moved between run loops and modes.
///
/// Laws
/// - `lifecycle/queue`: a delegate is called on its own queue only.
/// - `lifecycle/loop`: a delegate of the class on a run loop is called on the socket's run loop only, in its modes.
/// - `lifecycle/once`: there is at most one didDisconnect, and nothing behind it.
/// - `lifecycle/will`: an end is announced at most once; unreadData says the same twice, is what comes behind what was
///   read, and with that all that the peer has sent.
/// - `lifecycle/turn`: what one actor asked for is answered in its order.
/// - `lifecycle/data`: what is read is what the peer sent, and what the peer gets is what was written; what didWrite
///   reported has arrived.
/// - `lifecycle/hang`: a connection that the peer has closed ends.
/// - `lifecycle/freed`: without references the socket and its delegates are freed.
/// - `lifecycle/descriptors`: no descriptor stays open.
package enum LifecycleFuzzing {
  package static let body: FuzzBody = { check(LifecycleProgram($0)) }

  package static func check(_ program: LifecycleProgram) -> Violation? {
    let perform = program.livesOnRunLoop ? RunLoopLifecycleRun.perform : LifecycleRun.perform
    if let violation = perform(program) { return violation }
    return LifecycleDescriptors.check()
  }
}
