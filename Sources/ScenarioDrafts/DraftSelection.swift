import Conversations
import HostTools
import ScenarioModel

/// Which conversations of a capture become scenarios, and what the first trouble was.
///
/// Laws
/// - Each conversation that is wanted has the number of its place among those, whether it is written or not.
/// - No more than `most` are written, and the others are counted.
/// - After a failure nothing more is written.
package struct DraftSelection: Sendable {
  /// Where they go.
  package private(set) var folder: DraftFolder
  /// How many were wanted and had no room.
  package private(set) var leftOut = 0
  /// Why one could not be written; nil: all were.
  package private(set) var failure: LabFailure?
  private let name: String
  private let source: String
  private let port: UInt16?
  private let most: Int
  private var number = 0

  /// - Parameters:
  ///   - name: what files are called, before a hyphen and their number.
  ///   - source: what files say they come from.
  ///   - port: of one of the ends; nil: any.
  ///   - most: so many at most.
  package init(folder: DraftFolder, name: String, source: String, port: UInt16?, most: Int) {
    (self.folder, self.name, self.source, self.port, self.most) = (folder, name, source, port, most)
  }

  /// Writes the conversation, if it is wanted and there is room.
  package mutating func take(_ conversation: Conversation) {
    guard failure == nil, isWanted(conversation) else { return }
    number += 1
    guard folder.written.count < most else { return leftOut += 1 }
    do {
      try folder.write(conversation, name: "\(name)-\(number)", source: "\(source), connection \(number)")
    } catch {
      failure = error as? LabFailure ?? LabFailure("\(error)")
    }
  }

  private func isWanted(_ conversation: Conversation) -> Bool {
    guard let port else { return true }
    return [conversation.client, conversation.server].contains { $0.hasSuffix(":\(port)") }
  }
}
