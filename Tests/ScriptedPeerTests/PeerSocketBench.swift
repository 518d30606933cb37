import Glibc
import ScenarioModel
import SocketPOSIX
import SocketValues

@testable import ScriptedPeer

/// A peer and what it observed.
final class Bench {
  private final class Log { var seen: [PeerObservation] = [] }

  private let log = Log()
  let peer: PeerSocket

  init(receiveBuffer: Int? = nil) {
    peer = PeerSocket(receiveBuffer: receiveBuffer) { [log] in log.seen.append($0) }
  }

  var seen: [PeerObservation] { log.seen }

  var received: [UInt8] {
    seen.flatMap { if case .received(let bytes) = $0 { bytes } else { [UInt8]() } }
  }

  func perform(_ action: PeerAction) { peer.perform(action) }

  /// A client that the listening peer has accepted.
  func connected() throws -> Client {
    try peer.open(at: .loopbackIPv4(port: 0), answer: .listens)
    guard let address = peer.address else { throw SystemCallFailure(call: "open", code: EINVAL) }
    let client = try Client(to: address)
    peer.perform(.accept)
    _ = run(until: .connected)
    return client
  }

  /// Serves for that many nanoseconds; returns how many waits found something.
  @discardableResult
  func run(for nanoseconds: Int64) -> Int {
    let deadline = Instant.now().advanced(by: nanoseconds)
    var waits = 0
    repeat {
      if serve(until: deadline) { waits += 1 }
    } while Instant.now() < deadline
    return waits
  }

  func run(until wanted: PeerObservation, within nanoseconds: Int64 = 2_000_000_000) -> Bool {
    run(count: 1, of: wanted, within: nanoseconds)
  }

  func run(count: Int, of wanted: PeerObservation, within nanoseconds: Int64 = 2_000_000_000) -> Bool {
    let deadline = Instant.now().advanced(by: nanoseconds)
    while seen.filter({ $0 == wanted }).count < count {
      guard Instant.now() < deadline else { return false }
      _ = serve(until: deadline)
    }
    return true
  }

  private func serve(until deadline: Instant) -> Bool {
    var set = ReadinessSet()
    peer.addInterest(to: &set)
    guard set.wait(until: deadline) > 0 else { return false }
    peer.serve()
    return true
  }
}

/// A free address of a family; a local path is removed with this object.
final class Place {
  let address: RawAddress
  private var folder: [CChar]?

  init(_ family: AddressFamily) throws {
    switch family {
    case .ipv4: address = .loopbackIPv4(port: 0)
    case .ipv6: address = .loopbackIPv6(port: 0)
    case .unix:
      var template = Array("/tmp/peer-test-XXXXXX".utf8CString)
      let made = mkdtemp(&template) != nil
      let path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self) + "/peer"
      guard made, let address = RawAddress.unix(path)
      else { throw SystemCallFailure(call: "mkdtemp", code: errno) }
      self.address = address
      folder = template
    }
  }

  deinit {
    guard let folder else { return }
    if let path = address.unixPath { unlink(path) }
    rmdir(folder)
  }
}

/// A raw client, as plain as can be.
final class Client {
  private var keeper: ReservedSocket?

  /// Connects; with `waits` only returns once connected.
  init(to address: RawAddress, waits: Bool = true) throws {
    let keeper = ReservedSocket(try SocketCall.open(family: address.family))
    self.keeper = keeper
    guard try !SocketCall.startConnect(keeper.raw, to: address), waits else { return }
    guard becomesWritable(within: 1_000_000_000) else { throw SystemCallFailure(call: "connect", code: ETIMEDOUT) }
    let error = SocketCall.pendingError(keeper.raw)
    guard error == 0 else { throw SystemCallFailure(call: "connect", code: error) }
  }

  var raw: Int32 { keeper?.raw ?? -1 }

  func becomesWritable(within nanoseconds: Int64) -> Bool {
    var set = ReadinessSet()
    set.add(raw, reading: false, writing: true)
    return set.wait(until: Instant.now().advanced(by: nanoseconds)) > 0
  }

  func send(_ bytes: [UInt8]) { _ = sendSome(bytes) }

  func sendSome(_ bytes: [UInt8]) -> Int {
    if case .bytes(let count) = bytes.withUnsafeBytes({ SocketCall.send(raw, $0) }) { return count }
    return 0
  }

  func receiveSome() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ SocketCall.receive(raw, into: $0) }) else {
      return []
    }
    return Array(buffer[..<count])
  }

  /// Up to `count` bytes, until the stream ends or nothing came for a second.
  func receive(count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var set = ReadinessSet()
      set.add(raw, reading: true, writing: false)
      guard set.wait(until: Instant.now().advanced(by: 1_000_000_000)) > 0 else { break }
      let chunk = receiveSome()
      if chunk.isEmpty { break }
      bytes += chunk
    }
    return bytes
  }

  var hasEnded: Bool { SocketCall.peek(raw) == .endOfStream }

  /// What ends the stream, within a second.
  func waitForEnd() -> IOResult {
    var set = ReadinessSet()
    set.add(raw, reading: true, writing: false)
    set.wait(until: Instant.now().advanced(by: 1_000_000_000))
    return SocketCall.peek(raw)
  }

  func close() { keeper = nil }

  func reset() {
    try? SocketCall.setResetOnClose(raw)
    keeper = nil
  }
}
