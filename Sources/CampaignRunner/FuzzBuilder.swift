import Foundation
import FuzzHarness
import HostTools
import ScenarioModel

/// Builds fuzz targets, lane by lane.
package struct FuzzBuilder {
  /// Where the builds are.
  package let layout: FuzzLayout
  /// Ends a build with this process.
  package let deathPipe: ParentDeathPipe
  /// Can interrupt a build that is under way.
  package let session: FuzzSession

  /// The arguments of `swift`; without a target they build all that the manifest shows.
  ///
  /// The sanitizers stand in one joined flag, which comes last: of several `-sanitize=` the compiler obeys one, and
  /// SwiftPM orders its own by chance. The build system is named because another one can't do it.
  package static func arguments(
    _ target: FuzzTarget?, _ lane: FuzzTarget.Lane, scratch: String, further: [String] = furtherArguments
  ) -> [String] {
    let product = target.map { ["--product", $0.product] } ?? []
    let base =
      ["build", "-c", "release", "--build-system", "native"] + product
      + ["--scratch-path", scratch, "--sanitize", "fuzzer"]
    let joined: [String] =
      switch lane {
      // Without checks of exclusive access: a quarter of the time of a quick body. The other lanes have them, and so
      // has `swift test`, which runs the same inputs.
      case .cov, .plain: ["-Xswiftc", "-enforce-exclusivity=unchecked"]
      case .asan: ["-Xswiftc", "-sanitize=fuzzer,address", "-Xcc", "-fsanitize=address"]
      case .tsan: ["-Xswiftc", "-sanitize=fuzzer,thread", "-Xcc", "-fsanitize=thread"]
      }
    return base + further + joined + [
      "-Xswiftc", coverage, "-Xcc", "-fno-sanitize-coverage=trace-cmp,indirect-calls", "-Xswiftc", "-use-ld=lld",
      "-Xswiftc", "-DFUZZING",
    ]
  }

  /// What the environment adds to the arguments of every fuzz build, word by word: `-Xswiftc -Onone` where a build that
  /// takes less than half of the time is worth more than executions a second.
  package static var furtherArguments: [String] {
    (ProcessInfo.processInfo.environment["SOCKETLAB_FUZZ_BUILD_ARGUMENTS"] ?? "").split(separator: " ").map(String.init)
  }

  /// Edges without a call at every comparison and at every indirect call: those calls are a third of the time of a
  /// quick body, and what they tell is used for value profiles, which are not kept. The zoo finds all without.
  private static let coverage = "-sanitize-coverage=edge,inline-8bit-counters,pc-table"

  /// Tells the manifest that judges are to have a counter for each function only; with names of products in it, to show
  /// these and what they need, and nothing else.
  package static let variable = "SOCKETLAB_FUZZ_BUILD"

  /// The environment of `swift`.
  package static var environment: [String: String] { environment("1") }

  /// The environment of a `swift` that builds these at once.
  package static func environment(for targets: [FuzzTarget]) -> [String: String] {
    environment(targets.map(\.product).joined(separator: ","))
  }

  private static func environment(_ value: String) -> [String: String] {
    ProcessInfo.processInfo.environment.merging([variable: value]) { $1 }
  }

  /// SwiftPM does not see that flags have changed, and would go on with objects that were built with others: they are
  /// removed.
  package static func dropForeignObjects(_ lane: FuzzTarget.Lane, scratch: String, manifest: String) throws {
    let flags = arguments(FuzzTarget.canary, lane, scratch: scratch).joined(separator: "\n").utf8
    let mark = Array(Fingerprint.of(Array(flags) + (try HostFiles.read(manifest))).utf8)
    let stamp = "\(scratch)/flags"
    guard (try? HostFiles.read(stamp)) != mark else { return }
    let objects = URL(fileURLWithPath: "\(scratch)/release").resolvingSymlinksInPath().path
    if HostFiles.exists(objects) { HostFiles.remove(objects) }
    try HostFiles.makeFolder(scratch)
    try HostFiles.write(mark, to: stamp)
  }

  /// Builds one target and returns the proof that it is instrumented. Throws with the compiler's errors.
  package func build(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> InstrumentationProof {
    let log = "\(layout.work(target))/build-\(lane.rawValue).log"
    let outcome = try compile(target, lane, Self.environment, log: log)
    if outcome.isStopped { throw LabFailure("The build of \(target.product) was interrupted.") }
    guard outcome.isBuilt else {
      let errors = outcome.tail.filter { $0.contains("error:") }
      let shown = (errors.isEmpty ? outcome.tail.suffix(10) : errors.prefix(10)).joined(separator: "\n")
      throw LabFailure("\(target.product) does not build in the lane \(lane.rawValue):\n\(shown)")
    }
    return try proof(target, lane)
  }

  /// What the objects say that a target was linked from.
  package func proof(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) throws -> InstrumentationProof {
    try InstrumentationProof.of(target, lane, layout: layout, deathPipe: deathPipe, known: &session.inspected)
  }

  /// Builds targets in one go: modules that don't need each other compile side by side, and the package is planned
  /// once. False if one of them does not build, or was left out; `build` says of each what is wrong.
  package func buildTogether(_ targets: [FuzzTarget], _ lane: FuzzTarget.Lane) throws -> Bool {
    let log = "\(layout.scratch)/build-\(lane.rawValue).log"
    return try compile(nil, lane, Self.environment(for: targets), log: log).isBuilt
      && targets.allSatisfy { HostFiles.exists(layout.binary($0, lane)) }
  }

  private struct Outcome {
    var isBuilt: Bool
    var isStopped: Bool
    var tail: [String]
  }

  private func compile(
    _ target: FuzzTarget?, _ lane: FuzzTarget.Lane, _ environment: [String: String], log: String
  ) throws -> Outcome {
    let swift = try HostTool.swift.required()
    guard HostFiles.exists("Package.swift") else {
      throw LabFailure("There is no Package.swift here. Run the command in the package's folder.")
    }
    try HostFiles.makeFolder((log as NSString).deletingLastPathComponent)
    session.inspected = [:]
    try Self.dropForeignObjects(lane, scratch: layout.build(lane), manifest: "Package.swift")
    var tail: [String] = []
    let child = ChildGroup(
      ChildPlan(
        executable: swift, arguments: Self.arguments(target, lane, scratch: layout.build(lane)),
        environment: environment, limit: .seconds(3600), log: log
      ).watchedByShell, deathPipe: deathPipe)
    let result = try session.whileStoppable({ child.stop() }) {
      try child.run { line in
        if tail.count == 200 { tail.removeFirst(100) }
        tail.append(line.text)
      }
    }
    return Outcome(isBuilt: result.end == .exited(0), isStopped: result.isStopped, tail: tail)
  }
}

/// The instrumentation of a fuzz binary's object files. Without it libFuzzer runs blind, and does not report that.
package struct InstrumentationProof: Hashable, Sendable {
  package struct Module: Hashable, Sendable {
    /// The module's name; of an object file that belongs to none, its path.
    package var name: String
    /// Coverage counters, one an edge.
    package var counters: Int
    /// Different functions of the sanitizer that it calls.
    package var sanitizerCalls: Int
    /// Whether its sources are in this package.
    package var isOwn: Bool
  }

  /// Of what can't be looked into.
  static let unknown = InstrumentationProof()

  /// Sorted by name; empty if nothing can be looked into.
  package var modules: [Module]
  /// What is wrong, in words; empty if the proof holds.
  package var faults: [String]

  /// Looks into the object files of a target that was built, but for those that are `known`: most modules stand in
  /// many targets. Throws if `size` or `nm` is missing or can't read them.
  package static func of(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, layout: FuzzLayout, deathPipe: ParentDeathPipe,
    known: inout [[String]: Module]
  ) throws -> InstrumentationProof {
    let size = try HostTool.size.required()
    let nm = try HostTool.nm.required()
    let list = layout.linkList(target, lane)
    let objects = objectFiles(in: String(decoding: try HostFiles.read(list), as: UTF8.self))
    guard !objects.isEmpty else { throw LabFailure("\(list) names no object files.") }
    let modules = try Dictionary(grouping: objects, by: moduleName).map { name, files in
      if let module = known[files] { return module }
      let sections = try HostTool.lines(size, ["-A"] + files, deathPipe: deathPipe)
      let symbols = try HostTool.lines(nm, ["--undefined-only"] + files, deathPipe: deathPipe)
      guard sections.code == 0, symbols.code == 0 else {
        throw LabFailure("The objects of \(name) can't be looked into: \((sections.lines + symbols.lines).last ?? "")")
      }
      let folders = ["Sources", "Sources/FuzzBodies"]
      let isOwn = name == target.product || folders.contains { HostFiles.isFolder("\($0)/\(name)") }
      let module = Module(
        name: name, counters: counters(in: sections.lines),
        sanitizerCalls: sanitizerCalls(in: symbols.lines, lane), isOwn: isOwn)
      known[files] = module
      return module
    }
    let binary = try HostTool.lines(nm, ["--defined-only", layout.binary(target, lane)], deathPipe: deathPipe)
    let isFuzzer = binary.lines.contains { $0.hasSuffix(" LLVMFuzzerTestOneInput") }
    return InstrumentationProof(modules: modules.sorted { $0.name < $1.name }, isFuzzer: isFuzzer, target, lane)
  }

  private init() {
    modules = []
    faults = []
  }

  /// What a program that was built elsewhere says itself, as one module of its own name; nothing if it can't be looked
  /// into.
  static func ofBinary(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, layout: FuzzLayout, deathPipe: ParentDeathPipe
  ) throws -> InstrumentationProof {
    let binary = layout.binary(target, lane)
    let sections = try HostTool.lines(HostTool.size.required(), ["-A", binary], deathPipe: deathPipe)
    let symbols = try HostTool.lines(HostTool.nm.required(), [binary], deathPipe: deathPipe)
    guard sections.code == 0, symbols.code == 0 else { return unknown }
    let module = Module(
      name: target.product, counters: counters(in: sections.lines),
      sanitizerCalls: sanitizerCalls(in: symbols.lines, lane), isOwn: true)
    let isFuzzer = symbols.lines.contains { $0.hasSuffix(" LLVMFuzzerTestOneInput") }
    return InstrumentationProof(modules: [module], isFuzzer: isFuzzer, target, lane)
  }

  package init(modules: [Module], isFuzzer: Bool, _ target: FuzzTarget, _ lane: FuzzTarget.Lane) {
    self.modules = modules
    faults = []
    if !isFuzzer { faults.append("\(target.product) has no LLVMFuzzerTestOneInput: its main is empty") }
    for module in modules where module.isOwn {
      if module.counters == 0 { faults.append("\(module.name) has no coverage counters") }
    }
    let own = modules.filter(\.isOwn)
    let sanitized = own.filter { $0.sanitizerCalls > 0 }
    if lane != .cov {
      for module in own where module.sanitizerCalls == 0 {
        faults.append("\(module.name) makes no call of the \(lane.rawValue) sanitizer")
      }
    } else if let module = sanitized.first {
      faults.append("\(module.name) carries a sanitizer, in the lane without one")
    }
  }

  /// SwiftPM's list: a path a line, in quotes if it has blanks.
  static func objectFiles(in list: String) -> [String] {
    list.split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'\" ")) }
      .filter { $0.hasSuffix(".o") }
  }

  /// `…/SocketCore.build/Mailbox.swift.o` belongs to SocketCore.
  static func moduleName(_ object: String) -> String {
    let folder = object.split(separator: "/").last { $0.hasSuffix(".build") }
    return folder.map { String($0.dropLast(".build".count)) } ?? object
  }

  /// One byte of the section is one counter.
  package static func counters(in sections: [String]) -> Int {
    sections.reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard words.count >= 2, words[0] == "__sancov_cntrs" else { return sum }
      return sum + (Int(words[1]) ?? 0)
    }
  }

  /// Different functions. Even a module with no memory access to check calls the sanitizer when it is loaded.
  package static func sanitizerCalls(in symbols: [String], _ lane: FuzzTarget.Lane) -> Int {
    let prefixes: [Substring] =
      switch lane {
      case .cov, .plain: ["__asan_", "__tsan_"]
      case .asan: ["__asan_"]
      case .tsan: ["__tsan_"]
      }
    let names = symbols.compactMap { $0.split(separator: " ").last }
    return Set(names.filter { name in prefixes.contains { name.hasPrefix($0) } }).count
  }
}
