import BenchmarkHarness
import BenchmarkModel
import BenchmarkPage
import Foundation

/// Output.
enum Console {
  /// A message to standard error.
  static func error(_ message: String) { FileHandle.standardError.write(Data("bench: \(message)\n".utf8)) }
}

/// What is being measured, on one line of a terminal; nothing elsewhere.
struct ProgressLine {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    guard isTerminal else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text.prefix(100))".utf8))
  }

  func clear() {
    guard isTerminal else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}

/// Where the reports go. Tried before anything is measured: a run of minutes must not end in vain.
struct ReportFolder {
  private let folder: URL

  init(_ path: String) throws {
    folder = URL(fileURLWithPath: path)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let probe = folder.appendingPathComponent(".probe")
      try Data().write(to: probe)
      try FileManager.default.removeItem(at: probe)
    } catch {
      let reason = (error as NSError).localizedDescription
      throw OutputFailure(
        description: "The folder \(path) can't be written: \(reason) Name another one with --output.")
    }
  }

  func write(_ report: BenchmarkReport) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let files = [
      ("benchmarks.json", try encoder.encode(report) + Data([0x0A])),
      ("benchmarks.md", Data(MarkdownTable.text(report).utf8)),
      ("index.html", Data(try BenchmarkPage.html(report).utf8)),
    ]
    for (name, data) in files { try data.write(to: folder.appendingPathComponent(name), options: .atomic) }
  }
}

/// The reports can't be written.
struct OutputFailure: Error, CustomStringConvertible {
  let description: String
}

/// What a figure depends on.
enum MachineFacts {
  /// The average load of the last minute.
  static var load: Double {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").first.flatMap { Double($0) } ?? 0
  }

  static func provenance(_ options: BenchmarkRun.Options, date: String, loadAtStart: Double) -> Provenance {
    Provenance(
      date: date, processor: processor, cores: ProcessInfo.processInfo.activeProcessorCount, kernel: kernel,
      swift: swift, commit: commit, loadAtStart: loadAtStart, loadAtEnd: loadAtStart, rounds: options.rounds,
      growthRounds: options.growthRounds, seconds: options.seconds, seed: options.seed, isQuick: options.isQuick,
      notes: [])
  }

  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
  }

  private static var kernel: String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
  }

  private static var swift: String {
    let text = output(of: ["swift", "--version"])
    guard let range = text.range(of: "Swift version ") else { return "unknown" }
    return text[range.upperBound...].split(separator: " ").first.map(String.init) ?? "unknown"
  }

  private static var commit: String {
    let hash = output(of: ["git", "rev-parse", "--short", "HEAD"])
    guard !hash.isEmpty else { return "unknown" }
    return output(of: ["git", "status", "--porcelain"]).isEmpty ? hash : hash + "+"
  }

  /// What a command prints; nothing if it fails.
  private static func output(of command: [String]) -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "" }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return "" }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
