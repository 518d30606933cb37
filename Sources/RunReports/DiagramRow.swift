import ScenarioModel

/// One row of a swim-lane diagram.
struct DiagramRow: Hashable {
  enum Content: Hashable {
    case event(EventWords)
    /// That many rows are not shown here.
    case omitted(Int)
  }

  var content: Content
  /// Place of the (first) event in the trace.
  var index: Int
  var at: Duration
  /// Instant of the last of several equal rows; `at` for a single one.
  var until: Duration
  /// How many equal rows it stands for.
  var times = 1
  /// Further events whose content was merged into the row.
  var mergedCount = 0
  /// The expectation that the event met; nil when there is a deviation at the event, whatever else it met.
  var met: SourcePosition?
  /// Deviations at this event.
  var deviations: [Deviation] = []

  /// At most this many rows are drawn, half from the beginning of the case and half from its end; rows with deviations
  /// always are.
  static let most = 200

  /// The rows of a case, and the deviations that belong to no event.
  static func rows(of result: CaseResult) -> (rows: [DiagramRow], unplaced: [Deviation]) {
    var byEvent: [Int: [Deviation]] = [:]
    var unplaced: [Deviation] = []
    for deviation in result.deviations {
      if let index = deviation.traceIndex, result.trace.events.indices.contains(index) {
        byEvent[index, default: []].append(deviation)
      } else {
        unplaced.append(deviation)
      }
    }
    let rows = result.trace.events.enumerated().map { index, event in
      DiagramRow(
        content: .event(EventWords(event.kind)), index: index, at: event.at, until: event.at,
        met: byEvent[index] == nil ? result.matches[index] : nil, deviations: byEvent[index] ?? [])
    }
    let told = thinned(TLSRows.merge(withoutSendResults(rows), result.trace))
    return (capped(collapsed(told)), unplaced)
  }

  /// Leaves out a peer's `sent` when all bytes of its `send` went out: the row would repeat it.
  private static func withoutSendResults(_ rows: [DiagramRow]) -> [DiagramRow] {
    var kept: [DiagramRow] = []
    var open: [EventWords.Lane: String] = [:]
    for row in rows {
      guard case .event(let words) = row.content else { continue }
      if words.kind == .action, words.word == "send" { open[words.lane] = words.detail }
      if words.kind == .sight, words.word == "sent", open[words.lane] == words.detail, row.deviations.isEmpty {
        open[words.lane] = nil
        continue
      }
      kept.append(row)
    }
    return kept
  }

  /// Packets that are drawn: a transfer has thousands, and what is said of the sockets must not drown in them.
  private static let maxPackets = 80

  /// Leaves out packets in the middle of the case.
  private static func thinned(_ rows: [DiagramRow]) -> [DiagramRow] {
    let packets = rows.indices.filter { index in
      if case .event(let words) = rows[index].content { words.kind == .packet } else { false }
    }
    guard packets.count > maxPackets else { return rows }
    let hidden = Set(packets).subtracting(
      Excerpt.indices(of: packets.count, head: maxPackets / 2, tail: maxPackets / 2).map { packets[$0] })
    var kept: [DiagramRow] = []
    var omitted = 0
    for (index, row) in rows.enumerated() {
      if hidden.contains(index), row.deviations.isEmpty {
        omitted += 1
        continue
      }
      if omitted > 0 { kept.append(gap(omitted, before: row)) }
      omitted = 0
      kept.append(row)
    }
    return kept
  }

  /// The part of a row in which rows must be equal to be counted instead of shown one by one.
  private struct Likeness: Hashable {
    var words: EventWords
    var met: SourcePosition?

    init?(_ row: DiagramRow) {
      guard row.deviations.isEmpty, case .event(var words) = row.content else { return nil }
      words.payload = nil
      words.records?.plain = nil
      if words.records != nil { words.wire = "" }
      if words.kind == .action || words.kind == .sight || words.word.hasSuffix("Partial") { words.detail = "" }
      self.words = words
      met = row.met
    }
  }

  /// At least three equal rows, or equal groups of up to four rows, in a row become one row or group with a count.
  private static func collapsed(_ rows: [DiagramRow]) -> [DiagramRow] {
    let likeness = rows.map(Likeness.init)
    var kept: [DiagramRow] = []
    var start = 0
    while start < rows.count {
      var best = (period: 1, times: 1)
      for period in 1...4 {
        let times = repeats(likeness, from: start, period: period)
        if times >= 3, (times - 1) * period > (best.times - 1) * best.period { best = (period, times) }
      }
      for offset in 0..<best.period {
        let run = stride(from: start + offset, to: start + best.period * best.times, by: best.period)
        kept.append(merged(run.map { rows[$0] }))
      }
      start += best.period * best.times
    }
    return kept
  }

  private static func repeats(_ likeness: [Likeness?], from start: Int, period: Int) -> Int {
    guard start + period <= likeness.count else { return 1 }
    for index in start..<(start + period) where likeness[index] == nil { return 1 }
    var end = start + period
    while end < likeness.count, likeness[end] == likeness[end - period] { end += 1 }
    return (end - start) / period
  }

  private static func merged(_ rows: [DiagramRow]) -> DiagramRow {
    var merged = rows[0]
    guard rows.count > 1, case .event(var words) = merged.content else { return merged }
    for row in rows.dropFirst() {
      merged.until = row.until
      merged.mergedCount += row.mergedCount
      guard case .event(let next) = row.content, let payload = next.payload else { continue }
      words.payload = words.payload?.joined(payload)
      if let records = next.records { words.records?.add(RecordContent(plain: records.plain)) }
    }
    if words.records != nil {
      words.describeRecords()
    } else if let payload = words.payload, words.kind == .action || words.kind == .sight {
      words.detail = "\(QuantityText.size(payload.total)) in all"
    } else if words.word.hasSuffix("Partial") {
      words.detail = words.detail.split(separator: ",").first.map(String.init) ?? ""
    }
    merged.content = .event(words)
    merged.times = rows.count
    return merged
  }

  private static func capped(_ rows: [DiagramRow]) -> [DiagramRow] {
    guard rows.count > most else { return rows }
    let chosen = Set(Excerpt.indices(of: rows.count, head: most / 2, tail: most / 2))
    var kept: [DiagramRow] = []
    var omitted = 0
    for (index, row) in rows.enumerated() {
      if chosen.contains(index) || !row.deviations.isEmpty {
        if omitted > 0 { kept.append(gap(omitted, before: row)) }
        omitted = 0
        kept.append(row)
      } else {
        omitted += 1
      }
    }
    return kept
  }

  private static func gap(_ count: Int, before row: DiagramRow) -> DiagramRow {
    DiagramRow(content: .omitted(count), index: row.index, at: row.at, until: row.at)
  }
}
