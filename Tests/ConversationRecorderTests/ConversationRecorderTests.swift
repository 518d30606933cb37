import Conversations
import Foundation
import Glibc
import SocketPOSIX
import SocketValues
import Testing

@testable import ConversationRecorder

/// The recorder over the kernel, between two sockets of the test's.
@Suite struct ConversationRecorderTests {
  /// A server's listener, the recorder in front of it, and what it gives out.
  private final class Stage {
    let recorder: ConversationRecorder
    let listener: Descriptor
    private(set) var client: Descriptor
    private(set) var given: [Conversation] = []

    init(most: Int = .max) throws {
      let listener = try SocketCall.open(family: AF_INET)
      try SocketCall.bind(listener.rawValue, to: .loopbackIPv4(port: 0))
      try SocketCall.listen(listener.rawValue, backlog: 8)
      let server = try #require(SocketCall.localAddress(listener.rawValue))
      recorder = try ConversationRecorder(at: .loopbackIPv4(port: 0), to: server, most: most) { "port \($0.port)" }
      self.listener = listener
      client = try SocketCall.open(family: AF_INET)
      _ = try SocketCall.startConnect(client.rawValue, to: recorder.address)
    }

    func turn() throws { try recorder.turn(limit: .milliseconds(10)) { given.append($0.conversation) } }

    /// Closes the client.
    func hangUp() { client = Descriptor(adopting: -1) }

    func end() { recorder.end { given.append($0.conversation) } }

    func server() throws -> Descriptor {
      for _ in 0..<500 {
        try turn()
        if let accepted = try SocketCall.accept(listener.rawValue) { return accepted.takeDescriptor() }
      }
      throw SystemCallFailure(call: "accept", code: ETIMEDOUT)
    }

    /// Sends all of it, and has the other end take it.
    func carry(_ bytes: [UInt8], from source: Int32, to target: Int32) throws -> [UInt8] {
      var (sent, got) = (0, [UInt8]())
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      for _ in 0..<100_000 where got.count < bytes.count {
        let result = bytes[sent...].withUnsafeBytes { SocketCall.send(source, $0) }
        if case .bytes(let count) = result { sent += count }
        try turn()
        if case .bytes(let count) = SocketCall.receive(target, into: buffer) { got += buffer[..<count] }
      }
      return got
    }

    /// So many bytes that come to the descriptor.
    func take(_ count: Int, from descriptor: Int32) throws -> [UInt8] {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      var got: [UInt8] = []
      for _ in 0..<500 where got.count < count {
        try turn()
        if case .bytes(let count) = SocketCall.receive(descriptor, into: buffer) { got += buffer[..<count] }
      }
      return got
    }

    func result(of descriptor: Int32) throws -> IOResult? {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
      defer { buffer.deallocate() }
      for _ in 0..<500 {
        try turn()
        let result = SocketCall.receive(descriptor, into: buffer)
        if result != .wouldBlock { return result }
      }
      return nil
    }
  }

  private static func acts(_ conversation: Conversation?) -> [String] {
    (conversation?.events ?? []).map { event in
      switch event.act {
      case .bytes(let bytes): "\(event.side) \(String(decoding: bytes, as: UTF8.self))"
      default: "\(event.side) \(event.act)"
      }
    }
  }

  /// Address space of the process, in bytes.
  private static func addressSpace() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(text.split(separator: " ").first.flatMap { Int($0) }) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  @Test func aRecorderThatCanNotListenKeepsNoMemory() throws {
    let listener = try SocketCall.open(family: AF_INET)
    try SocketCall.bind(listener.rawValue, to: .loopbackIPv4(port: 0))
    try SocketCall.listen(listener.rawValue, backlog: 8)
    let taken = try #require(SocketCall.localAddress(listener.rawValue))
    let before = try Self.addressSpace()
    for _ in 0..<4_000 {
      #expect(throws: SystemCallFailure.self) { try ConversationRecorder(at: taken, to: taken) { _ in "" } }
    }
    // A buffer of each would be 4 GB; other tests begin meanwhile, and have threads with their stacks.
    #expect(try Self.addressSpace() - before < 2 << 30)
  }

