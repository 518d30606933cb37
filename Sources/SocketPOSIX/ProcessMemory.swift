import Glibc

/// The C library's statistics about this process's memory.
package enum ProcessMemory {
  /// Bytes that were allocated and not freed, of all threads: unlike what is resident they follow at once. nil: the C
  /// library does not tell.
  package static func allocatedBytes() -> Int? {
    typealias Inform = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let symbol = LinuxCall.symbol("malloc_info"), let file = open_memstream(&text, &size) else { return nil }
    defer { free(text) }
    let result = unsafeBitCast(symbol, to: Inform.self)(0, file)
    fclose(file)
    guard result == 0, let text else { return nil }
    // Behind the arenas come the sums.
    let sums = String(cString: text).split(separator: "\n").reversed().prefix { $0 != "</heap>" }
    func sum(_ beginning: String) -> Int? {
      let line = sums.last { $0.hasPrefix("<" + beginning) }
      return line?.split(separator: "size=\"").last?.split(separator: "\"").first.flatMap { Int($0) }
    }
    guard let all = sum("system type=\"current\""), let fast = sum("total type=\"fast\""),
      let rest = sum("total type=\"rest\"")
    else { return nil }
    return all - fast - rest + (sum("total type=\"mmap\"") ?? 0)
  }
}
