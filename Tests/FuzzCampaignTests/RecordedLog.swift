import Foundation

@testable import FuzzCampaign

/// Logs of real runs, one folder of them: a toy with a planted bug of each kind, built as the fuzz targets are.
enum RecordedLog {
  static func lines(_ name: String) throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Logs")
    return try String(contentsOf: folder.appending(path: name + ".log"), encoding: .utf8)
      .components(separatedBy: "\n")
  }

  /// Read as if a line came every hundredth of a second.
  static func read(_ lines: [String]) -> LibFuzzerLog {
    var log = LibFuzzerLog()
    for (index, line) in lines.enumerated() { log.take(line, at: Double(index) / 100) }
    return log
  }

  static func read(_ name: String) throws -> LibFuzzerLog { read(try lines(name)) }

  /// What `swift demangle` makes of the toy's functions.
  static func demangle(_ symbol: String) -> String {
    let names = [
      "$s3Lib7MachineV4trapyys5UInt8VFTf4nd_n": "function signature specialization <Arg[0] = Dead> of Machine.trap(_:)",
      "$s3Lib7MachineV8overflowyySpys5UInt8VGFTf4nd_n": "Machine.overflow(_:)",
      "$s3Lib7MachineV4spinyySiF": "Machine.spin(_:)",
      "$s5probe4bodyyAA9ViolationVSgSWF": "body(_:)",
      "$s5probe5fzOneys5Int32VSPys5UInt8VGSg_SitF": "fzOne(_:_:)",
    ]
    return names[symbol] ?? symbol
  }
}
