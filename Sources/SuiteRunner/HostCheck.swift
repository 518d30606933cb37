import Foundation
import Glibc
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Synchronization

/// Whether this machine has what the lab needs.
package struct HostCheck {
  /// What was found out about one need of the lab.
  package struct Finding {
    /// The need, in a word or two: `IPv6`, `OpenSSL`.
    package var name: String
    /// Whether the machine meets it.
    package var isFine: Bool
    /// Without it the lab runs, with cases skipped or slower.
    package var isEssential = true
    /// What was found, and what to do if it is not fine; without a full stop.
    package var text: String
  }

  /// nil: it can't be read.
  private let library: ScenarioLibrary?
  /// The library's folder, and that of the reports.
  private let scenarios: String
  private let output: String
  private let playInNetwork: () -> CaseResult?

  /// - Parameter playInNetwork: plays a case that needs nothing but a network of its own; nil: nothing came of it.
  package init(
    library: ScenarioLibrary?, scenarios: String, output: String,
    playInNetwork: @escaping () -> CaseResult? = HostCheck.playInNetwork
  ) {
    self.playInNetwork = playInNetwork
    self.library = library
    self.scenarios = scenarios
    self.output = output
  }

  /// - Parameter jobs: loopback cases at the same time.
  package func findings(jobs: Int) -> [Finding] {
    [system, descriptors(jobs: jobs), ipv6, networks, timing, openSSL, reports, suite]
  }

  private var system: Finding {
    Finding(
      name: "system", isFine: true,
      text: "\(HostProbe.system), \(QuantityText.count(HostProbe.processors, "processor"))")
  }

  private func descriptors(jobs: Int) -> Finding {
    let count = DescriptorLimit.highest
    let scenarios = library?.scenarios ?? []
    let plan = SuitePlan(scenarios, selection: SuiteSelection(), worlds: [.loopback], seeds: [1]).cases
    let needed = DescriptorLimit.needed(for: plan, of: scenarios, jobs: jobs)
    return Finding(
      name: "descriptors", isFine: count >= needed, isEssential: false,
      text: count >= needed
        ? "\(QuantityText.count(count)) may be open"
        : "only \(count) may be open, so fewer cases run at a time; raise the limit with ulimit -n \(needed)")
  }

  private var ipv6: Finding {
    Finding(
      name: "IPv6", isFine: HostProbe.hasIPv6, isEssential: false,
      text: HostProbe.hasIPv6 ? "::1 can be bound" : "::1 can't be bound; IPv6 cases are skipped")
  }

  private var networks: Finding {
    let result = playInNetwork()
    let isFine = result?.verdict == .passed
    return Finding(
      name: "networks", isFine: isFine, isEssential: false,
      text: isFine
        ? "cases can have a network of their own"
        : "cases with a network of their own are skipped: \(result?.reason ?? "the case did not come to its end")")
  }

  /// Plays a case that does nothing in a network of its own, in a worker as a run starts it.
  package static func playInNetwork() -> CaseResult? {
    var scenario = Scenario(id: "doctor/network", title: "A network can be made")
    scenario.network = NetworkSetup()
    scenario.worlds = [.loopback]
    let executor = SuiteExecutor(
      scenarios: [scenario], options: .init(jobs: 1, profile: .documented, jitter: .zero))
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    let seen = Mutex<CaseResult?>(nil)
    let planned = PlannedCase(scenario: 0, variant: variant, world: .loopback, seed: 1)
    _ = try? executor.run([planned]) { result in seen.withLock { $0 = result } }
    return seen.withLock { $0 }
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
    let version = HostTool.openSSLVersion
    return Finding(name: "OpenSSL", isFine: version.hasPrefix("OpenSSL 3"), text: version)
  }

  private var reports: Finding {
    let folder = URL(fileURLWithPath: output)
    let missing = Self.missingFolders(folder.path)
    // What is made for the look alone goes again. A folder that another program has put something into stays.
    defer { for path in missing { rmdir(path) } }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let probe = folder.appendingPathComponent(".doctor-\(UUID().uuidString)")
      try Data().write(to: probe, options: .withoutOverwriting)
      try FileManager.default.removeItem(at: probe)
      return Finding(name: "reports", isFine: true, text: "\(output) can be written")
    } catch {
      return Finding(name: "reports", isFine: false, text: "\(output) can't be written: \(HostFiles.reason(error))")
    }
  }

  /// The folder and those above it that are not there, the innermost first.
  private static func missingFolders(_ path: String) -> [String] {
    var missing: [String] = []
    var path = path
    while path.hasPrefix("/"), path != "/", !PathText.exists(path) {
      missing.append(path)
      path = (path as NSString).deletingLastPathComponent
    }
    return missing
  }

  private var suite: Finding {
    guard let library else {
      return Finding(name: "scenarios", isFine: false, text: "there is no folder \(scenarios)")
    }
    let wrong = library.entries.filter(\.hasErrors).count
    return Finding(
      name: "scenarios", isFine: wrong == 0 && !library.entries.isEmpty,
      text: "\(QuantityText.count(Set(library.entries.map(\.path)).count, "file"))"
        + (wrong > 0 ? ", \(wrong) with errors: see `socketlab check`" : ", all in order"))
  }
}
