import Glibc
import ScenarioModel
import SocketPOSIX
import Testing

@testable import ScriptedPeer

@Suite("A scripted peer on the kernel")
struct PeerSocketTests {

  @Test("accepts, sends and receives on every family", arguments: AddressFamily.allCases)
  func exchange(family: AddressFamily) throws {
    let place = try Place(family)
    let bench = Bench()
    try bench.peer.open(at: place.address, answer: .listens)
    let client = try Client(to: try #require(bench.peer.address))
    bench.perform(.accept)
    #expect(bench.run(until: .connected))
    client.send(Array("ping".utf8))
    #expect(bench.run(until: .received(Array("ping".utf8))))
    bench.perform(.send(Array("pong".utf8)))
    #expect(bench.seen.last == .sent(4))
    #expect(client.receive(count: 4) == Array("pong".utf8))
    client.close()
    #expect(bench.run(until: .endOfStream))
  }

  @Test("finish is a FIN after what was sent, and reading goes on")
  func finish() throws {
    let bench = Bench()
    let client = try bench.connected()
    bench.perform(.send([1, 2, 3]))
    bench.perform(.finish)
    #expect(client.receive(count: 4) == [1, 2, 3])
    client.send([9])
    #expect(bench.run(until: .received([9])))
  }

  @Test("reset and close are told apart by the other side", arguments: [true, false])
  func ends(reset: Bool) throws {
    let bench = Bench()
    let client = try bench.connected()
    bench.perform(reset ? .reset : .close)
    #expect(client.waitForEnd() == (reset ? .failed(ECONNRESET) : .endOfStream))
  }

  @Test("a reset of the subject is broken, not an end of stream, also behind unread bytes and after a failed send")
  func broken() throws {
    let bench = Bench()
    let client = try bench.connected()
    bench.perform(.setReading(.paused))
    client.send([1, 2])
    client.reset()
    // The reset is found by a send first, which takes the error away from recv.
    var attempts = 0
    while !bench.seen.contains(where: { if case .sendFailed = $0 { true } else { false } }), attempts < 1000 {
      bench.perform(.send([0]))
      bench.run(for: 1_000_000)
      attempts += 1
    }
    bench.perform(.setReading(.everything))
    #expect(bench.run(until: .broken(ECONNRESET)))
    #expect(bench.seen.contains(.received([1, 2])))
    #expect(!bench.seen.contains(.endOfStream))
  }

  @Test("a send that does not fit goes on when the subject reads, and is reported once")
  func partialSend() throws {
    let bench = Bench()
    let client = try bench.connected()
    let bytes = PatternBytes.make(seed: 7, count: 20 << 20)
    bench.perform(.send(bytes))
    #expect(!bench.seen.contains(.sent(bytes.count)))
    #expect((1..<bytes.count).contains(bench.peer.takenUnderWay))
    var received: [UInt8] = []
    while received.count < bytes.count {
      let chunk = client.receiveSome()
      received += chunk
      bench.run(for: chunk.isEmpty ? 1_000_000 : 0)
    }
    #expect(received == bytes)
    #expect(bench.seen.filter { $0 == .sent(bytes.count) }.count == 1)
    #expect(bench.peer.takenUnderWay == 0)
  }

  @Test("limited reading takes exactly as much, paused nothing, and neither spins")
  func limits() throws {
    let bench = Bench()
    let client = try bench.connected()
    bench.perform(.setReading(.paused))
    client.send(Array(0..<100))
    bench.run(for: 20_000_000)
    #expect(bench.received.isEmpty)
    bench.perform(.setReading(.atMost(30)))
    bench.run(for: 20_000_000)
    #expect(bench.received == Array(0..<30))
    client.reset()
    let waits = bench.run(for: 50_000_000)
    #expect(waits <= 2)
    bench.perform(.setReading(.everything))
    #expect(bench.run(until: .broken(ECONNRESET)))
    #expect(bench.received == Array(0..<100))
  }

  @Test("an urgent byte arrives as urgent data")
  func urgent() throws {
    let bench = Bench()
    let client = try bench.connected()
    bench.perform(.sendUrgent(0x21))
    var byte: UInt8 = 0
    var outcome = -1
    for _ in 0..<1000 where outcome != 1 {
      outcome = recv(client.raw, &byte, 1, Int32(MSG_OOB))
      if outcome != 1 { poll(nil, 0, 1) }
    }
    #expect(byte == 0x21)
  }

  @Test("the receive buffer is set before the window is offered")
  func receiveBuffer() throws {
    let bench = Bench(receiveBuffer: 4096)
    let client = try bench.connected()
    bench.perform(.setReading(.paused))
    var sent = 0
    for _ in 0..<200 {
      sent += client.sendSome([UInt8](repeating: 1, count: 1 << 20))
      poll(nil, 0, 1)
    }
    // What the client's own send buffer takes is all but a few kilobytes of it.
    let queued = SocketCall.outgoingQueueCount(client.raw) ?? 0
    #expect(sent - queued < 64 << 10)
  }

  @Test("connects, and says why it could not")
  func connects() throws {
    let listening = Bench()
    try listening.peer.open(at: .loopbackIPv4(port: 0), answer: .listens)
    listening.perform(.accept)
    let bench = Bench()
    bench.peer.connect(to: try #require(listening.peer.address))
    #expect(bench.run(until: .connected))
    #expect(listening.run(until: .connected))
    listening.perform(.stopListening)
    bench.peer.connect(to: try #require(listening.peer.address))
    #expect(bench.run(until: .connectFailed(ECONNREFUSED)))
  }

  @Test("actions without a connection fail or do nothing")
  func unconnected() {
    let bench = Bench()
    for action in [PeerAction.finish, .close, .reset, .shutdownRead, .setReading(.paused), .stopListening] {
      bench.perform(action)
    }
    #expect(bench.seen.isEmpty)
    bench.perform(.send([1]))
    #expect(bench.seen == [.sendFailed(ENOTCONN)])
  }

  @Test("a second accept leaves the first connection open")
  func parks() throws {
    let bench = Bench()
    let first = try bench.connected()
    let second = try Client(to: try #require(bench.peer.address))
    bench.perform(.accept)
    #expect(bench.run(count: 2, of: .connected))
    bench.perform(.send([5]))
    #expect(second.receive(count: 1) == [5])
    #expect(first.receiveSome().isEmpty && !first.hasEnded)
    bench.peer.closeAll()
    #expect(first.waitForEnd() == .failed(ECONNRESET))
  }
}
