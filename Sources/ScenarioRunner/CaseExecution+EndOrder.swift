import ScenarioModel
import ScriptedPeer

// The order between the ends that peers make and the calls that the subject's lanes are about to make.
//
// A class on a run loop sees the peer's end although bytes are unread, unless a read is there by then (RL-10). Over the
// kernel a lane's call is made some time after the callback that the lane waited for, and the end would race with it.
// So there the end waits as long as a lane waits for a callback that comes before an end. In virtual time the call is
// made at once, and the end keeps its place right behind the bytes; a reaction is never late.
extension CaseExecution {
  /// How long an end waits when nothing happens: the callback that a lane waits for may itself hang on the end.
  private static let maxHold = Duration.milliseconds(300)

  /// The next thing that the peer of this lane does now; nil: it waits.
  mutating func nextAction(of lane: Int) -> PeerAction? {
    if ordersEnds {
      peers[lane].holdsEnd = now < lastActivityAt + Self.maxHold && subjects.contains(where: \.awaitsProgress)
    }
    return peers[lane].nextAction(now: now, sync: &sync)
  }

  /// When an end that waits is made after all; nil: none waits.
  var heldEndDeadline: Duration? {
    guard ordersEnds else { return nil }
    for lane in peers.indices where peers[lane].endIsHeld { return lastActivityAt + Self.maxHold }
    return nil
  }
}
