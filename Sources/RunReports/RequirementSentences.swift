import ReportMarkup
import ScenarioModel

/// What the ids of requirements on a page say. An id whose sentence is not known stands as it is.
struct RequirementSentences {
  private let sentences: [String: String]
  private let page: String?

  /// - Parameters:
  ///   - sentences: by id.
  ///   - page: a file with all requirements, each at its id, and what proves it; nil: there is none.
  init(_ sentences: [String: String], page: String? = nil) {
    self.sentences = sentences
    self.page = page
  }

  /// Characters of a sentence that is shown where its id is.
  private static let most = 600

  /// The id, with its sentence as its title, leading to the list at the page's end.
  func pill(_ id: String) -> Markup {
    guard let sentence = sentences[id] else { return "<span class=\"pill\">\(id, clipped: 60)</span>" }
    return """
      <a class="pill" href="#\(Self.fragment(id))" title="\(sentence, clipped: Self.most)">\(id, clipped: 60)</a>
      """
  }

  /// The sentence in a line of its own, for where it matters most.
  func line(_ id: String?) -> Markup? {
    id.flatMap { sentences[$0] }.map { "<p class=\"quiet\">\($0, clipped: Self.most)</p>" }
  }

  /// The sentences of all ids that the cases name, in the order of the ids; nil if none is known.
  func section(_ groups: [ScenarioGroup]) -> Markup? {
    var ids: Set<String> = []
    for entry in groups.lazy.flatMap(\.cases) {
      ids.formUnion(entry.result.requirements)
      ids.formUnion(entry.result.deviations.compactMap(\.requirement))
    }
    let rows = ids.sorted().compactMap { id in
      sentences[id].map { sentence -> Markup in
        """
        <div id="\(Self.fragment(id))"><dt>\(name(id))</dt><dd>\(sentence, clipped: Self.most)</dd></div>

        """
      }
    }
    guard !rows.isEmpty else { return nil }
    return """
      <section class="meanings"><h2>What the requirements say</h2><dl>
      \(rows)</dl></section>

      """
  }

  /// The id, leading to what proves it.
  private func name(_ id: String) -> Markup {
    guard let page else { return "\(id, clipped: 60)" }
    return "<a href=\"\(page)#\(id)\">\(id, clipped: 60)</a>"
  }

  private static func fragment(_ id: String) -> String { "requirement-\(id)" }
}
