import CocoaAsyncSocket
import Dispatch
import Foundation
import FuzzHarness
import Glibc
import SocketPOSIX
import Testing

@testable import SocketFuzzing

/// The lifecycle's body lets the real socket pass, and its oracles can fail.
@Suite(.serialized) struct LifecycleTests {
  typealias Program = LifecycleProgram

  static func program(_ end: Program.End, _ steps: [Program.Step], _ change: (inout Program) -> Void = { _ in })
    -> Program
  {
    var program = Program()
    (program.end, program.steps) = (end, steps)
    change(&program)
    return program
  }

  static let programs = queuePrograms + runLoopPrograms

  /// Of the class on a run loop: moved and taken out of its modes by steps and inside callbacks, with unread bytes.
  private static let runLoopPrograms: [Program] = Program.End.allCases.flatMap { end in
    [
      program(end, []),
      program(end, [.init(.readLength, .one, 30), .init(.peerSends, .two, 20), .init(.perform, .one, 0)]),
      program(end, [.init(.peerSends, .thread, 90), .init(.readLine, .one, 40), .init(.peerHalfCloses, .two)]),
      program(
        end,
        [
          .init(.perform, .thread, 1), .init(.perform, .thread, 2), .init(.read), .init(.peerSends, .one, 50),
          .init(.perform, .one, 3), .init(.writeMuch, .two, 90), .init(.peerReads),
        ]),
      program(end, [.init(.read), .init(.peerSends, .one, 20), .init(.write, .two, 5)]) {
        $0.reactions = [.look, .read, .look]
      },
      program(end, [.init(.readLength, .one, 200), .init(.peerSends, .one, 9), .init(.peerCloses, .two)]) {
        $0.reactions = [.disconnect]
      },
      program(end, [.init(.read), .init(.peerSends, .one, 20), .init(.afterWriting)]) { $0.reactions = [.letGo] },
      program(end, [.init(.becomeOther, .one), .init(.read), .init(.peerSends), .init(.becomeNobody, .two)]),
    ]
  }.map { program in
    var program = program
    program.livesOnRunLoop = true
    return program
  }

  private static let queuePrograms: [Program] = Program.End.allCases.flatMap { end in
    [
      program(end, []),
      program(end, [.init(.read, .one), .init(.peerSends, .thread, 40), .init(.write, .two, 9), .init(.peerReads)]),
      program(end, [.init(.readLength, .one, 30), .init(.peerSends, .two, 200), .init(.readLine, .thread, 90)]) {
        ($0.hasSocketQueue, $0.sharesQueue) = (true, true)
      },
      program(
        end, [.init(.read), .init(.becomeOther, .one), .init(.peerSends, .two, 70), .init(.becomeNobody, .thread)]
      ) {
        $0.hasSocketQueue = true
      },
      program(end, [.init(.read), .init(.peerSends, .one, 20), .init(.write, .two, 5)]) { $0.reactions = [.letGo] },
      program(end, [.init(.read), .init(.peerSends, .one, 20), .init(.peerHalfCloses, .two)]) {
        ($0.staysHalfOpen, $0.reactions) = (true, [.read, .becomeOther, .disconnect])
      },
      program(
        end, [.init(.writeMuch, .one, 255), .init(.afterWriting, .two), .init(.peerReads), .init(.perform, .one)]),
      program(end, [.init(.letGo, .one), .init(.disconnect, .two), .init(.peerCloses), .init(.afterReading, .two)]),
    ]
  }

  @Test(arguments: programs) func passes(_ program: Program) {
    for _ in 0..<5 { #expect(LifecycleFuzzing.check(program) == nil) }
  }

  @Test(arguments: programs) func readsWhatItWrites(_ program: Program) {
    #expect(program.encoded.withUnsafeBytes { Program($0) } == program)
  }

  @Test func anythingIsAProgram() {
    for input in ManyInputs.short.prefix(400) {
      #expect(input.withUnsafeBytes { LifecycleFuzzing.body($0) } == nil, "\(input)")
    }
  }

  /// A witness that is called wrongly says so.
  @Test func tellsWrongCalls() {
    let socket = GCDAsyncSocket()
    func law(_ isHome: Bool, _ call: (LifecycleObserver) -> Void) -> String? {
      let log = LockedValue(LifecycleLog())
      let witness = LifecycleObserver(0, log: log) { _, _ in }
      let queue = DispatchQueue(label: "home")
      queue.setSpecific(key: LifecycleRun.queueKey, value: isHome ? 0 : 1)
      queue.sync { call(witness) }
      return log.withLock { $0.violation?.invariant }
    }
    func tag(_ turn: Int) -> Int { LifecycleTag.make(1, turn: turn, count: 3) }
    #expect(law(true) { $0.socketDidDisconnect(socket, withError: nil) } == nil)
    #expect(law(false) { $0.socketDidDisconnect(socket, withError: nil) } == "lifecycle/queue")
    let twice = law(true) { witness in
      witness.socketDidDisconnect(socket, withError: nil)
      witness.socketDidDisconnect(socket, withError: nil)
    }
    #expect(twice == "lifecycle/once")
    let late = law(true) { witness in
      witness.socketDidDisconnect(socket, withError: nil)
      witness.socket(socket, didWriteDataWithTag: tag(1))
    }
    #expect(late == "lifecycle/once")
    let overtaken = law(true) { witness in
      witness.socket(socket, didRead: Data([1]), withTag: tag(2))
      witness.socket(socket, didRead: Data([2]), withTag: tag(1))
    }
    #expect(overtaken == "lifecycle/turn")
    #expect(law(true) { $0.socket(socket, didRead: Data([250, 0, 1]), withTag: tag(1)) } == nil)
    #expect(law(true) { $0.socket(socket, didRead: Data([1, 3]), withTag: tag(1)) } == "lifecycle/data")
  }

  /// A peer that gets or gave something else says so.
  @Test func tellsWrongBytes() throws {
    func judge(_ wire: [UInt8], offered: Int, read: [UInt8]?, written: Int?) throws -> String? {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      let peer = LifecyclePeer(ends[1])
      _ = peer.bytes(offered, of: 1)
      peer.send(5)
      if !wire.isEmpty { #expect(send(ends[0], wire, wire.count, 0) == wire.count) }
      peer.close()
      close(ends[0])
      return peer.judge(read: read, written: written.map { [0, $0, 0, 0, 0] })?.invariant
    }
    let right: [UInt8] = [0x40, 0x41, 0x42]
    #expect(try judge(right, offered: 3, read: [0, 1, 2], written: 3) == nil)
    #expect(try judge([0x40, 0x42], offered: 3, read: nil, written: nil) == "lifecycle/data")
    #expect(try judge([0x40, 0x40], offered: 3, read: nil, written: nil) == "lifecycle/data")
    #expect(try judge(right, offered: 2, read: nil, written: nil) == "lifecycle/data")
    #expect(try judge(right, offered: 4, read: nil, written: 4) == "lifecycle/data")
    #expect(try judge(right, offered: 3, read: [1, 2], written: nil) == "lifecycle/data")
    #expect(try judge(right, offered: 3, read: [0, 1, 2, 3, 4, 5], written: nil) == "lifecycle/data")
  }
}
