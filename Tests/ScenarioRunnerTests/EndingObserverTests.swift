import ScenarioModel
import Testing

@testable import ScenarioRunner

@Suite struct EndingObserverTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var events: [TraceEvent]
    var text: String
    /// The endings that this is; all others of `endings` must be refused.
    var fits: [EndingExpectation]
    var testDescription: String { name }
  }

  static let endings: [EndingExpectation] = [
    .open, .neverConnected, .bySubject(.fin), .bySubject(.rst), .bySubject(.either), .byPeer(.fin, answer: nil),
    .byPeer(.rst, answer: nil), .byPeer(.fin, answer: .fin), .byPeer(.fin, answer: .rst),
    .byPeer(.fin, answer: .either),
  ]

  private static let link = [saw(.connected)]
  private static let told = [callback(connected), callback(.didDisconnect(nil))]
  static let rows: [Row] = [
    Row(name: "nothing ever", events: [], text: "never connected", fits: [.neverConnected]),
    Row(
      name: "a connect that failed", events: [saw(.connectFailed(111))], text: "never connected",
      fits: [.neverConnected]),
    Row(name: "connected and left so", events: link, text: "open", fits: [.open]),
    Row(name: "connected as the subject sees it", events: [callback(connected)], text: "open", fits: [.open]),
    Row(
      name: "the subject closes", events: link + [saw(.endOfStream)], text: "subject fin",
      fits: [.bySubject(.fin), .bySubject(.either)]),
    Row(
      name: "the subject resets", events: link + [saw(.broken(104))], text: "subject rst",
      fits: [.bySubject(.rst), .bySubject(.either)]),
    Row(
      name: "a send finds the subject gone", events: link + [did(.send([1])), saw(.sendFailed(32))],
      text: "subject rst", fits: [.bySubject(.rst), .bySubject(.either)]),
    Row(
      name: "fin stays fin whatever follows", events: link + [saw(.endOfStream), saw(.broken(104)), did(.close)],
      text: "subject fin", fits: [.bySubject(.fin), .bySubject(.either)]),
    Row(
      name: "the peer finishes", events: link + [did(.finish)], text: "peer fin, subject still open",
      fits: [.byPeer(.fin, answer: nil)]),
    Row(
      name: "the peer finishes, the subject closes", events: link + [did(.finish), saw(.endOfStream)],
      text: "peer fin, subject fin",
      fits: [.byPeer(.fin, answer: nil), .byPeer(.fin, answer: .fin), .byPeer(.fin, answer: .either)]),
    Row(
      name: "the peer finishes, the subject resets", events: link + [did(.finish), saw(.broken(104))],
      text: "peer fin, subject rst",
      fits: [.byPeer(.fin, answer: nil), .byPeer(.fin, answer: .rst), .byPeer(.fin, answer: .either)]),
    Row(
      name: "the peer closes and sees nothing more", events: link + [did(.close), saw(.endOfStream)],
      text: "peer fin", fits: [.byPeer(.fin, answer: nil)]),
    Row(
      name: "the peer resets", events: link + [did(.reset)], text: "peer rst", fits: [.byPeer(.rst, answer: nil)]),
    Row(
      name: "the last connection counts", events: link + [did(.close)] + link + [saw(.endOfStream)],
      text: "subject fin", fits: [.bySubject(.fin), .bySubject(.either)]),
    Row(
      name: "the first peer that has a connection counts",
      events: [saw(.connectFailed(111)), saw(.connected, peer: "second"), saw(.endOfStream, peer: "second")],
      text: "subject fin", fits: [.bySubject(.fin), .bySubject(.either)]),
    Row(
      name: "the subject has told an end that no peer has seen", events: link + told,
      text: "open for all that a peer has seen, but didDisconnect was told", fits: []),
    Row(
      name: "the same between two sockets of the subject",
      events: told + [callback(.didAccept(child: "child"), on: "server"), callback(.didDisconnect(nil), on: "child")],
      text: "open for all that a peer has seen, but didDisconnect was told", fits: []),
    Row(
      name: "one of two ends that no peer has seen", events: [callback(connected, on: "other")] + link + told,
      text: "open", fits: [.open]),
    Row(
      name: "the first peer counts", events: link + [saw(.endOfStream, peer: "second")], text: "open", fits: [.open]),
  ]

  @Test(arguments: rows) func tells(_ row: Row) {
    var observer = EndingObserver(
      scenario: scenario { $0.peers = ["peer", "second"].map { PeerLane(name: $0, steps: []) } })
    for event in row.events { observer.observe(event) }
    #expect(observer.text == row.text)
    for ending in Self.endings {
      #expect((observer.standing(ending) == .asExpected) == row.fits.contains(ending), "\(ending.text)")
    }
  }

  /// The same when it loses its delegate on the way.
  @Test(arguments: [
    SubjectCommand.setDelegate(nil), .setDelegateQueue(nil), .release, .perform([.disconnect, .setDelegate(nil)]),
  ])
  func whoLosesTheDelegateIsNotTold(of end: SubjectCommand) {
    var observer = EndingObserver(scenario: scenario { $0.peers = [PeerLane(name: "peer", steps: [])] })
    for event in Self.link + Self.told + [command(end)] { observer.observe(event) }
    #expect(observer.standing(.open) == .asExpected)
  }

  /// Where some socket has nobody to tell its end to, the ends that were told are not all.
  @Test func withoutADelegateAnEndIsNotTold() {
    var observer = EndingObserver(
      scenario: scenario {
        $0.peers = [PeerLane(name: "peer", steps: [])]
        $0.sockets = [SocketSetup(name: "socket"), SocketSetup(name: "other")]
        $0.sockets[1].hasDelegate = false
      })
    for event in Self.link + Self.told { observer.observe(event) }
    #expect(observer.standing(.open) == .asExpected)
  }
}
