/// The output of a worker as it ended: its own last words, and the stacks of its threads (`CrashSignals`).
package struct CrashDump: Hashable, Sendable {
  /// A place in the code: a file that was mapped, and an offset as tools for symbols take it.
  package struct Frame: Hashable, Sendable {
    /// Empty: the place lies in no file.
    package var path: String
    /// An offset from where the file's first byte is mapped; without a file, the address in memory.
    package var address: UInt64

    package init(path: String, address: UInt64) {
      self.path = path
      self.address = address
    }
  }

  /// Where one thread was.
  package struct Stack: Hashable, Sendable {
    /// The kernel's number of the thread; nil: of the one that took the signal.
    package var thread: Int?
    /// The innermost first.
    package var frames: [Frame]

    package init(thread: Int?, frames: [Frame]) {
      self.thread = thread
      self.frames = frames
    }
  }

  /// nil: the process had no time to say.
  package var signal: Int32?
  /// The address that could not be reached, and where the thread's stack was.
  package var fault: UInt64?
  package var stackPointer: UInt64?
  /// The thread that took the signal first; empty: the process had no time to say.
  package var stacks: [Stack] = []
  /// The last lines of its other output, such as the message of a trap.
  package var message: [String] = []

  /// Whether the thread reached for memory right at the end of its stack.
  package var isStackOverflow: Bool {
    guard let fault, let stackPointer else { return false }
    let distance = fault > stackPointer ? fault - stackPointer : stackPointer - fault
    return distance < Self.stackGuard
  }

  /// A frame may be large, and step over the page that guards the stack.
  private static let stackGuard: UInt64 = 64 << 10
  private static let maxLines = 40
  private static let longestLine = 2_000

  /// Reads what came over standard error: whatever it is, it is text.
  package init(_ output: some Sequence<UInt8>) {
    var current: Stack?
    var maps: [MappedFile] = []
    var addresses: [[UInt64]] = []
    var isMaps = false
    for line in Array(output).split(separator: 0x0A, omittingEmptySubsequences: true) {
      let text = String(decoding: line.prefix(Self.longestLine), as: UTF8.self)
      let words = text.split(separator: " ")
      if isMaps {
        if text == "end" { isMaps = false } else if let file = MappedFile(words) { maps.append(file) }
        continue
      }
      switch (words.first, words.count) {
      case ("signal", 2) where signal == nil && Int32(words[1]) != nil:
        signal = Int32(words[1])
        current = Stack(thread: nil, frames: [])
        addresses = [[]]
        stacks = current.map { [$0] } ?? []
      case ("fault", 2) where signal != nil: fault = UInt64(words[1], radix: 16)
      case ("stack", 2) where signal != nil: stackPointer = UInt64(words[1], radix: 16)
      case ("thread", 2) where signal != nil && Int(words[1]) != nil:
        stacks.append(Stack(thread: Int(words[1]), frames: []))
        addresses.append([])
      case ("frame", 2) where signal != nil && !addresses.isEmpty:
        if let address = UInt64(words[1], radix: 16) { addresses[addresses.count - 1].append(address) }
      case ("maps", 1) where signal != nil: isMaps = true
      case ("end", 1) where signal != nil: break
      default: message.append(text)
      }
    }
    for (index, list) in addresses.enumerated() {
      stacks[index].frames = list.enumerated().map { depth, address in
        // A return address lies behind the call: one byte back is inside it.
        MappedFile.frame(of: depth == 0 ? address : address &- 1, in: maps)
      }
    }
    stacks.removeAll { $0.frames.isEmpty }
    message = Array(message.suffix(Self.maxLines))
  }
}

/// A line of `/proc/self/maps`.
private struct MappedFile {
  var range: Range<UInt64>
  var offset: UInt64
  var path: String

  /// `55d0c0e00000-55d0c0f00000 r-xp 00012000 fe:01 1234 /path/of/a file`; nil for memory without a file.
  init?(_ words: [Substring]) {
    guard words.count >= 6, words[5].hasPrefix("/") else { return nil }
    let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
    guard ends.count == 2, ends[0] < ends[1], let offset = UInt64(words[2], radix: 16) else { return nil }
    range = ends[0]..<ends[1]
    self.offset = offset
    path = words[5...].joined(separator: " ")
  }

  /// Relative to where the file's first byte is mapped: what a symbol table of a position-independent file says.
  static func frame(of address: UInt64, in maps: [MappedFile]) -> CrashDump.Frame {
    guard let hit = maps.first(where: { $0.range.contains(address) }) else {
      return CrashDump.Frame(path: "", address: address)
    }
    let base = maps.first { $0.path == hit.path && $0.offset == 0 }?.range.lowerBound ?? hit.range.lowerBound
    return CrashDump.Frame(path: hit.path, address: address &- base)
  }
}
