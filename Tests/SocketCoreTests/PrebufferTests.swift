import SocketCore
import TestSupport
import Testing

@Suite("Prebuffer")
struct PrebufferTests {
  /// Random work against an array: whatever is done, both hold the same bytes, and a search finds what the oracle
  /// finds.
  @Test("agrees with an array under random operations", arguments: 0..<30)
  func agreesWithArray(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var prebuffer = Prebuffer()
    var model: [UInt8] = []
    var delimiter = try #require(Delimiter([13, 10]))
    for step in 0..<1000 {
      switch random.int(0...9) {
      case 0...2: Self.fill(&prebuffer, &model, &random)
      case 3:
        let bytes = random.bytes(random.int(0...200), from: [13, 10, 97])
        bytes.withUnsafeBytes { prebuffer.append($0) }
        model += bytes
      case 4:
        let wanted = random.int(0...model.count)
        #expect(prebuffer.take(wanted).array == Array(model.prefix(wanted)))
        model.removeFirst(wanted)
      case 5: Self.move(&prebuffer, &model, &random)
      case 6:
        // Another operation, another delimiter: the memo of the old search must not count.
        delimiter = try #require(Delimiter(random.bytes(random.int(1...4), from: [13, 10, 97])))
        prebuffer.forgetSearch()
      case 7: prebuffer.trim()
      default:
        let limit = random.oneIn(3) ? Int.max : random.int(1...60)
        let expected = NaiveReader.end(of: delimiter.bytes, in: Array(model.prefix(limit)))
        let found = prebuffer.end(of: delimiter, limit: limit)
        guard found == expected else {
          Issue.record("step \(step), limit \(limit): \(found as Any) instead of \(expected as Any)")
          return
        }
      }
      guard prebuffer.bytes.elementsEqual(model), prebuffer.count == model.count else {
        Issue.record("step \(step): \(Array(prebuffer.bytes)) instead of \(model)")
        return
      }
    }
  }

  /// Fills a part of the room, as a receive does.
  private static func fill(_ prebuffer: inout Prebuffer, _ model: inout [UInt8], _ random: inout SeededGenerator) {
    let wanted = random.int(1...300)
    let room = prebuffer.room(atLeast: wanted)
    #expect(room.count >= wanted)
    let bytes = random.bytes(random.int(0...wanted), from: [13, 10, 97])
    room.copyBytes(from: bytes)
    prebuffer.filled(bytes.count)
    model += bytes
  }

  private static func move(_ prebuffer: inout Prebuffer, _ model: inout [UInt8], _ random: inout SeededGenerator) {
    let block = ByteBlock(capacity: random.int(1...120))
    let limit = random.int(0...150)
    let moved = prebuffer.move(to: block, limit: limit)
    #expect(moved == min(limit, model.count, block.capacity))
    #expect(block.array == Array(model.prefix(moved)))
    model.removeFirst(moved)
  }

  /// A byte that a search has passed is not looked at again: a match that is planted there afterwards stays unseen.
  /// So n bytes that drip in cost n looks, not n² (RD-DELIM-19).
  @Test("looks at each byte once per search, however it drips in", arguments: [1, 2, 4, 32, 33, 100])
  func searchIsLinear(needleLength: Int) throws {
    let needle = [UInt8](repeating: 0x21, count: needleLength)
    let delimiter = try #require(Delimiter(needle))
    var prebuffer = Prebuffer()
    for _ in 0..<3000 {
      [UInt8(0x20)].withUnsafeBytes { prebuffer.append($0) }
      guard prebuffer.end(of: delimiter, limit: .max) == nil else {
        Issue.record("looked again at a byte it had passed, at \(prebuffer.count)")
        return
      }
      guard prebuffer.count >= needleLength, let base = prebuffer.bytes.baseAddress else { continue }
      // Only a match that ends in bytes yet to come may still begin here.
      let passed = UnsafeMutableRawPointer(mutating: base)
      let safe = prebuffer.count - needleLength + 1
      passed.storeBytes(of: 0x21, toByteOffset: safe - 1, as: UInt8.self)
    }
    needle.withUnsafeBytes { prebuffer.append($0) }
    #expect(prebuffer.end(of: delimiter, limit: .max) != nil)
  }

  /// Long delimiters are searched for in another way than short ones; content and delimiters that resemble themselves
  /// are what goes wrong there (RD-DELIM-06, RD-DELIM-07, RD-DELIM-13).
  @Test("long delimiters that resemble themselves and the content", arguments: 0..<8)
  func longDelimiters(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for round in 0..<150 {
      let needle = Self.selfSimilar(random.int(28...70), &random)
      let delimiter = try #require(Delimiter(needle))
      var prebuffer = Prebuffer()
      var model: [UInt8] = []
      let limit = random.oneIn(2) ? Int.max : needle.count + random.int(0...40)
      for _ in 0..<60 {
        // Prefixes and suffixes of the delimiter, so that nearly every place looks like its beginning.
        let piece = random.oneIn(2) ? needle.prefix(random.int(1...needle.count)) : needle.suffix(random.int(1...9))
        piece.withUnsafeBytes { prebuffer.append($0) }
        model += piece
        let expected = NaiveReader.end(of: needle, in: Array(model.prefix(limit)))
        let found = prebuffer.end(of: delimiter, limit: limit)
        guard found == expected, prebuffer.end(of: delimiter, limit: limit) == expected else {
          Issue.record("round \(round): \(needle) in \(model), limit \(limit): \(found as Any), not \(expected as Any)")
          return
        }
        guard let taken = found ?? (model.count >= limit ? limit : nil) else { continue }
        #expect(prebuffer.take(taken).array == Array(model.prefix(taken)))
        model.removeFirst(taken)
        prebuffer.forgetSearch()
      }
    }
  }

