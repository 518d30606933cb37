import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// What lookups by the system's resolver hold when they are over.
@Suite("Lookups: memory")
struct HostLookupMemoryTests {
  @Test(
    "lookups that are over hold no memory, whether they found something or not",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func nothingIsLeft() async {
    // In a process of its own: all memory is counted.
    await #expect(processExitsWith: .success) {
      for host in ["127.0.0.1", "::1", "no host has this name"] {
        for _ in 0..<100 { _ = try? HostLookup.resolve(host, port: 80) }
        let base = try #require(ProcessFacts.allocatedBytes())
        for _ in 0..<5000 { _ = try? HostLookup.resolve(host, port: 80) }
        let growth = try #require(ProcessFacts.allocatedBytes()) - base
        // An address in the resolver's list is 64 bytes and more.
        #expect(growth < 100_000, "\(host): \(growth) bytes")
      }
    }
  }
}