  @Test("what is said goes on unchanged, and stands in the conversation, half-close included")
  func conversation() throws {
    let stage = try Stage()
    let server = try stage.server()
    let (hello, world) = (Array("hello".utf8), Array("world".utf8))
    #expect(try stage.carry(hello, from: stage.client.rawValue, to: server.rawValue) == hello)
    _ = SocketCall.shutdown(stage.client.rawValue, .write)
    #expect(try stage.result(of: server.rawValue) == .endOfStream)
    #expect(try stage.carry(world, from: server.rawValue, to: stage.client.rawValue) == world)
    server.close()
    #expect(try stage.result(of: stage.client.rawValue) == .endOfStream)
    for _ in 0..<100 where stage.given.isEmpty { try stage.turn() }
    #expect(Self.acts(stage.given.first) == ["client hello", "client finish", "server world", "server finish"])
  }

  /// Both wait before the recorder looks for them.
  @Test func noMoreAreLetInThanAreWanted() throws {
    let stage = try Stage()
    let second = try SocketCall.open(family: AF_INET)
    _ = try SocketCall.startConnect(second.rawValue, to: stage.recorder.address)
    for _ in 0..<500 where stage.recorder.open == 0 {
      try stage.recorder.turn(limit: .milliseconds(10), accepting: 1) { _ in }
    }
    #expect(stage.recorder.open == 1)
    for _ in 0..<5 { try stage.recorder.turn(limit: .milliseconds(1), accepting: 0) { _ in } }
    #expect(stage.recorder.open == 1)
    for _ in 0..<500 where stage.recorder.open == 1 { try stage.turn() }
    #expect(stage.recorder.open == 2)
    // Open up to here.
    _ = second.rawValue
  }

