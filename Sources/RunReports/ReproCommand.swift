import ReportMarkup
import ScenarioModel
import Synchronization

/// The command that runs one case again, as every report prints it.
package enum ReproCommand {
  /// What a person types to call the lab, ready for a shell.
  private static let program = Mutex("./lab")

  /// Makes all commands begin with what the person typed to call the lab. For the beginning of a program: reports of
  /// one run begin all commands alike.
  package static func begin(with word: String) { program.withLock { $0 = quoted(word) } }

  /// What the person typed for subjects that are not called by their names.
  private static let words = Mutex<[String: String]>([:])

  /// Makes commands about this program name it as the person did, such as by its path.
  package static func name(_ program: String, as word: String) { words.withLock { $0[program] = word } }

  /// What commands call this program.
  package static func called(_ program: String) -> String { words.withLock { $0[program] } ?? program }

  /// Options that the person typed and without which the same case would be another, by their names.
  private static let options = Mutex<[String: String]>([:])

  /// Makes all commands have this option, such as `--scenarios` and the folder.
  package static func keep(_ option: String, _ value: String) { options.withLock { $0[option] = value } }

  /// `./lab run read/line --world loopback --seed 7 --variant ipv4-bytes`, ready for a POSIX shell. Other verbs than
  /// `run` name the case in the same way.
  package static func text(_ result: CaseResult, verb: String = "run") -> String {
    text(
      scenario: result.scenario, variant: result.variant.name, world: result.world, seed: result.seed, verb: verb,
      subject: result.variant.program.map(called))
  }

  /// The same of a case at a variant of its scenario.
  package static func text(scenario: String, _ variant: Variant, world: WorldName, seed: UInt64) -> String {
    text(
      scenario: scenario, variant: variant.name, world: world, seed: seed,
      subject: variant.program.map(called))
  }

  /// The same for a case that is known by its names alone.
  ///
  /// - Parameter subject: what the program is called by; nil: the case is the library's.
  package static func text(
    scenario: String, variant: String, world: WorldName, seed: UInt64, verb: String = "run", subject: String? = nil
  ) -> String {
    let program = program.withLock { $0 }
    let place = "--world \(world.rawValue) --seed \(seed) --variant \(quoted(variant))"
    return "\(program) \(verb) \(quoted(scenario)) \(place)" + (subject.map { " --subject \(quoted($0))" } ?? "")
      + keptOptions
  }

  /// `./lab check read/line`: what else a person is to type, with the options that the person typed.
  package static func text(verb: String, _ words: [String]) -> String {
    ([program.withLock { $0 }, verb] + words.map(quoted)).joined(separator: " ") + keptOptions
  }

  private static var keptOptions: String {
    options.withLock { $0.sorted { $0.key < $1.key } }.map { " \($0.key) \(quoted($0.value))" }.joined()
  }

  /// The word as it stands in a shell's command.
  static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "@"):
        true
      default: false
      }
    }
    guard !plain || word.isEmpty else { return word }
    var quoted = "'"
    for scalar in VisibleText.scrub(word).unicodeScalars {
      if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }
}
