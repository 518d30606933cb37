import ArgumentParser
import Foundation
import HostTools
import SuiteRunner
import TerminalText

/// Says whether this machine can run the lab.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks whether this machine has what the lab needs.")

  @OptionGroup var library: LibraryOptions

  @Option(help: "Where the reports go.")
  var output = LabHome.place("reports")

  func run() throws {
    let library = try? self.library.library()
    let check = HostCheck(library: library, scenarios: self.library.scenarios, output: output)
    let findings = check.findings(jobs: RunCommand.standardJobs)
    for finding in findings {
      let mark =
        finding.isFine
        ? Console.styled("✓", .good) : finding.isEssential ? Console.styled("✗", .bad) : Console.styled("!", .caution)
      let name = finding.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      Console.print("\(mark) \(name) \(finding.text)")
    }
    if findings.contains(where: { !$0.isFine && $0.isEssential }) { throw LabExit.subjectNotDriven.error }
  }
}
