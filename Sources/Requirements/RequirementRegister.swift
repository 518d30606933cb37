import ScenarioModel
import ScenarioYAML

/// What a socket is held to: every requirement by its id, and what the requirements refer to.
///
/// Laws
/// - A register is whole: each entry is well-formed, each id that an entry names is there, each area has its file and
///   each file its area. Whatever else is read is refused with file, line and column.
/// - Ids of requirements, of decisions and of defects never meet: an id means one thing.
package struct RequirementRegister: Sendable {
  /// A group of requirements, with a file of its own.
  package struct Area: Sendable {
    /// Such as `RD-DELIM`.
    package var id: String
    /// Such as `Reading to a delimiter`.
    package var title: String
  }

  /// Something that the sources of the requirements disagree about, and what this project has decided.
  package struct Decision: Sendable {
    /// Such as `D-01`.
    package var id: String
    /// What the sources say.
    package var disputed: String
    /// What holds.
    package var decided: String
    /// Where it is written.
    package var place: Located<String>
  }

  /// A defect of the original, which must not be copied.
  package struct Defect: Sendable {
    /// Such as `UB-17`.
    package var id: String
    /// What is wrong.
    package var defect: String
    /// What comes of it.
    package var consequence: String
    /// The requirements that it breaks.
    package var requirements: [String]
    /// Where it is written.
    package var place: Located<String>
  }

  /// In the order of the contract.
  package let areas: [Area]
  /// By area, and in each by id.
  package let requirements: [Requirement]
  /// By id.
  package let decisions: [Decision]
  /// By id.
  package let defects: [Defect]
  /// What a peer, a network or a socket's user can do wrong, by number.
  package let misbehaviours: [Misbehaviour]
  /// What the abbreviations of sources mean.
  package let sources: [String: String]
  private let places: [String: Int]

  init(
    areas: [Area], requirements: [Requirement], decisions: [Decision], defects: [Defect],
    misbehaviours: [Misbehaviour], sources: [String: String]
  ) {
    self.areas = areas
    self.requirements = requirements
    self.decisions = decisions
    self.defects = defects
    self.misbehaviours = misbehaviours
    self.sources = sources
    places = Dictionary(requirements.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The requirement of this id.
  package subscript(id: String) -> Requirement? { places[id].map { requirements[$0] } }

  /// The decision of this id.
  package func decision(_ id: String) -> Decision? { decisions.first { $0.id == id } }

  /// The defect of the original of this id.
  package func defect(_ id: String) -> Defect? { defects.first { $0.id == id } }

  /// What an id stands for in one sentence: a requirement's, what was decided, or what is wrong with the original.
  package func sentence(of id: String) -> String? {
    self[id]?.sentence ?? decision(id)?.decided ?? defect(id)?.defect
  }

  /// The sentences of all requirements, by their ids.
  package var sentences: [String: String] {
    Dictionary(requirements.map { ($0.id, $0.sentence) }, uniquingKeysWith: { first, _ in first })
  }

  /// The requirement that may have been meant by an id that is none.
  package func nearest(to id: String) -> String? {
    DidYouMean.suggestion(for: id, among: requirements.lazy.map(\.id))
  }

  /// The sources of a requirement with what they are, those of one kind together: `I#4, I#77  Issues of …`.
  package func lines(ofSources cited: [String]) -> [String] {
    var kinds: [(abbreviation: String, cited: [String])] = []
    for source in cited {
      let abbreviation = Self.abbreviation(of: source)
      if let place = kinds.firstIndex(where: { $0.abbreviation == abbreviation }) {
        kinds[place].cited.append(source)
      } else {
        kinds.append((abbreviation, [source]))
      }
    }
    return kinds.map { "\($0.cited.joined(separator: ", "))  \(sources[$0.abbreviation] ?? "")" }
  }

  /// `PR` of `PR#599`, `H` of `H:358afb3`.
  static func abbreviation(of source: String) -> String { String(source.prefix { $0 != "#" && $0 != ":" }) }

  // MARK: - Citing

  /// Scenarios may cite requirements, and nothing else.
  package var citations: CitationRules {
    CitationRules(
      isKnown: { self[$0] != nil }, help: { self.help(forCitation: $0) },
      scope: { id in
        switch self[id]?.scope {
        case .gcd?, nil: .gcd
        case .runLoop?: .runLoop
        case .any?: .any
        }
      }, tagHelp: { help(forTag: $0) })
  }

  /// What to write instead of a tag that names a misbehaviour which the catalogue does not have; nil: nothing is wrong.
  func help(forTag tag: String) -> String? {
    guard Misbehaviour.isNamed(by: tag), !misbehaviours.contains(where: { $0.tag == tag }) else { return nil }
    guard let first = misbehaviours.first, let last = misbehaviours.last else {
      return "the register has no file misbehaviours.yaml"
    }
    return "the catalogue has \(first.tag) to \(last.tag)"
  }

  /// What to write instead of an id that is no requirement.
  func help(forCitation id: String) -> String {
    if let defect = defect(id) {
      return "\(id) is a defect of the original; cite what it breaks: \(defect.requirements.joined(separator: ", "))"
    }
    if decision(id) != nil {
      let decided = requirements.filter { $0.see.contains(id) }.map(\.id)
      guard !decided.isEmpty else { return "\(id) is a decision about the sources, and no requirement" }
      return "\(id) is a decision; cite what follows from it: \(decided.joined(separator: ", "))"
    }
    let guess = nearest(to: id).map { "did you mean \($0)? " } ?? ""
    return guess + "`socketlab coverage` lists all requirements, `socketlab show ID` shows one"
  }
}
