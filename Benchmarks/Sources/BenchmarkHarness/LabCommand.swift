import BenchmarkModel
import Foundation

/// The lab's own commands, as a person types them, over suites of many small files.
package final class LabCommand {
  /// The program that is measured; `./lab bench` builds it.
  nonisolated(unsafe) package static var program = ".build/release/socketlab"  // Unsafe: set before anything runs.

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
  private var suites: [Int: URL] = [:]

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs the command over a suite of so many files. The cost is processor time, of all threads and of the kernel for
  /// them, from the start of the process to its end: what else the machine does is no matter of the command's.
  func measure(_ verb: LabVerb, files: Int) throws -> Sample {
    let program = URL(fileURLWithPath: Self.program)
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw MeasurementFailure("no program \(Self.program); build it: swift build -c release --product socketlab")
    }
    let suite = try suite(of: files)
    let reports = suite.appendingPathComponent("reports")
    defer { try? FileManager.default.removeItem(at: reports) }
    let process = Process()
    process.executableURL = program
    process.currentDirectoryURL = suite
    process.arguments = verb.arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let before = Self.processorTimeOfChildren()
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw MeasurementFailure(
        "socketlab \(verb.arguments.joined(separator: " ")) over \(files) files ended with "
          + "\(process.terminationStatus)")
    }
    return Sample(value: Double(files) / max(1e-6, Self.processorTimeOfChildren() - before))
  }

  /// Children that have been waited for.
  private static func processorTimeOfChildren() -> Double {
    var usage = rusage()
    getrusage(RUSAGE_CHILDREN.rawValue, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
  }

  /// A folder with that many scenarios, a hundred in each folder; made once.
  private func suite(of files: Int) throws -> URL {
    if let known = suites[files] { return known }
    let suite = folder.appendingPathComponent("\(files)")
    for number in 0..<files {
      let area = suite.appendingPathComponent("Scenarios/area-\(number / 100)")
      if number % 100 == 0 { try FileManager.default.createDirectory(at: area, withIntermediateDirectories: true) }
      try Data(Self.text(number).utf8).write(to: area.appendingPathComponent("line-\(number).yaml"))
    }
    suites[files] = suite
    return suite
  }

  private static func text(_ number: Int) -> String {
    """
    title: Line \(number) is read
    requirements: [RD-DELIM-01]
    peer:
      - accept
      - send: "HELO\\r\\n"
    subject:
      - connect
      - read: { through: "\\r\\n", timeout: 1s, tag: 1 }
    expect:
      - didConnect
      - didRead: { tag: 1, bytes: "HELO\\r\\n" }
    ending: open

    """
  }
}

extension LabVerb {
  fileprivate var arguments: [String] {
    switch self {
    case .run: ["run", "--world", "simulated", "--quiet"]
    case .check: ["check"]
    }
  }
}
