import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestCertificates
import TestSupport
import Testing

/// What secured connections hold while nothing goes on, measured in bytes allocated, in a process of its own.
@Suite struct SecureMemoryTests {
  /// Everybody's delegate: keeps what was accepted and counts what happened.
  final class Crowd: GCDAsyncSocketDelegate, Sendable {
    struct State {
      var accepted: [GCDAsyncSocket] = []
      var secured = 0
      var read = 0
      var written = 0
    }
    let state = LockedValue(State())
    let settings: SecureConnectionTests.SettingsBox

    init(_ settings: [String: NSObject]) { self.settings = .init(settings) }

    func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
      state.withLock { $0.accepted.append(newSocket) }
      newSocket.startTLS(settings.dictionary)
    }

    func socketDidSecure(_ sock: GCDAsyncSocket) { state.withLock { $0.secured += 1 } }
    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) { state.withLock { $0.read += 1 } }
    func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { state.withLock { $0.written += 1 } }
  }

  struct Scene {
    let crowd: Crowd
    let queue = DispatchQueue(label: "crowd")
    let listener: GCDAsyncSocket
    var clients: [GCDAsyncSocket] = []

    init() throws {
      crowd = Crowd(try SecureConnectionTests.server())
      listener = GCDAsyncSocket(delegate: crowd, delegateQueue: queue)
      try listener.accept(onInterface: "127.0.0.1", port: 0)
    }

    var accepted: [GCDAsyncSocket] { crowd.state.withLock { $0.accepted } }

    /// Adds secured pairs.
    mutating func add(_ count: Int) throws {
      let settings = try SecureConnectionTests.client()
      for _ in 0..<count {
        let client = GCDAsyncSocket(delegate: crowd, delegateQueue: queue)
        try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
        client.startTLS(settings)
        clients.append(client)
      }
      let all = clients.count * 2
      try eventually("\(all) are secured", limit: 60) { crowd.state.withLock { $0.secured } == all }
    }

    /// Sends so much over each connection, both ways, one after the other.
    func exchange(_ bytes: Int) throws {
      let data = Data(count: bytes)
      let accepted = Dictionary(accepted.map { ($0.connectedPort, $0) }) { $1 }
      for client in clients {
        let server = try #require(accepted[client.localPort])
        for (from, to) in [(client, server), (server, client)] {
          let (read, written) = crowd.state.withLock { ($0.read, $0.written) }
          to.readData(toLength: UInt(bytes), withTimeout: -1, tag: 1)
          from.write(data, withTimeout: -1, tag: 2)
          try eventually("it has arrived", limit: 60) {
            crowd.state.withLock { $0.read > read && $0.written > written }
          }
        }
      }
    }
  }

  static func settle(at most: Int, each count: Int, above base: Int, _ what: String) throws {
    var each = 0
    do {
      try eventually("\(what): at most \(most) bytes each", limit: 20) {
        each = ((ProcessFacts.allocatedBytes() ?? .max) - base) / count
        return each <= most
      }
    } catch {
      Issue.record("\(what): \(each) bytes each")
    }
  }

  /// Both ends of a connection with their sockets: OpenSSL's objects, and the server's certificates at the client. What
  /// a single buffer of 64 KiB would break.
  static let pair = 52 << 10

  @Test(
    "an idle secured connection holds what OpenSSL needs, before and after a burst",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func idle() async {
    await #expect(processExitsWith: .success) {
      var scene = try Scene()
      try scene.add(4)
      try scene.exchange(1 << 20)
      let base = try #require(ProcessFacts.allocatedBytes())
      try scene.add(60)
      try Self.settle(at: Self.pair, each: 60, above: base, "fresh")
      try scene.exchange(1 << 20)
      try Self.settle(at: Self.pair, each: 60, above: base, "after 1 MiB each way")
      withExtendedLifetime(scene) {}
    }
  }

  @Test(
    "a client that never begins its handshake costs little",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func silent() async {
    await #expect(processExitsWith: .success) {
      var scene = try Scene()
      try scene.add(4)
      let base = try #require(ProcessFacts.allocatedBytes())
      let peers = try (0..<100).map { _ in try RawPeer.connect(port: scene.listener.localPort) }
      try eventually("all are accepted") { scene.accepted.count == 104 }
      try Self.settle(at: 16 << 10, each: 100, above: base, "silent")
      withExtendedLifetime((scene, peers)) {}
    }
  }

  @Test(
    "certificates and identities that are read and let go leave no memory behind",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func material() async {
    await #expect(processExitsWith: .success) {
      let identity = try TestPKI.shared.identity(.leaf)
      let (chain, key) = (Data(identity.chain), Data(identity.key))
      let der = try SecCertificate(data: chain).data
      let readings: [(name: String, read: () throws -> Void)] = [
        ("PEM", { _ = try SecCertificate.certificates(chain) }),
        ("DER", { _ = try SecCertificate(data: der) }),
        ("no certificate", { _ = try? SecCertificate(data: der.dropLast()) }),
        ("identity", { _ = try SecIdentity(pem: chain, key: key) }),
        ("settings", { _ = try TLSSettings(try SecureConnectionTests.server()).engineSettings() }),
      ]
      for (name, read) in readings {
        for _ in 0..<50 { try read() }
        let base = try #require(ProcessFacts.allocatedBytes())
        for _ in 0..<500 { try read() }
        let growth = try #require(ProcessFacts.allocatedBytes()) - base
        // A certificate is a kilobyte and more.
        #expect(growth < 100_000, "\(name): \(growth) bytes")
      }
    }
  }
}
