import Conversations
import HostTools
import ScenarioDrafts
import ScenarioModel
import TerminalText

/// What is seen of scenarios that are written.
enum DraftPrinter {
  @Sendable static func print(_ event: DraftFolder.Event) {
    switch event {
    case .written(let file, let conversation, let draft):
      let sizes = Conversation.Side.allCases.map { "\($0.rawValue) \(QuantityText.size(conversation.count(of: $0)))" }
      let told = "\(sizes.joined(separator: ", ")); the peer plays the \(draft.peer.rawValue)"
      Console.print("\(Console.styled("✓", .good)) \(file)  \(told)")
      for remark in conversation.notes + draft.remarks { Console.print(Console.styled("    \(remark)", .quiet)) }
    case .unreadable(let file, let diagnostics, let bytes):
      DiagnosticOutput.print(diagnostics, of: file, bytes)
    }
  }

  /// What was replaced; nothing of it stands in the files.
  static func printReplacements(_ folder: DraftFolder) {
    guard let replacements = folder.replacements else { return }
    for one in replacements {
      let what = "\(one.kind.rawValue): \(one.original.prefix(60)) → \(one.replacement.prefix(60))"
      Console.print("Replaced \(what)  (\(one.times)×)")
    }
    if replacements.isEmpty { Console.print("Nothing was found to be replaced.") }
  }
}
