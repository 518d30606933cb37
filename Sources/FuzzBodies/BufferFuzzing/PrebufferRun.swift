import FuzzHarness
import SocketCore

/// A prebuffer and its model.
struct PrebufferRun<Buffer: ReceiveBuffer> {
  typealias Operation = PrebufferFuzzing.Operation

  private var buffer = Buffer()
  private var model: [UInt8] = []
  /// What the search is for; a change of it must be told.
  private var delimiter: Delimiter
  private var otherDelimiter: Delimiter
  /// What was taken last: it is the taker's alone.
  private var taken: (block: ByteBlock, bytes: [UInt8])?
  /// Much room costs much time: it is asked for a few times only.
  private var muchLeft = 2

  /// The envelopes of the alphabet that payloads are made of.
  private static func envelope(_ byte: UInt8) -> UInt8 { 0x61 + (byte & 3) }

  init(delimiters: UInt8) {
    (delimiter, otherDelimiter) = Self.delimiters[Int(delimiters) % Self.delimiters.count]
    model.reserveCapacity(512)
  }

  /// Short and long ones; made once.
  private static var delimiters: [(Delimiter, Delimiter)] { PrebufferDelimiters.pairs }

  mutating func perform(_ operation: Operation, _ input: inout FuzzInput) -> Violation? {
    let violation: Violation? =
      switch operation {
      case .append: append(input.payload(Int(input.byte()) % 9))
      case .appendMore: append(input.payload(Int(input.byte())))
      case .receive: receive(atLeast: Int(input.byte()), preferring: 0, &input)
      case .receivePreferring: receive(atLeast: Int(input.byte()) + 1, preferring: input.word() % 2048, &input)
      case .receiveNothing: receiveNothing(atLeast: input.word() % 4096)
      case .receiveMuch: receiveMuch()
      case .end: search(limit: .max)
      case .endLimited: search(limit: Int(input.byte()))
      case .forget: forget()
      case .take: take(Int(input.byte()))
      case .takeAll: take(model.count)
      case .takeFound: takeFound()
      case .move: move(into: Int(input.byte()), limit: .max)
      case .moveLimited: move(into: 256, limit: Int(input.byte()))
      case .trim: trim()
      case .exchange: exchange()
      }
    return violation ?? compare()
  }

  /// What was taken is looked at for the last time.
  func finish() -> Violation? { compareTaken() }

  // MARK: Bytes in