  /// A short pattern again and again, perhaps with one byte changed.
  private static func selfSimilar(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let pattern = random.bytes(random.int(1...5), from: [97, 98])
    var bytes = (0..<count).map { pattern[$0 % pattern.count] }
    if random.oneIn(2) { bytes[random.int(0...(count - 1))] ^= 3 }
    return bytes
  }

  enum Reset: String, CaseIterable, Sendable { case forget, take, move }

  @Test("forgets how far it searched when another search begins", arguments: Reset.allCases)
  func searchMemoIsReset(reset: Reset) throws {
    let first = try #require(Delimiter(Array("END".utf8)))
    let second = try #require(Delimiter(Array(";".utf8)))
    var prebuffer = Prebuffer()
    Array("a;b;cdefghij".utf8).withUnsafeBytes { prebuffer.append($0) }
    #expect(prebuffer.end(of: first, limit: .max) == nil)
    switch reset {
    case .forget:
      prebuffer.forgetSearch()
      #expect(prebuffer.end(of: second, limit: .max) == 2)
    case .take:
      #expect(prebuffer.take(2).array == Array("a;".utf8))
      #expect(prebuffer.end(of: second, limit: .max) == 2)
    case .move:
      #expect(prebuffer.move(to: ByteBlock(capacity: 2), limit: 9) == 2)
      #expect(prebuffer.end(of: second, limit: .max) == 2)
    }
  }

  @Test(
    "finds a delimiter over every seam of two appends (RD-DELIM-04)", arguments: ["\r\n", "\r\n\r\n", "abab!", "aab"])
  func seams(needle: String) throws {
    let delimiter = try #require(Delimiter(Array(needle.utf8)))
    let text = Array(("\r" + needle.dropLast() + "\r" + needle + "rest").utf8)
    let end = try #require(NaiveReader.end(of: delimiter.bytes, in: text))
    for cut in 0...text.count {
      var prebuffer = Prebuffer()
      text[..<cut].withUnsafeBytes { prebuffer.append($0) }
      let early = prebuffer.end(of: delimiter, limit: .max)
      #expect(early == (cut >= end ? end : nil))
      text[cut...].withUnsafeBytes { prebuffer.append($0) }
      #expect(prebuffer.end(of: delimiter, limit: .max) == end, "cut at \(cut)")
    }
  }

  // MARK: Memory

  @Test("an empty prebuffer holds no memory after a trim (UB-27)")
  func emptyHoldsNothing() {
    var prebuffer = Prebuffer()
    [UInt8](repeating: 7, count: 1 << 20).withUnsafeBytes { prebuffer.append($0) }
    #expect(prebuffer.take(10).count == 10)
    #expect(prebuffer.take(prebuffer.count).count == (1 << 20) - 10)
    prebuffer.trim()
    #expect(prebuffer.capacity == 0)
  }

  @Test("a leftover byte does not keep a burst's memory (UB-27)")
  func leftoverHoldsLittle() {
    var prebuffer = Prebuffer()
    [UInt8](repeating: 7, count: 8 << 20).withUnsafeBytes { prebuffer.append($0) }
    #expect(prebuffer.take((8 << 20) - 3).count == (8 << 20) - 3)
    prebuffer.trim()
    #expect(prebuffer.count == 3)
    #expect(Array(prebuffer.bytes) == [7, 7, 7])
    #expect(prebuffer.capacity <= 1 << 18)
  }

  @Test("taking nearly everything hands the memory on instead of copying it")
  func takesWholeBlock() throws {
    var prebuffer = Prebuffer()
    let room = prebuffer.room(atLeast: 1000)
    let address = try #require(room.baseAddress)
    prebuffer.filled(900)
    let block = prebuffer.take(900)
    #expect(block.bytes.baseAddress == UnsafeRawPointer(address))
    #expect(prebuffer.isEmpty)
    #expect(Array(prebuffer.bytes) == [])
    // And what was handed on is not written again.
    #expect(prebuffer.room(atLeast: 10).baseAddress != address)
  }

  @Test("a taken block is independent of later work (RDQ-12)")
  func takenBlocksStay() {
    var prebuffer = Prebuffer()
    Array("onetwo".utf8).withUnsafeBytes { prebuffer.append($0) }
    let one = prebuffer.take(3)
    let two = prebuffer.take(3)
    Array("xxxxxxxxx".utf8).withUnsafeBytes { prebuffer.append($0) }
    #expect(one.array == Array("one".utf8))
    #expect(two.array == Array("two".utf8))
  }
}
