import SocketCore

/// What a list of reads must get from a stream of bytes, computed in the dullest way: the whole stream lies there, each
/// read cuts its piece off. Segments, buffers and time don't exist here (RDQ-17).
///
/// How much a read-any takes depends on the segments, so its lengths are given: those that were seen. The oracle then
/// says what everything else must be.
package struct NaiveReader: Sendable {
  package enum Read: Sendable {
    case available(limit: Int)
    case exactly(Int)
    /// `limit` 0: none.
    case through([UInt8], limit: Int)

    /// The same read as the machine takes it, without a timeout; nil if the call is a no-op.
    package func request(tag: Int, timeout: Double = -1) -> ReadRequest? {
      switch self {
      case .available(let limit): .available(limit: limit, timeout: timeout, tag: tag)
      case .exactly(let length): .exactly(length, timeout: timeout, tag: tag)
      case .through(let delimiter, let limit): .through(delimiter, limit: limit, timeout: timeout, tag: tag)
      }
    }
  }

  /// How the connection stands when all bytes were sent and the peer has done what it does.
  package enum Ending: Equatable, Sendable {
    case open
    case readClosed
    case closed(RecordedFailure)
  }

  package struct Result: Equatable, Sendable {
    /// The bytes of the completed reads, with the index of the read.
    package var completions: [Completion] = []
    package var ending = Ending.open

    package init() {}
  }

  package struct Completion: Equatable, Sendable {
    package var read: Int
    package var bytes: [UInt8]

    package init(read: Int, bytes: [UInt8]) {
      self.read = read
      self.bytes = bytes
    }
  }

  package var reads: [Read]
  package var stream: [UInt8]
  package var end: MemoryTransport.PeerEnd
  package var closesOnEndOfStream: Bool

  package init(
    reads: [Read], stream: [UInt8], end: MemoryTransport.PeerEnd, closesOnEndOfStream: Bool = true
  ) {
    self.reads = reads
    self.stream = stream
    self.end = end
    self.closesOnEndOfStream = closesOnEndOfStream
  }

  /// `anyLengths`: what the read-anys took, in order; nil if that can't be (none, more than the limit, more than there
  /// is, or nothing although something was there).
  package func result(anyLengths: [Int] = []) -> Result? {
    var result = Result()
    var rest = stream[...]
    var anyLengths = anyLengths[...]
    for (index, read) in reads.enumerated() {
      let count: Int
      switch cut(read, rest, &anyLengths) {
      case .noOp: continue
      case .impossible: return nil
      case .overflow:
        result.ending = .closed(.readMaxedOut)
        return anyLengths.isEmpty ? result : nil
      case .waits:
        result.ending = endingOfStream
        return anyLengths.isEmpty ? result : nil
      case .takes(let found): count = found
      }
      result.completions.append(Completion(read: index, bytes: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    // Bytes that no read asked for hide the end (RDQ-07, RDQ-09).
    if rest.isEmpty { result.ending = endingOfStream }
    return result
  }

  private enum Cut { case takes(Int), waits, overflow, noOp, impossible }

  private func cut(_ read: Read, _ rest: ArraySlice<UInt8>, _ anyLengths: inout ArraySlice<Int>) -> Cut {
    switch read {
    case .available(let limit):
      guard !rest.isEmpty else { return .waits }
      guard let seen = anyLengths.popFirst(), seen > 0, seen <= rest.count, limit == 0 || seen <= limit else {
        return .impossible
      }
      return .takes(seen)
    case .exactly(let length):
      if length == 0 { return .noOp }
      return length <= rest.count ? .takes(length) : .waits
    case .through(let delimiter, let limit):
      if delimiter.isEmpty || (limit > 0 && limit < delimiter.count) { return .noOp }
      let window = limit == 0 ? rest : rest.prefix(limit)
      if let end = Self.end(of: delimiter, in: Array(window)) { return .takes(end) }
      return limit > 0 && rest.count >= limit ? .overflow : .waits
    }
  }

  private var endingOfStream: Ending {
    switch end {
    case .open: .open
    case .finished: closesOnEndOfStream ? .closed(.closedByPeer) : .readClosed
    case .reset: .closed(.posix(104, call: "read"))
    }
  }

  /// The offset behind the first occurrence, by trying every place.
  package static func end(of needle: [UInt8], in haystack: [UInt8], from start: Int = 0) -> Int? {
    var place = start
    while place + needle.count <= haystack.count {
      if Array(haystack[place..<(place + needle.count)]) == needle { return place + needle.count }
      place += 1
    }
    return nil
  }
}
