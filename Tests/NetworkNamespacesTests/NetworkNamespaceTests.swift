import Foundation
import Glibc
import SocketPOSIX
import Testing

@testable import NetworkNamespaces

/// Needs the right to make networks, which a process of many threads has as root only.
@Suite(.enabled(if: NetworkNamespaceTests.canMake, "this process may not make a network of its own"))
struct NetworkNamespaceTests {
  static let canMake = onThread { (try? NetworkNamespace.enterNew()) != nil }

  /// Runs the body on a thread of its own, which no other test ever gets.
  private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let result = LockedValue<Result?>(nil)
    let thread = Thread {
      let value = body()
      result.withLock { $0 = value }
      done.signal()
    }
    thread.start()
    done.wait()
    return result.withLock { $0! }
  }

  private static func names() -> [String] { NetworkInterfaces.all().map(\.name) }

  @Test func aNewNetworkHasNothingButItsLoopback() throws {
    let before = Self.names()
    let seen = Self.onThread { () -> [String] in
      guard (try? NetworkNamespace.enterNew()) != nil else { return [] }
      return Self.names()
    }
    #expect(Set(seen) == ["lo"])
    #expect(Self.names() == before)
  }

  /// An interface, its addresses of both families, and what becomes of them.
  @Test func interfacesAreMadeAndGo() throws {
    let story = Self.onThread { () -> [[String]] in
      do {
        _ = try NetworkNamespace.enterNew()
        var story: [[String]] = []
        func note() {
          story.append(NetworkInterfaces.all().filter { $0.name == "lab0" }.map { $0.address.description })
        }
        do {
          let tunnel = try TunnelInterface(name: "lab0")
          try InterfaceCall.setMTU("lab0", 1_400)
          try InterfaceCall.setUp("lab0", true)
          let four = RawAddress(bytes: [2, 0, 0, 0, 10, 77, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])!
          let six = RawAddress(
            bytes: [10, 0, 0, 0, 0, 0, 0, 0, 0xFD, 0x77] + [UInt8](repeating: 0, count: 13) + [1, 0, 0, 0, 0])!
          try InterfaceCall.setAddress("lab0", four, prefix: 24, isThere: true)
          try InterfaceCall.setAddress("lab0", six, prefix: 64, isThere: true)
          note()
          try InterfaceCall.setAddress("lab0", four, prefix: 24, isThere: false)
          note()
          withExtendedLifetime(tunnel.rawValue) {}
        }
        note()
        return story
      } catch { return [["\(error)"]] }
    }
    #expect(story.count == 3, "\(story)")
    #expect(story.map(\.count) == [2, 1, 0], "\(story)")
  }

  @Test func aThreadFindsBack() {
    let story = Self.onThread { () -> [String] in
      do {
        let own = try NetworkNamespace.enterNew()
        let other = try NetworkNamespace.makeBeside(own)
        func mark(_ name: String) throws -> String { NetworkInterfaces.index(of: name) == nil ? "-" : name }
        let tunnel = try other.run(backTo: own) { try TunnelInterface(name: "there") }
        let inside = try other.run(backTo: own) { try mark("there") }
        let outside = try mark("there")
        withExtendedLifetime(tunnel.rawValue) {}
        return [inside, outside]
      } catch { return ["\(error)"] }
    }
    #expect(story == ["there", "-"])
  }

  @Test func whatTheKernelRefusesIsSaid() {
    let failure = Self.onThread { () -> SystemCallFailure? in
      do throws(SystemCallFailure) {
        _ = try NetworkNamespace.enterNew()
        try InterfaceCall.setUp("nothing", true)
        return nil
      } catch { return error }
    }
    #expect(failure == SystemCallFailure(call: "SIOCGIFFLAGS nothing", code: ENODEV))
  }
}
