import Glibc
import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Descriptors and failures")
struct DescriptorTests {
  /// The number is far above what the process hands out, so that only this test opens and closes it.
  private func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }

  @Test func endOfScopeCloses() throws {
    let ends = try SocketCall.pair()
    let number = parked(ends.first.rawValue, at: 9001)
    do {
      let owner = Descriptor(adopting: number)
      #expect(isOpen(owner.rawValue))
    }
    #expect(!isOpen(9001))
  }

  @Test func closeClosesOnce() throws {
    let ends = try SocketCall.pair()
    do {
      let owner = Descriptor(adopting: parked(ends.first.rawValue, at: 9002))
      owner.close()
      #expect(!isOpen(9002))
      // The number has a new owner now; the end of the old one must leave it alone.
      #expect(parked(ends.second.rawValue, at: 9002) == 9002)
    }
    #expect(isOpen(9002))
    close(9002)
  }

  @Test func releaseLeavesItOpen() throws {
    let ends = try SocketCall.pair()
    let number = Descriptor(adopting: parked(ends.first.rawValue, at: 9003)).release()
    #expect(number == 9003)
    #expect(isOpen(9003))
    close(9003)
  }

  @Test func negativeNumbersOwnNothing() {
    let nothing = Descriptor(adopting: -1)
    #expect(nothing.rawValue == -1)
    nothing.close()
  }

  @Test func peerSeesTheEndWhenTheOwnerGoes() throws {
    let ends = try SocketCall.pair().release()
    let peer = Descriptor(adopting: ends.second)
    #expect(SocketCall.peek(peer.rawValue) == .wouldBlock)
    Descriptor(adopting: ends.first).close()
    #expect(SocketCall.peek(peer.rawValue) == .endOfStream)
  }

  @Test func failureTexts() {
    let failure = SystemCallFailure(call: "connect", code: ECONNREFUSED)
    #expect(failure.message == "Connection refused")
    #expect(failure.description == "connect: Connection refused (errno 111)")
    #expect(!SystemCallFailure(call: "x", code: 99999).message.isEmpty)
  }
}

@Suite("Names, interfaces, time")
struct SurroundingsTests {
  @Test func literalsResolve() throws {
    #expect(try HostLookup.resolve("127.0.0.1", port: 80) == [.loopback(.ipv4, port: 80)])
    #expect(try HostLookup.resolve("::1", port: 81) == [.loopback(.ipv6, port: 81)])
    // As a C string, a name ends at its first zero.
    #expect(try HostLookup.resolve("127.0.0.1\0\0", port: 80) == [.loopback(.ipv4, port: 80)])
  }

  @Test(arguments: ["", "\0", "\u{0}127.0.0.1", "a b", "nobody.invalid"])
  func nonsenseFails(_ host: String) throws {
    do {
      let found = try HostLookup.resolve(host, port: 1)
      Issue.record("\(found)")
    } catch {
      #expect(error.code != 0)
      #expect(!error.message.isEmpty)
    }
  }

  @Test func systemErrorsCarryTheirErrno() {
    #expect(LookupFailure(code: EAI_SYSTEM, systemCode: EMFILE).message == "Too many open files")
    #expect(LookupFailure(code: EAI_NONAME).message == "Name or service not known")
  }

  @Test func loopbackInterface() throws {
    let all = try NetworkInterfaces.all()
    #expect(all.contains { $0.address == .loopbackIPv4(port: 0) })
    for entry in all {
      #expect(entry.address.ip?.host != nil)
      #expect(NetworkInterfaces.index(of: entry.name.split(separator: ":").first.map(String.init) ?? "") != nil)
    }
    #expect(NetworkInterfaces.index(of: "no-such-interface") == nil)
  }

  @Test func instantsSaturate() {
    let end = Instant.distantFuture
    let start = Instant.distantPast
    #expect(end.advanced(by: 1) == end)
    #expect(start.advanced(by: -1) == start)
    #expect(start.advanced(by: .max) == Instant(nanoseconds: -1))
    #expect(start.nanoseconds(until: end) == .max)
    #expect(end.nanoseconds(until: start) == .min)
    #expect(Instant(nanoseconds: 5).nanoseconds(until: Instant(nanoseconds: 3)) == -2)
    #expect(Instant.now() <= Instant.now())
  }

  @Test(
    arguments: [
      (nil, -1), (-5, 0), (0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (Int64.max, Int32.max),
    ] as [(Int64?, Int32)])
  func timeoutsRoundUp(_ nanoseconds: Int64?, _ expected: Int32) {
    #expect(Poller.milliseconds(nanoseconds) == expected)
  }
}
