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
    // Behind the arenas come the sums. Many threads make a long text, and it is read often: it is not made a string.
    var sums = UnsafePointer(text)
    while let end = strstr(sums, "</heap>") { sums = UnsafePointer(end + 1) }
    func sum(_ element: String) -> Int? {
      guard let place = strstr(sums, "<" + element), let size = strstr(place, "size=\"") else { return nil }
      return Int(strtol(size + 6, nil, 10))
    }
    guard let all = sum("system type=\"current\""), let fast = sum("total type=\"fast\""),
      let rest = sum("total type=\"rest\"")
    else { return nil }
    return all - fast - rest + (sum("total type=\"mmap\"") ?? 0)
  }
}