  @Test(
    "a server that is the recorder itself is known, also behind an address that stands for all",
    arguments: [
      ("127.0.0.1:7", "127.0.0.1:7", true), ("0.0.0.0:7", "127.0.0.1:7", true), ("[::]:7", "[::1]:7", true),
      ("[::]:7", "127.0.0.1:7", true), ("0.0.0.0:7", "127.8.8.8:7", true), ("0.0.0.0:7", "0.0.0.0:7", true),
      ("127.0.0.1:7", "0.0.0.0:7", true), ("127.0.0.1:7", "[::ffff:127.0.0.1]:7", true),
      ("0.0.0.0:7", "127.0.0.1:8", false), ("0.0.0.0:7", "[::1]:7", false), ("0.0.0.0:7", "192.0.2.1:7", false),
      ("127.0.0.1:7", "127.0.0.2:7", false), ("0.0.0.0:0", "127.0.0.1:0", false),
    ] as [(String, String, Bool)])
  func itself(_ row: (here: String, server: String, isItself: Bool)) throws {
    let here = RawAddress(try #require(SocketAddress(numeric: row.here)))
    let server = RawAddress(try #require(SocketAddress(numeric: row.server)))
    #expect(ConversationRecorder.reachesItself(at: here, to: server) == row.isItself)
  }

  @Test func pathsAreTheSameOnlyByName() throws {
    let (one, other) = (try #require(RawAddress.unix("/tmp/one")), try #require(RawAddress.unix("/tmp/other")))
    #expect(ConversationRecorder.reachesItself(at: one, to: one))
    #expect(!ConversationRecorder.reachesItself(at: one, to: other))
    #expect(!ConversationRecorder.reachesItself(at: one, to: .loopbackIPv4(port: 7)))
  }

  @Test("a reset goes on as a reset")
  func reset() throws {
    let stage = try Stage()
    let server = try stage.server()
    #expect(try stage.carry([1], from: stage.client.rawValue, to: server.rawValue) == [1])
    try SocketCall.setResetOnClose(server.rawValue)
    server.close()
    #expect(try stage.result(of: stage.client.rawValue) == .failed(ECONNRESET))
    #expect(stage.given.first?.events.last?.act == .reset)
    #expect(stage.given.first?.events.last?.side == .server)
  }

  @Test("more than sockets hold goes on whole, and what is open at the end is kept")
  func bulk() throws {
    let stage = try Stage()
    let server = try stage.server()
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let got = try stage.carry(bytes, from: stage.client.rawValue, to: server.rawValue)
    #expect(got == bytes)
    #expect(stage.given.isEmpty)
    stage.end()
    #expect(stage.given.first?.count(of: .client) == bytes.count)
    #expect(stage.given.first?.firstEnd == nil)
  }

  @Test("a server that nobody is at is a refused connection")
  func refused() throws {
    let gone = try SocketCall.open(family: AF_INET)
    try SocketCall.bind(gone.rawValue, to: .loopbackIPv4(port: 0))
    let address = try #require(SocketCall.localAddress(gone.rawValue))
    let recorder = try ConversationRecorder(at: .loopbackIPv4(port: 0), to: address) { _ in "somebody" }
    let client = try SocketCall.open(family: AF_INET)
    _ = try SocketCall.startConnect(client.rawValue, to: recorder.address)
    var given: [Conversation] = []
    for _ in 0..<500 where given.isEmpty {
      try recorder.turn(limit: .milliseconds(10)) { given.append($0.conversation) }
    }
    #expect(given.map(\.opening) == [.refused])
  }

  @Test("a client that is gone after its end is a reset, and nothing more is taken from the server")
  func gone() throws {
    let stage = try Stage()
    let server = try stage.server()
    _ = SocketCall.shutdown(stage.client.rawValue, .write)
    #expect(try stage.result(of: server.rawValue) == .endOfStream)
    try SocketCall.setResetOnClose(stage.client.rawValue)
    stage.hangUp()
    var outcome = IOResult.wouldBlock
    for _ in 0..<500 where stage.given.isEmpty {
      outcome = [1].withUnsafeBytes { SocketCall.send(server.rawValue, $0) }
      try stage.turn()
    }
    #expect(outcome == .bytes(8))
    #expect(stage.given.first?.events.last?.act == .reset)
    #expect(stage.given.first?.events.last?.side == .client)
  }

  @Test("a path where no server listens is a refused connection")
  func refusedPath() throws {
    let here = try #require(RawAddress.unix("/tmp/recorder-\(getpid()).socket"))
    let nowhere = try #require(RawAddress.unix("/tmp/recorder-\(getpid()).nothing"))
    defer { unlink("/tmp/recorder-\(getpid()).socket") }
    let recorder = try ConversationRecorder(at: here, to: nowhere) { _ in "somebody" }
    let client = try SocketCall.open(family: AF_UNIX)
    _ = try SocketCall.startConnect(client.rawValue, to: here)
    var given: [Conversation] = []
    for _ in 0..<500 where given.isEmpty {
      try recorder.turn(limit: .milliseconds(10)) { given.append($0.conversation) }
    }
    #expect(given.map(\.opening) == [.refused])
  }

  /// Has the client send until nothing more goes: how much went.
  private func fill(_ stage: Stage) throws -> Int {
    let block = [UInt8](repeating: 7, count: 1 << 16)
    var (sent, stalls) = (0, 0)
    while stalls < 50 {
      if case .bytes(let count) = block.withUnsafeBytes({ SocketCall.send(stage.client.rawValue, $0) }) {
        (sent, stalls) = (sent + count, 0)
      } else {
        stalls += 1
      }
      try stage.turn()
    }
    return sent
  }

  @Test("a reset goes on while the other side takes nothing, and what had arrived before is written down")
  func resetBehindBackPressure() throws {
    let stage = try Stage()
    let server = try stage.server()
    _ = try fill(stage)
    try SocketCall.setResetOnClose(stage.client.rawValue)
    stage.hangUp()
    for _ in 0..<500 where stage.given.isEmpty { try stage.turn() }
    let conversation = try #require(stage.given.first)
    #expect(conversation.events.last?.act == .reset && conversation.events.last?.side == .client)
    #expect(!conversation.events.contains { $0.act == .finish })
    var outcome = IOResult.wouldBlock
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { buffer.deallocate() }
    var taken = 0
    for _ in 0..<10_000 {
      outcome = SocketCall.receive(server.rawValue, into: buffer)
      guard case .bytes(let count) = outcome else { break }
      taken += count
    }
    #expect(outcome == .failed(ECONNRESET))
    #expect(conversation.count(of: .client) > taken)
  }

  /// All that has come to the descriptor, and how it ended.
  private static func rest(of descriptor: Int32) -> (count: Int, end: IOResult) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { buffer.deallocate() }
    var count = 0
    while true {
      let result = SocketCall.receive(descriptor, into: buffer)
      guard case .bytes(let more) = result else { return (count, result) }
      count += more
    }
  }

  @Test("what has arrived when the recording ends is written down, the end of the stream included")
  func endBehindBackPressure() throws {
    let stage = try Stage()
    let server = try stage.server()
    let sent = try fill(stage)
    _ = SocketCall.shutdown(stage.client.rawValue, .write)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    // Until all of it has come to the recorder.
    for _ in 0..<10_000 where SocketCall.outgoingQueueCount(stage.client.rawValue) != 0 {
      _ = SocketCall.receive(server.rawValue, into: buffer)
      try stage.turn()
    }
    #expect(SocketCall.outgoingQueueCount(stage.client.rawValue) == 0)
    stage.end()
    let conversation = try #require(stage.given.first)
    #expect(conversation.events.last?.act == .finish)
    #expect(conversation.count(of: .client) == sent)
    server.close()
  }

  @Test("what was written down and not passed on when the recording ends is told")
  func heldBack() throws {
    let stage = try Stage()
    let server = try stage.server()
    let sent = try fill(stage)
    stage.end()
    let conversation = try #require(stage.given.first)
    #expect(conversation.count(of: .client) <= sent && conversation.firstEnd == nil)
    let words = "The recording ended before the server had got the client's last bytes: "
    let note = try #require(conversation.notes.first { $0.hasPrefix(words) }, "\(conversation.notes)")
    let lost = try #require(Int(note.dropFirst(words.count).dropLast()))
    let (count, end) = Self.rest(of: server.rawValue)
    #expect(end == .failed(ECONNRESET))
    #expect(count + lost == conversation.count(of: .client))
  }

  @Test("no more is taken than is wanted, and what was taken comes to the other side")
  func size() throws {
    // As much as a socket takes that nobody reads from.
    let most = 40_000
    let stage = try Stage(most: most)
    let server = try stage.server()
    let block = [UInt8](repeating: 7, count: 1 << 16)
    for _ in 0..<2_000 where stage.recorder.count < most {
      _ = block.withUnsafeBytes { SocketCall.send(server.rawValue, $0) }
      try stage.turn()
    }
    // More is there, and stays there.
    _ = block.withUnsafeBytes { SocketCall.send(server.rawValue, $0) }
    for _ in 0..<5 { try stage.turn() }
    stage.end()
    let conversation = try #require(stage.given.first)
    #expect(stage.recorder.count == most && conversation.count(of: .server) == most)
    #expect(conversation.firstEnd == nil && conversation.notes.isEmpty, "\(conversation.notes)")
    let (count, end) = Self.rest(of: stage.client.rawValue)
    #expect(count == most && end == .failed(ECONNRESET))
    #expect(try stage.result(of: server.rawValue) == .failed(ECONNRESET))
  }

  @Test("a connection that is broken off ends for both with a reset, which is nobody's in the conversation")
  func brokenOff() throws {
    let stage = try Stage()
    let server = try stage.server()
    let half = Array("half of it".utf8)
    #expect(try stage.carry(half, from: stage.client.rawValue, to: server.rawValue) == half)
    stage.end()
    #expect(try stage.result(of: server.rawValue) == .failed(ECONNRESET))
    #expect(try stage.result(of: stage.client.rawValue) == .failed(ECONNRESET))
    #expect(Self.acts(stage.given.first) == ["client half of it"])
    #expect(stage.given.first?.notes.isEmpty == true)
  }

  @Test("an urgent byte goes on as one, in its place, also when nothing follows")
  func urgent() throws {
    let stage = try Stage()
    let server = try stage.server()
    var isOn: Int32 = 1
    setsockopt(server.rawValue, SOL_SOCKET, SO_OOBINLINE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    let client = stage.client.rawValue
    _ = Array("abc".utf8).withUnsafeBytes { SocketCall.send(client, $0) }
    #expect(SocketCall.sendUrgent(client, UInt8(ascii: "X")) == .bytes(1))
    #expect(try stage.take(3, from: server.rawValue) == Array("abc".utf8))
    for _ in 0..<500 where SocketCall.peek(server.rawValue) == .wouldBlock { try stage.turn() }
    #expect(sockatmark(server.rawValue) == 1)
    #expect(try stage.take(1, from: server.rawValue) == Array("X".utf8))
    let rest = Array("def".utf8)
    #expect(try stage.carry(rest, from: client, to: server.rawValue) == rest)
    stage.end()
    #expect(Self.acts(stage.given.first) == ["client abc", "client urgent(88)", "client def"])
  }

  @Test("a path that nobody listens at any more is taken over, one that somebody listens at is not; it goes at the end")
  func paths() throws {
    let path = "/tmp/recorder-\(getpid()).again"
    let (here, nowhere) = (try #require(RawAddress.unix(path)), RawAddress.loopbackIPv4(port: 1))
    defer { unlink(path) }
    do {
      let left = try SocketCall.open(family: AF_UNIX)
      try SocketCall.bind(left.rawValue, to: here)
      try SocketCall.listen(left.rawValue, backlog: 1)
      #expect(throws: SystemCallFailure.self) { try ConversationRecorder(at: here, to: nowhere) { _ in "" } }
    }
    #expect(access(path, F_OK) == 0)
    do { withExtendedLifetime(try ConversationRecorder(at: here, to: nowhere) { _ in "" }) {} }
    #expect(access(path, F_OK) != 0)
  }
}
