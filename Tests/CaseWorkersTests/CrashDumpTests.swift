import CaseWorkers
import Foundation
import Glibc
import SocketPOSIX
import Testing

@Suite struct CrashDumpTests {
  private static let output = """
    Fatal error: Index out of range
    signal 4
    frame 401010
    frame 401101
    frame 9000
    maps
    400000-401000 r--p 00000000 fe:01 1 /a/socket lab
    401000-402000 r-xp 00001000 fe:01 1 /a/socket lab
    7000-8000 rw-p 00000000 00:00 0
    end

    """

  @Test func framesAreToldByFileAndAddress() {
    let dump = CrashDump(Self.output.utf8)
    #expect(dump.signal == 4)
    #expect(dump.message == ["Fatal error: Index out of range"])
    // All but the innermost are return addresses: a byte back they are inside the call.
    #expect(
      dump.stacks == [
        CrashDump.Stack(
          thread: nil,
          frames: [
            .init(path: "/a/socket lab", address: 0x1010), .init(path: "/a/socket lab", address: 0x1100),
            .init(path: "", address: 0x8FFF),
          ])
      ])
  }

  @Test func threadsAreToldOneByOne() {
    let dump = CrashDump("signal 3\nthread 12\nframe 10\nframe 20\nthread 13\nthread 14\nframe 30\nmaps\nend\n".utf8)
    #expect(dump.stacks.map(\.thread) == [12, 14])
    #expect(dump.stacks.map(\.frames.count) == [2, 1])
  }

  @Test(arguments: [
    ("fault 7fff0000\nstack 7fff0010", true), ("fault 7ffe8000\nstack 7fff0010", true),
    ("fault 10\nstack 7fff0010", false), ("stack 10", false), ("", false),
  ]) func aStackThatIsUsedUpIsRecognised(_ lines: String, _ isOverflow: Bool) {
    #expect(CrashDump("signal 11\n\(lines)\nframe 1\n".utf8).isStackOverflow == isOverflow)
  }

  @Test(arguments: [
    "", "frame 12\nthread 1\nmaps\nend", "signal x\nsignal 9 9\nframe zz",
    "signal 4\nframe\nmaps\n-\n1-0 r 0 0 0 /x\nend",
    "maps", "signal 4\nmaps\nffffffffffffffff-0 a b c d /e\nframe 1",
  ]) func whateverIsSaidIsText(_ output: String) {
    let dump = CrashDump(output.utf8)
    #expect(dump.stacks.allSatisfy { !$0.frames.isEmpty })
  }

  @Test func muchThatIsSaidIsShortened() {
    let dump = CrashDump((0..<10_000).map { "line \($0)\n" }.joined().utf8)
    #expect(dump.message.count == 40)
    #expect(dump.message.last == "line 9999")
  }
}

/// Real processes that end: each is a child of the test.
@Suite struct CrashSignalsTests {
  private func dump(_ bytes: [UInt8]) -> CrashDump { CrashDump(bytes) }

  @Test func aTrapSaysWhere() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CrashSignals.install()
      let list = [1, 2, 3]
      print(list[Int(getpid())])
    }
    let dump = dump(try #require(result).standardErrorContent)
    #expect(dump.signal == SIGILL || dump.signal == SIGTRAP)
    #expect(dump.message.contains { $0.contains("Index out of range") }, "\(dump.message)")
    #expect((dump.stacks.first?.frames.count ?? 0) > 3)
    #expect(dump.stacks.first?.frames.contains { $0.path.contains("swiftCore") } == true, "\(dump.stacks)")
  }

  @Test func aStackThatIsUsedUpSaysSoOnAnyThread() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CrashSignals.install()
      Thread.detachNewThread {
        SignalStack.install()
        SignalStack.install()
        print(Recursion.descend(1))
      }
      while true { pause() }
    }
    let dump = dump(try #require(result).standardErrorContent)
    #expect(dump.signal == SIGSEGV)
    #expect(dump.isStackOverflow)
    #expect(dump.stacks.first?.frames.count == 64)
  }

  @Test func everyThreadSaysWhereItStands() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      CrashSignals.install()
      for _ in 0..<3 { Thread.detachNewThread { while true { pause() } } }
      // All of them exist by then, wherever they stand.
      while ResourceProbe.read().threads.values.reduce(0, +) < 4 { sched_yield() }
      kill(getpid(), CrashSignals.whereabouts)
      while true { pause() }
    }
    let dump = dump(try #require(result).standardErrorContent)
    #expect(dump.signal == SIGQUIT)
    let said = String(decoding: result?.standardErrorContent.prefix(2_000) ?? [], as: UTF8.self)
    #expect(dump.stacks.count >= 4, "\(said)")
    #expect(Set(dump.stacks.map(\.thread)).count == dump.stacks.count)
  }

  private enum Recursion {
    @inline(never) static func descend(_ count: Int) -> Int {
      count == 0 ? 0 : (descend(count &+ 1) ^ count) &* 31
    }
  }
}
