import FuzzHarness
import SocketCore

/// Where the frames of a stream end, by looking at every place.
///
/// The last eight bytes slide along as one number, so that a place costs one comparison; only a delimiter of more bytes
/// is then compared as a whole.
struct NaiveFrames {
  let ends: UnsafeMutableBufferPointer<Int>
  private(set) var count = 0
  /// Whether what follows the last frame is too long.
  private(set) var overflows = false

  /// `ends` must have room for one frame per byte.
  init(_ stream: UnsafeRawBufferPointer, _ delimiter: Delimiter, limit: Int, ends: UnsafeMutableBufferPointer<Int>) {
    self.ends = ends
    let length = delimiter.count
    let shift = UInt64(max(0, 8 - length) * 8)
    var wanted: UInt64 = 0
    for byte in delimiter.bytes.suffix(8) { wanted = wanted << 8 | UInt64(byte) }
    wanted <<= shift
    var start = 0
    var last: UInt64 = 0
    var index = 0
    while index < stream.count {
      last = last << 8 | UInt64(stream[index])
      index &+= 1
      if last << shift == wanted, index &- start >= length,
        length <= 8 || Self.ends(stream, at: index, with: delimiter)
      {
        ends[count] = index
        count += 1
        start = index
      } else if index &- start >= limit {
        overflows = true
        return
      }
    }
  }

  private static func ends(_ stream: UnsafeRawBufferPointer, at end: Int, with delimiter: Delimiter) -> Bool {
    delimiter.bytes.withUnsafeBytes { stream[(end - delimiter.count)..<end].elementsEqual($0) }
  }
}

/// One way of cutting the stream into pieces, held against the naive frames.
struct ScannerPass<Scanner: FrameScanner> {
  private let oracle: NaiveFrames
  private let stream: UnsafeRawBufferPointer
  private let limit: Int
  /// As much as the search may look at again: what could still become a delimiter.
  private let tail: Int
  private let name: StaticString

  private var scanner: Scanner
  private var fed = 0
  private var frames = 0
  /// Where the frame under way begins.
  private var start = 0
  private var overflowed = false

  init(
    _ name: StaticString, _ stream: UnsafeRawBufferPointer, _ delimiter: Delimiter, limit: Int, oracle: NaiveFrames
  ) {
    self.name = name
    self.oracle = oracle
    self.stream = stream
    self.limit = limit
    tail = delimiter.count - 1
    scanner = Scanner(delimiter: delimiter, limit: limit)
  }

  /// Feeds the next `wanted` bytes, or what is left, and takes the frames that are complete.
  mutating func feed(_ wanted: Int) -> Violation? {
    let count = min(wanted, stream.count - fed)
    guard count > 0, !overflowed else { return nil }
    scanner.feed(UnsafeRawBufferPointer(rebasing: stream[fed..<(fed + count)]))
    fed += count
    while true {
      switch scanner.next() {
      case .frame(let block):
        if let violation = judge(block.bytes) { return violation }
      case .overflow:
        guard fed - start >= limit, frames == oracle.count, oracle.overflows else {
          return violation("overflow", "\(fed - start) bytes of frame \(frames) are called too many; limit \(limit)")
        }
        overflowed = true
        return judgeRest()
      case .waiting:
        if frames < oracle.count, oracle.ends[frames] <= fed {
          return violation("frames", "frame \(frames) ends at \(oracle.ends[frames]) of \(fed) bytes and is not found")
        }
        if fed - start >= limit {
          return violation("overflow", "\(fed - start) bytes of frame \(frames) are too many and it waits for more")
        }
        if scanner.searched < fed - start - tail {
          return violation(
            "linear", "\(scanner.searched) of \(fed - start) bytes of frame \(frames) need not be searched again")
        }
        return judgeRest()
      }
    }
  }

  /// Feeds all the rest.
  mutating func finish() -> Violation? { feed(stream.count) }

  private mutating func judge(_ frame: UnsafeRawBufferPointer) -> Violation? {
    guard frames < oracle.count, oracle.ends[frames] == start + frame.count else {
      let wanted = frames < oracle.count ? "at \(oracle.ends[frames])" : "nowhere"
      return violation("frames", "frame \(frames) ends at \(start + frame.count) instead of \(wanted)")
    }
    guard same(frame, start) else { return violation("frames", "frame \(frames) has not the stream's bytes") }
    start += frame.count
    frames += 1
    return nil
  }

  private func judgeRest() -> Violation? {
    scanner.withRest { rest in
      guard rest.count == fed - start, same(rest, start) else {
        return violation("rest", "\(rest.count) bytes are left of \(fed - start), or they are not the stream's")
      }
      return nil
    }
  }

  private func same(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Bool {
    guard offset + bytes.count <= stream.count else { return false }
    return areSame(bytes, UnsafeRawBufferPointer(rebasing: stream[offset..<(offset + bytes.count)]))
  }

  private func violation(_ law: String, _ detail: String) -> Violation {
    Violation("scanner/\(law)", "\(name): \(detail)")
  }
}
