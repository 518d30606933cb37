import Glibc
import SocketCore
import SocketValues
import TestSupport
import Testing

@Suite("Listening")
struct ListenerMachineTests {
  private final class Client: Sendable {}

  @Test(
    "one client's failure is passed over (ACC-30)",
    arguments: [
      EINTR, ECONNABORTED, EPROTO, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, EOPNOTSUPP,
    ])
  func transient(errno: Int32) {
    var listener = ListenerMachine()
    #expect(listener.acceptFailed(errno, now: Instant(nanoseconds: 9)) == .goOn)
    #expect(listener.retryAt == nil)
  }

  @Test(
    "when the process runs out of something it pauses, without spinning (ACC-31)",
    arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, EPERM])
  func pause(errno: Int32) throws {
    var listener = ListenerMachine()
    let clock = ManualClock()
    #expect(listener.acceptFailed(errno, now: clock.now) == .pause)
    let retry = try #require(listener.retryAt)
    #expect(retry >= clock.after(milliseconds: 10) && retry <= clock.after(milliseconds: 1000))
    #expect(listener.resume(now: clock.now) == false)
    #expect(listener.resume(now: retry) == true)
    #expect(listener.resume(now: retry) == false, "true once")
  }

  @Test("the machine gives the pause as its deadline and resumes at it")
  func pauseInMachine() throws {
    var bench = SocketBench(idle: MemoryTransport())
    bench.machine.listenerIsReady()
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.machine.acceptFailed(ECONNABORTED, now: bench.now) == .goOn)
    #expect(bench.machine.acceptFailed(EMFILE, now: bench.now) == .pause)
    let retry = try #require(bench.machine.nextDeadline)
    #expect(bench.machine.tick(now: Instant(nanoseconds: retry.nanoseconds - 1)) == false)
    #expect(bench.machine.tick(now: retry) == true)
    #expect(bench.machine.nextDeadline == nil)
    #expect(bench.machine.isListening)
    #expect(bench.take() == [])
  }

  @Test("clients are told in order, and none after the end (INV-02, ACC-28)")
  func clients() {
    var bench = SocketBench(idle: MemoryTransport())
    bench.machine.listenerIsReady()
    bench.machine.accepted(Client())
    bench.machine.accepted(Client())
    bench.disconnect()
    #expect(bench.machine.takeCommands() == [.close(.immediate)])
    bench.machine.accepted(Client())
    #expect(bench.take() == [.accepted, .accepted, .disconnected(nil)])
    #expect(bench.machine.acceptFailed(EMFILE, now: bench.now) == .pause)
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("ACC-20: an adopted child is connected and is not told so")
  func child() {
    var bench = SocketBench()
    #expect(bench.machine.isConnected)
    #expect(bench.take() == [])
  }

  @Test("LIFE-23: an adopted connection is told if it is to be")
  func adopted() {
    var bench = SocketBench(idle: MemoryTransport())
    bench.machine.adoptConnection(announcing: .didConnect(.loopback(.ipv4, port: 4)))
    #expect(bench.take() == [.connected(host: "127.0.0.1", port: 4)])
    #expect(bench.machine.isConnected)
  }
}
