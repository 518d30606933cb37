import Foundation
import Glibc
import SocketPOSIX
import Testing

@testable import NetworkNamespaces

/// A thread that nobody else ever gets, so that it can stay in another network.
private enum OwnThread {
  static let canMakeNetworks = run { (try? NetworkNamespace.enterNew()) != nil }

  static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
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
}

/// Needs the right to make networks, which a process of many threads has as root only.
@Suite(.enabled(if: OwnThread.canMakeNetworks, "this process may not make a network of its own"))
struct NetworkNamespaceTests {
  /// Empty when the system does not tell.
  private static func names() -> [String] { ((try? NetworkInterfaces.all()) ?? []).map(\.name) }

  @Test func aNewNetworkHasNothingButItsLoopback() throws {
    let before = Self.names()
    let seen = OwnThread.run { () -> [String] in
      guard (try? NetworkNamespace.enterNew()) != nil else { return [] }
      return Self.names()
    }
    #expect(Set(seen) == ["lo"])
    #expect(Self.names() == before)
  }

  /// An interface, its addresses of both families, and what becomes of them.
  @Test func interfacesAreMadeAndGo() throws {
    let story = OwnThread.run { () -> [[String]] in
      do {
        _ = try NetworkNamespace.enterNew()
        var story: [[String]] = []
        func note() {
          story.append(Self.names().filter { $0 == "lab0" })
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

  /// The kernel's own route to an address of IPv6 comes later than the address: what comes in between would be lost. Of
  /// two interfaces with one link-local address each has its own.
  @Test func anAddressIsHeardAsSoonAsItIsThere() {
    let story = OwnThread.run { () -> [String] in
      do {
        _ = try NetworkNamespace.enterNew()
        var story: [String] = []
        var tunnels: [TunnelInterface] = []
        for number in 0..<40 {
          let name = "lab\(number)"
          let bytes: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
          let address = RawAddress(bytes: [10, 0, 0, 0, 0, 0, 0, 0] + bytes + [0, 0, 0, 0])!
          tunnels.append(try TunnelInterface(name: name))
          let index = NetworkInterfaces.index(of: name)!
          try InterfaceCall.setUp(name, true)
          if try RouteMessage.isLocal(bytes, from: index) { story.append("\(name) hears too early") }
          try InterfaceCall.setAddress(name, address, prefix: 64, isThere: true)
          if try !RouteMessage.isLocal(bytes, from: index) { story.append("\(name) is deaf") }
          try InterfaceCall.setUp(name, false)
          // Nothing is waited for.
          try? InterfaceCall.setAddress(name, address, prefix: 64, isThere: true)
        }
        withExtendedLifetime(tunnels) {}
        return story
      } catch { return ["\(error)"] }
    }
    #expect(story.isEmpty, "\(story)")
  }

  /// The kernel tells of a route before it finds it, one time in thousands.
  @Test func aRouteIsLookedForAgainWithoutNews() throws {
    var (answers, story) = ([false, false, false, true], [String]())
    try RouteWatch.wait(
      until: {
        story.append("look")
        return answers.removeFirst()
      }, isOver: { false }, hear: { story.append("hear") })
    #expect(story == ["look", "hear", "look", "hear", "look", "hear", "look"])
    let failure = #expect(throws: SystemCallFailure.self) {
      try RouteWatch.wait(until: { false }, isOver: { true }, hear: {})
    }
    #expect(failure?.code == ETIMEDOUT)
  }

  /// Nothing happens in a network of its own: whoever listens there comes back all the same.
  @Test func silenceEndsAWaitForNews() {
    let story = OwnThread.run { () -> [String] in
      do throws(SystemCallFailure) {
        _ = try NetworkNamespace.enterNew()
        let watch = try RouteWatch()
        // It is never local, and each look is followed by a wait for news.
        var looks = 0
        try watch.awaitRoute { () throws(SystemCallFailure) in
          looks += 1
          return looks == 3
        }
        return ["\(looks)"]
      } catch { return ["\(error)"] }
    }
    #expect(story == ["3"])
  }

  @Test func aThreadFindsBack() {
    let story = OwnThread.run { () -> [String] in
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
    let failure = OwnThread.run { () -> SystemCallFailure? in
      do throws(SystemCallFailure) {
        _ = try NetworkNamespace.enterNew()
        try InterfaceCall.setUp("nothing", true)
        return nil
      } catch { return error }
    }
    #expect(failure == SystemCallFailure(call: "SIOCGIFFLAGS nothing", code: ENODEV))
  }
}
