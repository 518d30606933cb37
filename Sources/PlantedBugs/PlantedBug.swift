/// A planted bug: how it is put into a copy of the sources, and who should notice.
///
/// The shipped code carries none of it. All mutants are patched into one copy of the package, where the environment
/// variable `SOCKETLAB_MUTANT` says at run time which one is activated; so all of them cost one build.
package struct PlantedBug: Hashable, Sendable {
  /// A piece of a source file and what stands there in the copy.
  package struct Edit: Hashable, Sendable {
    /// Below the package's folder.
    package var path: String
    /// Occurs exactly once in the file.
    package var find: String
    /// `ACTIVATED` in it is true when the mutant is activated; where it is false, the text does what `find` does.
    package var replace: String

    package init(_ path: String, _ find: String, _ replace: String) {
      self.path = path
      self.find = find
      self.replace = replace
    }
  }

  /// A stable name.
  package var id: String
  /// The defect of contract.md's catalogue that it plants (`UB-18`), the reported bug class, or `classic`.
  package var origin: String
  /// What goes wrong, in one line.
  package var defect: String
  /// The changes that plant it, each in a place of its own.
  package var edits: [Edit]
  /// The requirements it breaks: in some situation the mutant contradicts the sentence of each.
  package var violates: [String]
  /// The fuzz targets that should find it, the likeliest first; empty: only scenarios can.
  package var targets: [String]
  /// Why nobody can tell it from the original; nil: somebody must.
  package var equivalence: String?

  /// Whether the simulated world runs any of what it changes: the engine, the core and TLS it does, but not the
  /// drivers, nor run loops, nor the system calls.
  package var isInSimulatedWorld: Bool {
    let strange = ["Sources/CocoaAsyncSocket/", "Sources/SocketPOSIX/", "Sources/SocketRunLoop/"]
    return edits.contains { edit in !strange.contains { edit.path.hasPrefix($0) } }
  }

  package init(
    _ id: String, _ origin: String, _ defect: String, violates: [String], targets: [String],
    equivalence: String? = nil, _ edits: Edit...
  ) {
    self.id = id
    self.origin = origin
    self.defect = defect
    self.violates = violates
    self.targets = targets
    self.equivalence = equivalence
    self.edits = edits
  }

  /// Every mutant, in the order of their numbers.
  package static let all =
    reading + searching + writing + timing + ending + connecting + accepting + securing + trusting + ordering
    + streaming + leaving + handshaking + driving + servingOnFastPath + hosting + looping + runLoops
    + runLoopHost + runLoopInterface + runLoopRules + starting + securityRules + operationRules + interfaceRules
    + crashing + socketHost + streamRules + hostRules + neighbours + sentenceRules + promises
    + combinations + secondLives + seldomArguments + rim + credentials + seldomUses + loopsAndTrust

  /// The number by which `SOCKETLAB_MUTANT` activates it, from 1; nil: there is no such mutant.
  package static func number(of id: String) -> Int? { all.firstIndex { $0.id == id }.map { $0 + 1 } }
}
