import ArgumentParser
import COpenSSL
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import SuiteRunner
import TerminalText

/// Says whether this machine can run the lab.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks whether this machine has what the lab needs.")

  @OptionGroup var library: LibraryOptions

  @Option(help: "Where the reports go.")
  var output = LabHome.place("reports")

  private struct Finding {
    var name: String
    var isFine: Bool
    /// Without it the lab runs, with cases skipped or slower.
    var isEssential = true
    var text: String
  }

  func run() throws {
    let findings = [system, descriptors, ipv6, timing, openSSL, reports, suite]
    for finding in findings {
      let mark =
        finding.isFine
        ? Console.styled("✓", .good) : finding.isEssential ? Console.styled("✗", .bad) : Console.styled("!", .caution)
      let name = finding.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      Console.print("\(mark) \(name) \(finding.text)")
    }
    if findings.contains(where: { !$0.isFine && $0.isEssential }) { throw LabExit.subjectNotDriven.error }
  }

  private var system: Finding {
    Finding(
      name: "system", isFine: true, text: "\(HostProbe.system), \(CountText.count(HostProbe.processors, "processor"))")
  }

  private var descriptors: Finding {
    let count = DescriptorLimit.highest
    let scenarios = (try? library.library().scenarios) ?? []
    let plan = SuitePlan(scenarios, selection: SuiteSelection(), worlds: [.loopback], seeds: [1]).cases
    let needed = DescriptorLimit.needed(for: plan, of: scenarios, jobs: RunCommand.standardJobs)
    return Finding(
      name: "descriptors", isFine: count >= needed, isEssential: false,
      text: count >= needed
        ? "\(CountText.count(count)) may be open"
        : "only \(count) may be open, so fewer cases run at a time; raise the limit with ulimit -n \(needed)")
  }

  private var ipv6: Finding {
    Finding(
      name: "IPv6", isFine: HostProbe.hasIPv6, isEssential: false,
      text: HostProbe.hasIPv6 ? "::1 can be bound" : "::1 can't be bound; IPv6 cases are skipped")
  }

  private var timing: Finding {
    let jitter = HostProbe.jitter()
    let milliseconds = String(format: "%.1f ms", jitter.inSeconds * 1000)
    return Finding(
      name: "timing", isFine: jitter < .milliseconds(20), isEssential: false,
      text: jitter < .milliseconds(20)
        ? "the lab wakes at most \(milliseconds) late" : "the lab woke \(milliseconds) late: expect inconclusive cases")
  }

  private var openSSL: Finding {
    let version = OpenSSL_version(OPENSSL_VERSION).map { String(cString: $0) } ?? ""
    return Finding(name: "OpenSSL", isFine: version.hasPrefix("OpenSSL 3"), text: version)
  }

  private var reports: Finding {
    let folder = URL(fileURLWithPath: output)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let probe = folder.appendingPathComponent(".doctor")
      try Data().write(to: probe)
      try FileManager.default.removeItem(at: probe)
      return Finding(name: "reports", isFine: true, text: "\(output) can be written")
    } catch {
      return Finding(name: "reports", isFine: false, text: "\(output) can't be written: \(error.localizedDescription)")
    }
  }

  private var suite: Finding {
    guard let library = try? library.library() else {
      return Finding(name: "scenarios", isFine: false, text: "there is no folder \(library.scenarios)")
    }
    let wrong = library.entries.filter(\.hasErrors).count
    return Finding(
      name: "scenarios", isFine: wrong == 0 && !library.entries.isEmpty,
      text: "\(CountText.count(Set(library.entries.map(\.path)).count, "file"))"
        + (wrong > 0 ? ", \(wrong) with errors: see `socketlab check`" : ", all in order"))
  }
}
