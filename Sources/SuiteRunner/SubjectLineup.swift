import HostTools
import ScenarioModel
import SubjectPrograms
import SubjectProtocol

/// The subjects that a run judges, and those that were asked for and can't be.
package struct SubjectLineup {
  /// What became of a program that was asked for.
  package enum Candidate {
    case ready(SubjectEntry)
    /// It can't be judged, with the reason, and the last lines of its standard error.
    case leftOut(ProgramFacts, lastWords: [String])
  }

  /// How many lines of a subject's last words are kept.
  private static let lastWords = 5

  /// Whether the library that comes with the lab is one of them.
  package let hasReference: Bool
  /// The programs that are ready, in the order in which they were named.
  package private(set) var programs: [SubjectEntry] = []
  /// Those that are not.
  package private(set) var leftOut: [ProgramFacts] = []
  /// All programs that were named, ready or not.
  package private(set) var asked: [SubjectProgram] = []

  /// Whether there is nobody to judge.
  package var isEmpty: Bool { !hasReference && programs.isEmpty }

  /// Throws a `UsageFailure` where the words are wrong: an empty one, or two programs of one name. What the functions
  /// throw goes on.
  ///
  /// - Parameters:
  ///   - text: names, separated by commas, or the path of one program, which may have commas; who is named twice is
  ///     taken once.
  ///   - find: the program that a word means.
  ///   - enter: has it prepared and started.
  package init(
    _ text: String, find: (String) throws -> SubjectProgram, enter: (SubjectProgram, String) throws -> Candidate
  ) throws {
    let isOne = text.contains("/") && PathText.exists(text)
    let words =
      isOne
      ? [text] : text.split(separator: ",", omittingEmptySubsequences: false).map { String($0.drop { $0 == " " }) }
    guard words.allSatisfy({ !$0.isEmpty }) else {
      throw UsageFailure("--subject names nobody between two commas: \(text)")
    }
    hasReference = words.contains(SubjectProgram.reference)
    var names: Set<String> = []
    var paths: [String: String] = [:]
    for word in words where names.insert(word).inserted && word != SubjectProgram.reference {
      let program = try find(word)
      if let other = paths.updateValue(program.path, forKey: program.name) {
        throw UsageFailure("Two subjects are called \(program.name): \(other) and \(program.path). Rename one.")
      }
      asked.append(program)
      switch try enter(program, word) {
      case .ready(let entry): programs.append(entry)
      case .leftOut(let facts, _): leftOut.append(facts)
      }
    }
  }

  /// Prepares and starts a program, and hears its hello. Throws a `LabFailure` when no process can be had.
  ///
  /// - Parameters:
  ///   - word: what the person called it.
  ///   - begins: is called before it is prepared, if that has to be done.
  package static func candidate(
    _ program: SubjectProgram, called word: String, begins: () -> Void = {}
  ) throws -> Candidate {
    var facts = ProgramFacts(name: program.name, leftOut: "")
    facts.called = word == program.name ? nil : word
    let reason: String?
    do { reason = try SubjectPreparation.run(program, begins: begins) } catch let failure as LabFailure {
      reason = failure.message
    }
    if let reason {
      facts.leftOut = reason
      return .leftOut(facts, lastWords: [])
    }
    do {
      let claims = try SubjectEntry.claims(of: program)
      return .ready(SubjectEntry(program: program, claims: claims, deviations: nil, word: word))
    } catch let trouble as SubjectPool.Trouble {
      let (text, head) = (trouble.fault.text, "\(program.name): ")
      facts.leftOut = text.hasPrefix(head) ? String(text.dropFirst(head.count)) : text
      return .leftOut(facts, lastWords: trouble.lastWords.suffix(lastWords))
    }
  }
}
