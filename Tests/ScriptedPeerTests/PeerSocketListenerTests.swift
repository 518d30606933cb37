import Glibc
import ScenarioModel
import SocketPOSIX
import SocketValues
import Testing

@testable import ScriptedPeer

@Suite("Where a scripted peer can be reached")
struct PeerSocketListenerTests {
  @Test("a peer that refuses is refused on every family, and its port stays its own", arguments: AddressFamily.allCases)
  func refuses(family: AddressFamily) throws {
    let place = try Place(family)
    let bench = Bench()
    try bench.peer.open(at: place.address, answer: .refuses)
    let address = try #require(bench.peer.address)
    #expect(throws: SystemCallFailure(call: "connect", code: ECONNREFUSED)) { try Client(to: address) }
    guard family != .unix else { return }
    for _ in 0..<200 {
      let other = Bench()
      try other.peer.open(at: place.address, answer: .listens)
      #expect(other.peer.address?.port != address.port)
    }
  }

  @Test("stops and listens again at the same place, next to open connections", arguments: AddressFamily.allCases)
  func listensAgain(family: AddressFamily) throws {
    let place = try Place(family)
    let bench = Bench()
    try bench.peer.open(at: place.address, answer: .listens)
    let address = try #require(bench.peer.address)
    for round in 1...3 {
      let client = try Client(to: address)
      bench.perform(.accept)
      #expect(bench.run(count: round, of: .connected))
      bench.perform(.stopListening)
      #expect(throws: SystemCallFailure(call: "connect", code: ECONNREFUSED)) { try Client(to: address) }
      bench.perform(.listenAgain)
      bench.perform(.send([1]))
      #expect(client.receive(count: 1) == [1])
    }
  }

  @Test("accept without a listener fails at once")
  func acceptsNothing() throws {
    let bench = Bench()
    try bench.peer.open(at: .loopbackIPv4(port: 0), answer: .listens)
    bench.perform(.stopListening)
    bench.perform(.accept)
    #expect(bench.seen == [.connectFailed(ENOTCONN)])
  }

  @Test("connects into a hole hang, and get in once the peer accepts", arguments: [AddressFamily.ipv4, .ipv6])
  func blackhole(family: AddressFamily) throws {
    let place = try Place(family)
    let bench = Bench()
    try bench.peer.open(at: place.address, answer: .hangs)
    let client = try Client(to: try #require(bench.peer.address), waits: false)
    #expect(!client.becomesWritable(within: 300_000_000))
    bench.perform(.accept)
    #expect(bench.run(until: .connected, within: 4_000_000_000))
    bench.perform(.send([7]))
    #expect(client.receive(count: 1) == [7])
    #expect(bench.seen.filter { $0 == .connected }.count == 1)
  }

  @Test("a hole of a local socket fails nonblocking connects with EAGAIN until the peer accepts")
  func localBlackhole() throws {
    let place = try Place(.unix)
    let bench = Bench()
    try bench.peer.open(at: place.address, answer: .hangs)
    let address = try #require(bench.peer.address)
    #expect(throws: SystemCallFailure(call: "connect", code: EAGAIN)) { try Client(to: address) }
    bench.perform(.accept)
    let client = try Client(to: address)
    #expect(bench.run(until: .connected))
    bench.perform(.send([7]))
    #expect(client.receive(count: 1) == [7])
  }

  @Test("two peers share a port number across the families")
  func samePort() throws {
    let first = Bench()
    try first.peer.open(at: .loopbackIPv4(port: 0), answer: .listens)
    let port = try #require(first.peer.address?.port)
    let second = Bench()
    try second.peer.open(at: .loopbackIPv6(port: port), answer: .listens)
    #expect(second.peer.address?.port == port)
    let third = Bench()
    #expect(throws: SystemCallFailure(call: "bind", code: EADDRINUSE)) {
      try third.peer.open(at: .loopbackIPv4(port: port), answer: .listens)
    }
  }

  @Test("nothing is left open", arguments: [PeerSocket.Answer.listens, .refuses, .hangs])
  func leaks(answer: PeerSocket.Answer) throws {
    // Other tests open and close descriptors meanwhile: what counts is that many rounds leave nothing behind.
    let before = openDescriptors()
    for _ in 0..<100 {
      let bench = Bench()
      try bench.peer.open(at: .loopbackIPv4(port: 0), answer: answer)
      bench.peer.closeAll()
    }
    #expect(openDescriptors() < before + 90)
  }

  @Test("a wait ends at its deadline, not before", arguments: [300_000, 1_000_000, 2_500_000] as [Int64])
  func waits(nanoseconds: Int64) {
    var set = ReadinessSet()
    let deadline = Instant.now().advanced(by: nanoseconds)
    #expect(set.wait(until: deadline) == 0)
    #expect(Instant.now() >= deadline)
  }
}

private func openDescriptors() -> Int {
  (0..<4096).count { fcntl(Int32($0), F_GETFD) >= 0 }
}