  private mutating func append(_ payload: UnsafeRawBufferPointer) -> Violation? {
    let before = buffer.capacity
    let kept = model.count
    withUnsafeTemporaryAllocation(byteCount: max(payload.count, 1), alignment: 16) { room in
      for index in 0..<payload.count { room[index] = Self.envelope(payload[index]) }
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<payload.count])
      buffer.append(bytes)
      model += bytes
    }
    return payload.isEmpty ? nil : judgeGrowth(from: before, kept: kept, wanted: payload.count)
  }

  private mutating func receive(
    atLeast wanted: Int, preferring preferred: Int, _ input: inout FuzzInput
  ) -> Violation? {
    let before = buffer.capacity
    let kept = model.count
    let room = buffer.room(atLeast: wanted, preferring: preferred)
    guard room.count >= wanted else {
      return Violation("prebuffer/room", "\(room.count) bytes of room where \(wanted) were asked for")
    }
    let payload = input.payload(min(room.count, Int(input.byte())))
    for index in 0..<payload.count {
      room[index] = Self.envelope(payload[index])
      model.append(Self.envelope(payload[index]))
    }
    buffer.filled(payload.count)
    return judgeGrowth(from: before, kept: kept, wanted: max(wanted, preferred))
  }

  /// The transport wrote into the room and said that nothing came.
  private mutating func receiveNothing(atLeast wanted: Int) -> Violation? {
    let room = buffer.room(atLeast: wanted, preferring: 0)
    guard room.count >= wanted else {
      return Violation("prebuffer/room", "\(room.count) bytes of room where \(wanted) were asked for")
    }
    room.prefix(64).initializeMemory(as: UInt8.self, repeating: 0xEE)
    return nil
  }

  /// A burst, so that giving memory back is about something.
  private mutating func receiveMuch() -> Violation? {
    guard muchLeft > 0 else { return nil }
    muchLeft -= 1
    _ = buffer.room(atLeast: 300_000, preferring: 0)
    return nil
  }

  /// Growing takes what is asked for, or doubles.
  private func judgeGrowth(from before: Int, kept: Int, wanted: Int) -> Violation? {
    let bound = max(before, kept + wanted, kept * 2, 1)
    guard buffer.capacity > bound else { return nil }
    return Violation(
      "prebuffer/memory", "\(buffer.capacity) bytes are held for \(kept) with room for \(wanted); before \(before)")
  }

  // MARK: Searching

  private mutating func search(limit: Int) -> Violation? {
    let found = buffer.end(of: delimiter, limit: limit)
    let wanted = naiveEnd(limit: limit)
    guard found != wanted else { return nil }
    let places = [found, wanted].map { $0.map(String.init) ?? "nowhere" }
    return Violation("prebuffer/search", "the delimiter is found at \(places[0]) instead of \(places[1])")
  }

  private func naiveEnd(limit: Int) -> Int? {
    let window = min(model.count, limit)
    let length = delimiter.count
    guard window >= length else { return nil }
    return delimiter.bytes.withUnsafeBytes { needle -> Int? in
      model.withUnsafeBytes { model -> Int? in
        for start in 0...(window - length) where model[start] == needle[0] {
          let place = UnsafeRawBufferPointer(rebasing: model[start..<(start + length)])
          if areSame(place, needle) { return start + length }
        }
        return nil
      }
    }
  }

  private mutating func forget() -> Violation? {
    buffer.forgetSearch()
    return nil
  }

  private mutating func exchange() -> Violation? {
    swap(&delimiter, &otherDelimiter)
    buffer.forgetSearch()
    return nil
  }

  // MARK: Bytes out

  private mutating func take(_ wanted: Int) -> Violation? {
    if let violation = compareTaken() { return violation }
    let count = min(wanted, model.count)
    let block = buffer.take(count)
    taken = (block, Array(model[..<count]))
    model.removeFirst(count)
    return compareTaken()
  }

  /// As a read to a delimiter does it.
  private mutating func takeFound() -> Violation? {
    guard let end = buffer.end(of: delimiter, limit: .max) else { return search(limit: .max) }
    guard end == naiveEnd(limit: .max) else { return search(limit: .max) }
    return take(end)
  }

  private mutating func move(into capacity: Int, limit: Int) -> Violation? {
    let block = ByteBlock(capacity: capacity)
    let wanted = min(model.count, limit, block.capacity)
    let moved = buffer.move(to: block, limit: limit)
    guard moved == wanted, block.count == moved, same(block.bytes, model, moved) else {
      return Violation("prebuffer/taken", "\(moved) bytes were moved instead of \(wanted), or not those of the front")
    }
    model.removeFirst(moved)
    return nil
  }

  private mutating func trim() -> Violation? {
    buffer.trim()
    let allowed = model.isEmpty ? 0 : 4 * max(model.count, 1 << 16)
    guard buffer.capacity > allowed else { return nil }
    return Violation("prebuffer/memory", "\(buffer.capacity) bytes are held for \(model.count) after trim")
  }

  // MARK: Comparing

  private func compare() -> Violation? {
    let bytes = buffer.bytes
    guard bytes.count == model.count, buffer.count == model.count, buffer.isEmpty == model.isEmpty,
      buffer.capacity >= model.count, same(bytes, model, model.count)
    else {
      return Violation("prebuffer/content", "\(bytes.count) bytes instead of \(model.count), or others")
    }
    return nil
  }

  private func compareTaken() -> Violation? {
    guard let taken, taken.block.count != taken.bytes.count || !same(taken.block.bytes, taken.bytes, taken.bytes.count)
    else { return nil }
    return Violation(
      "prebuffer/taken", "\(taken.block.count) bytes were taken instead of \(taken.bytes.count), or others")
  }

  private func same(_ bytes: UnsafeRawBufferPointer, _ expected: [UInt8], _ count: Int) -> Bool {
    guard count > 0 else { return true }
    guard bytes.count >= count, expected.count >= count else { return false }
    return expected.withUnsafeBytes {
      areSame(UnsafeRawBufferPointer(rebasing: bytes[..<count]), UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }
}

/// Made of the envelopes that payloads consist of; pairs that have much in common.
private enum PrebufferDelimiters {
  static let pairs: [(Delimiter, Delimiter)] = [
    ("a", "b"), ("aab", "ab"), ("abab", "aba"), ("aa", "aaa"), ("abcd", "dcba"),
    (String(repeating: "ab", count: 17), "ab"), (String(repeating: "a", count: 33), String(repeating: "a", count: 34)),
    (String(repeating: "aab", count: 12), String(repeating: "aab", count: 11) + "aac"),
  ].compactMap { one, other in
    guard let one = Delimiter(Array(one.utf8)), let other = Delimiter(Array(other.utf8)) else { return nil }
    return (one, other)
  }
}
