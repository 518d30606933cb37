import Foundation
import Testing

/// A capture on its way to a verdict.
@Suite struct ImportCommandTests {
  /// A seed of the fuzz target: a session of TLS 1.2 with its secrets.
  private static let capture = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { place, _ in
    place.deletingLastPathComponent()
  }.appendingPathComponent("Fuzz/seeds/capture/tls12-with-key-log").path

  private static func suite(_ others: [String: String] = [:]) throws -> ScratchSuite {
    try ScratchSuite(
      [
        "read/line.yaml": ScratchSuite.passing, "control/plain.yaml": ScratchSuite.passing,
        "canary/blind.yaml": ScratchSuite.failing + "canary: true\n",
      ], beside: others)
  }

  @Test("TLS is opened with the capture's own secrets, and the scenario passes", arguments: ["client", "server"])
  func opened(peer: String) throws {
    let suite = try Self.suite()
    let result = try suite.run(["import", Self.capture, "--into", "talk", "--as-peer", peer])
    #expect(result.status == 0, "\(result.output) \(result.error)")
    #expect(result.output.contains("TLS of 1 connection was opened."))
    let file = suite.folder.appendingPathComponent("talk/tls12-with-key-log-1.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("- startTLS") && text.contains("\"hello\\n\""), "\(text)")
    let run = try suite.run(["run", "talk", "--world", "simulated"])
    #expect(run.status == 0, "\(run.output) \(run.error)")
  }

  @Test("the records stay on request, and pass, too")
  func records() throws {
    let suite = try Self.suite()
    let result = try suite.run(["import", Self.capture, "--into", "talk", "--keep-records"])
    #expect(result.status == 0, "\(result.output) \(result.error)")
    let file = suite.folder.appendingPathComponent("talk/tls12-with-key-log-1.yaml")
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("startTLS"))
    #expect(try suite.run(["run", "talk", "--world", "simulated"]).status == 0)
  }

  @Test("what to type next is ready for a shell")
  func next() throws {
    let suite = try Self.suite()
    let result = try suite.run(["import", Self.capture, "--into", "my talk"])
    #expect(result.output.hasSuffix("Next: ./lab run 'my talk/tls12-with-key-log-1.yaml'\n"), "\(result.output)")
  }

  @Test("Ctrl-C keeps what had come from a program that goes on")
  func interrupted() throws {
    let suite = try Self.suite()
    // All but the end of the last packet; then nothing, and no end.
    let result = try suite.shell(
      "mkfifo live; (head -c -20 '\(Self.capture)'; touch sent; exec sleep 60) >live & writer=$!; "
        + "$LAB import - --into talk <live & child=$!; while [ ! -e sent ]; do sleep 0.05; done; sleep 1; "
        + "kill -INT $child; wait $child; status=$?; kill $writer; exit $status")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("Interrupted: what had come by then is written."), "\(result.output)")
    #expect(result.output.contains("1 scenario of 1 connection in standard input"), "\(result.output)")
  }

  @Test("what is no key log, no capture, or not there is told with what to do")
  func mistakes() throws {
    let suite = try Self.suite(["notes.txt": "nothing here\n"])
    for (words, status, text) in [
      ([Self.capture, "--key-log", "notes.txt"], 2, "SSLKEYLOGFILE"),
      ([Self.capture, "--key-log", "Scenarios"], 2, "Scenarios is a folder. Name a file with --key-log"),
      ([Self.capture, "--key-log", "none.txt"], 4, "none.txt can't be read: No such file or directory"),
      (["notes.txt"], 2, "tcpdump -w"), (["none.pcap"], 2, "none.pcap can't be read"),
      (["Scenarios"], 2, "Scenarios is a folder"), ([Self.capture, "--most", "0"], 2, "--most is at least 1"),
      ([Self.capture, "--most=-1"], 2, "--most is at least 1"),
      // The first page of a process is never there.
      (["/proc/self/mem"], 4, "/proc/self/mem can't be read on: Input/output error."),
    ] {
      let result = try suite.run(["import", "--into", "talk"] + words)
      #expect(result.error.contains(text), "\(words): \(result.error)")
      #expect(result.status == status, "\(words): \(result.status)")
      #expect(result.error.components(separatedBy: "/proc/self/mem").count <= 2, "\(result.error)")
      #expect(!FileManager.default.fileExists(atPath: suite.folder.appendingPathComponent("talk/notes-1.yaml").path))
    }
  }
}
