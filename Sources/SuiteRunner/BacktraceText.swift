import CaseWorkers
import Foundation
import Glibc
import HostTools
import Synchronization

/// A dump in words: functions and places, as far as the toolchain's symbolizer knows them.
enum BacktraceText {
  private static let maxFrames = 40
  /// Frames of each thread, of a process that was asked where its threads are.
  private static let maxFramesOfMany = 12
  private static let maxThreads = 64

  /// The last output of the process, then the stack of the thread that ended it, or of all.
  static func lines(_ dump: CrashDump) -> [String] {
    var lines = dump.message
    let isSingle = dump.stacks.count == 1
    let most = isSingle ? maxFrames : maxFramesOfMany
    let stacks = dump.stacks.prefix(maxThreads).map { stack in
      CrashDump.Stack(thread: stack.thread, frames: Array(stack.frames.prefix(most)))
    }
    let names = Symbolizer.names(of: Set(stacks.flatMap(\.frames)))
    for stack in stacks {
      if let thread = stack.thread { lines.append("thread \(thread)") }
      for (depth, frame) in stack.frames.enumerated() {
        lines.append("\(depth)  \(names[frame]?.text ?? Symbolizer.bare(frame))")
      }
    }
    if dump.stacks.count > maxThreads { lines.append("… and \(dump.stacks.count - maxThreads) more threads") }
    return lines
  }

  /// The innermost place of a thread in code that was compiled here; nil when none is known. Of several threads, that
  /// of the one with the fewest system frames above it.
  static func place(_ dump: CrashDump) -> String? {
    let stacks = dump.stacks.prefix(maxThreads).map { Array($0.frames.prefix(maxFrames)) }
    let names = Symbolizer.names(of: Set(stacks.joined()))
    let places = stacks.compactMap { frames -> (depth: Int, text: String)? in
      let depth = frames.firstIndex { names[$0]?.isOurs ?? false }
      return depth.flatMap { depth in names[frames[depth]].map { (depth, $0.text) } }
    }
    return places.min { $0.depth < $1.depth }?.text
  }
}

/// Finds the functions that addresses lie in, with the toolchain's `llvm-symbolizer`.
enum Symbolizer {
  struct Name: Sendable {
    var function: String
    /// `Sources/Room/File.swift:12`; nil: unknown.
    var place: String?
    var isOurs: Bool { place?.hasPrefix("Sources/") ?? false }
    var text: String { place.map { "\(function) at \($0)" } ?? function }
  }

  /// `file+0x1234`, for what has no name.
  static func bare(_ frame: CrashDump.Frame) -> String {
    let file = frame.path.split(separator: "/").last.map(String.init) ?? "?"
    return "\(file)+0x\(String(frame.address, radix: 16))"
  }

  /// The tool's answers; nil for addresses that it does not know. Cached because starting the tool costs more than its
  /// answers, and the same addresses come again: for a dump's lines and its place, and when a case ends another worker.
  private static let answers = Mutex<[CrashDump.Frame: Name?]>([:])

  /// Empty without the tool. An inlined function has its own name.
  static func names(of frames: Set<CrashDump.Frame>) -> [CrashDump.Frame: Name] {
    let unknown = answers.withLock { answers in frames.filter { answers[$0] == nil } }
    let new = ask(about: unknown)
    return answers.withLock { answers in
      for frame in unknown { answers.updateValue(new[frame], forKey: frame) }
      return answers.filter { frames.contains($0.key) }.compactMapValues { $0 }
    }
  }

  private static func ask(about frames: Set<CrashDump.Frame>) -> [CrashDump.Frame: Name] {
    let known = frames.filter { !$0.path.isEmpty }.sorted { ($0.path, $0.address) < ($1.path, $1.address) }
    guard !known.isEmpty, let tool = HostTool.symbolizer.path else { return [:] }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = ["--output-style=JSON", "--no-demangle"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let questions = known.map { "\"\($0.path)\" 0x\(String($0.address, radix: 16))\n" }.joined()
    do { try process.run() } catch { return [:] }
    // Few enough to fit into the pipe.
    input.fileHandleForWriting.write(Data(questions.utf8))
    try? input.fileHandleForWriting.close()
    let answers = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let names = answers.split(separator: "\n").map { parse(Data($0.utf8)) }
    return Dictionary(
      zip(known, names).compactMap { frame, name in name.map { (frame, $0) } }, uniquingKeysWith: { first, _ in first })
  }

  private struct Answer: Decodable {
    struct Symbol: Decodable {
      var FunctionName: String
      var FileName: String
      var Line: Int
    }

    var Symbol: [Symbol]?
  }

  private static func parse(_ answer: Data) -> Name? {
    guard let symbol = try? JSONDecoder().decode(Answer.self, from: answer).Symbol?.first, !symbol.FunctionName.isEmpty
    else { return nil }
    // A path below the package's folder is short, and the same on every machine.
    let path = symbol.FileName.range(of: "/Sources/").map { "Sources/" + symbol.FileName[$0.upperBound...] }
    return Name(
      function: demangled(symbol.FunctionName),
      place: path.flatMap { symbol.Line > 0 ? "\($0):\(symbol.Line)" : nil })
  }

  /// The runtime's own function, which the standard library does not export to Swift.
  private static func demangled(_ symbol: String) -> String {
    typealias Demangle =
      @convention(c) (
        UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
      ) -> UnsafeMutablePointer<CChar>?
    guard let function = dlsym(nil, "swift_demangle") else { return symbol }
    let demangle = unsafeBitCast(function, to: Demangle.self)
    guard let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
    defer { free(text) }
    return String(cString: text)
  }
}
