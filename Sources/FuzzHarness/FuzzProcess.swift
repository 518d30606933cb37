import Glibc

/// The process around a fuzz body: what libFuzzer calls, and the program that replays files without it.
package enum FuzzProcess {
  /// Set by a campaign to the number of a descriptor that it holds the other end of: when the campaign is gone, so are
  /// its fuzzers and whatever they started, however it ended.
  package static let parentPipeVariable = "SOCKETLAB_FUZZ_PARENT_PIPE"

  /// Before libFuzzer reads its arguments: starts the program anew where the environment is not as fuzzing needs it.
  ///
  /// Swift's backtracer would take a crash away from libFuzzer (no artifact, a hanging child), and sets that are
  /// ordered anew in each process would make equal seeds run differently.
  static func prepare(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    let isReady = isSet("SWIFT_BACKTRACE", to: "enable=no") && isSet("SWIFT_DETERMINISTIC_HASHING", to: "1")
    guard !isReady, let arguments else {
      watchParentPipe()
      return 0
    }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", arguments)
    // Only reached if that failed: fuzzing without it would lose findings.
    complain("fuzz: can't start itself anew: \(String(cString: strerror(errno)))")
    return 1
  }

  /// A thread that only waits for the end of the parent's pipe.
  private static func watchParentPipe() {
    guard let text = getenv(parentPipeVariable), let descriptor = Int(String(cString: text)) else { return }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        var byte: UInt8 = 0
        while read(CInt(Int(bitPattern: argument)), &byte, 1) == -1, errno == EINTR {}
        _exit(75)
      }, UnsafeMutableRawPointer(bitPattern: descriptor))
    pthread_detach(thread)
  }

  private static func complain(_ text: String) {
    let bytes = Array(text.utf8) + [10]
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func isSet(_ name: String, to value: String) -> Bool {
    getenv(name).map { String(cString: $0) } == value
  }

  /// One input of libFuzzer's. A violation ends the process; the text must survive optimisation, which `fatalError`'s
  /// does.
  package static func test(_ body: FuzzBody, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    if let violation = body(UnsafeRawBufferPointer(start: bytes, count: count)) {
      fatalError(violation.description)
    }
    return 0
  }

  /// The program built without libFuzzer: runs each file, and each file of each folder, and says what it found.
  ///
  /// Exit codes: 0 nothing found, 1 a violation, 2 wrong usage, 66 a file that can't be read.
  package static func replay(_ name: String, _ body: FuzzBody) -> Never {
    let paths = CommandLine.arguments.dropFirst()
    guard !paths.isEmpty else {
      complain("usage: \(name) FILE|FOLDER…  (replays inputs; build with libFuzzer to search for new ones)")
      exit(2)
    }
    var inputs = 0
    var found = 0
    for path in paths.flatMap(files) {
      guard let bytes = contents(of: path) else {
        complain("\(path): can't be read: \(String(cString: strerror(errno)))")
        exit(66)
      }
      inputs += 1
      if let violation = bytes.withUnsafeBytes({ body($0) }) {
        found += 1
        print("\(path): \(violation)")
      }
    }
    print("\(name): \(inputs) inputs, \(found) violations")
    exit(found == 0 ? 0 : 1)
  }

  private static func files(at path: String) -> [String] {
    guard let folder = opendir(path) else { return [path] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().flatMap { files(at: "\(path)/\($0)") }
  }

  private static func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return ferror(file) == 0 ? bytes : nil }
      bytes += chunk[..<count]
    }
  }
}

/// libFuzzer calls it once, with the addresses of main's count and arguments.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt { FuzzProcess.prepare(arguments?.pointee) }
