import DequeModule

// One read or one write without a pass, of a connection on which nothing else is going on. The driver makes the system
// call itself and reports its result here. These methods complete what a pass would have completed, without its events,
// and leave the rest to a pass.
extension StreamMachine {
  /// After a receive of more bytes than this, the next read is given its own memory.
  static let largeReceive = 1 << 12

  /// Open, in clear, without end, timeout or question: all a pass could do is to move bytes.
  var isPlain: Bool {
    isOpen && !usesTime && ending == nil && events.isEmpty && !forbidsOperations && !readSideClosed && !endOfStream
      && secure == nil && failedSend == nil && hints.isDisjoint(with: .unusual)
  }

  // MARK: Reading

  /// Completes the active read with at most `most` bytes that are buffered already, if a pass would begin with that and
  /// has nothing else to do: the bytes, which stay in place until the next verb. A pass must follow sooner or later.
  func completeFromBuffer(atMost most: Int) -> (bytes: UnsafeRawBufferPointer, tag: Int)? {
    guard isOpen, ending == nil, events.isEmpty, !forbidsOperations, readQuestion == nil, !readSideClosed,
      !endOfStream, hints.isDisjoint(with: .unusual), !prebuffer.isEmpty,
      secure == nil || secure?.phase == .established,
      case .request(let operation)? = reads.first, operation.clock == nil, operation.request.destination == nil
    else { return nil }
    prebuffer.forgetSearch()
    let length: Int
    switch operation.request.boundary {
    case .available(let limit): length = min(prebuffer.count, limit)
    case .exactly(let wanted): length = wanted
    case .through(let delimiter, let limit):
      guard let end = prebuffer.end(of: delimiter, limit: limit) else { return nil }
      length = end
    }
    guard length <= most, length <= prebuffer.count else { return nil }
    removeRead()
    return (prebuffer.drop(length), operation.request.tag)
  }

  /// Whether bytes may be received now into the driver's memory and reported by `received`.
  func wantsInput(atMost most: Int) -> Bool {
    guard isPlain, mayReceive, !expectsLargeReceive, prebuffer.isEmpty else { return false }
    return reads.withFirst { $0.mayBeCompleted(byAtMost: most) } ?? false
  }

  /// Reports the result of the receive. Returns how many bytes from the front of the room complete the active read, and
  /// the read's tag; the rest is kept. nil: a pass must follow.
  func received(
    _ result: TransportResult, in room: UnsafeRawBufferPointer, shortMeansEmpty: Bool, atMost most: Int
  ) -> (count: Int, tag: Int)? {
    switch result {
    case .bytes(let count):
      expectsLargeReceive = count > Self.largeReceive
      if count < room.count, shortMeansEmpty { mayReceive = false }
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
      guard let (length, tag) = reads.withFirst({ $0.completion(by: bytes) }), length <= most else {
        prebuffer.append(bytes)
        return nil
      }
      removeRead()
      prebuffer.append(UnsafeRawBufferPointer(rebasing: bytes[length...]))
      return (length, tag)
    case .wouldBlock:
      mayReceive = false
      hints.remove(.readable)
    case .endOfStream: endOfStream = true
    case .failed(let errno): fail(.posix(code: errno, call: "read"))
    case .broken(let failure): fail(failure)
    }
    return nil
  }

  // MARK: Writing

  /// The bytes of the only write, if they may be sent now and reported by `sent`.
  var outputOnFastPath: UnsafeRawBufferPointer? {
    // Reads go first (WR-10).
    guard isPlain, maySend, writes.count == 1, reads.isEmpty || !mayReceive else { return nil }
    return writes.withFirst { $0.bytesIfUntouched }
  }

  /// Reports the result of the send. Returns the tag of the write if it is complete; nil: a pass must follow.
  func sent(_ result: TransportResult) -> Int? {
    switch result {
    case .bytes(let count):
      guard let tag = writes.withFirst({ $0.sent(count) }) else { return nil }
      writes.removeFirst()
      return tag
    case .wouldBlock, .endOfStream: maySend = false
    // The pass says what it means.
    case .failed, .broken: failedSend = result
    }
    return nil
  }

  /// Whether a pass would do no more than to make the first read active; if so, this does it.
  func comesToRest() -> Bool {
    guard isPlain, writes.isEmpty, prebuffer.isEmpty, reads.isEmpty || !mayReceive else { return false }
    readIsActive = !reads.isEmpty
    return true
  }
}

extension Deque {
  /// The first element in place: a copy would count a reference to everything that the element holds.
  @inline(__always)
  fileprivate mutating func withFirst<Result>(_ body: (inout Element) -> Result?) -> Result? {
    isEmpty ? nil : body(&self[startIndex])
  }
}

extension ReadEntry {
  /// Whether one receive of at most `most` bytes may complete the read: its bytes go into no buffer of the caller's,
  /// and none has been received for it.
  fileprivate func mayBeCompleted(byAtMost most: Int) -> Bool {
    guard case .request(let operation) = self, operation.request.destination == nil, operation.block?.count ?? 0 == 0
    else { return false }
    if case .exactly(let length) = operation.request.boundary { return length <= most }
    return true
  }

  /// How many bytes from the front complete the read, and its tag; nil: more are needed, or it is not that simple.
  fileprivate func completion(by bytes: UnsafeRawBufferPointer) -> (count: Int, tag: Int)? {
    guard case .request(let operation) = self else { return nil }
    switch operation.request.boundary {
    case .available(let limit): return (min(bytes.count, limit), operation.request.tag)
    case .exactly(let length): return bytes.count < length ? nil : (length, operation.request.tag)
    case .through(let delimiter, let limit):
      var search = DelimiterSearch()
      let window = UnsafeRawBufferPointer(rebasing: bytes[..<min(bytes.count, limit)])
      guard window.count >= delimiter.count, let end = search.end(of: delimiter, in: window) else { return nil }
      return (end, operation.request.tag)
    }
  }
}

extension WriteEntry {
  /// The bytes of a write of which nothing has been sent.
  fileprivate var bytesIfUntouched: UnsafeRawBufferPointer? {
    guard case .request(let operation) = self, operation.done == 0 else { return nil }
    return operation.request.bytes.bytes
  }

  /// Records that `count` of those bytes have been sent. Returns the tag of the write if it is complete.
  fileprivate mutating func sent(_ count: Int) -> Int? {
    guard case .request(var operation) = self else { return nil }
    if count == operation.request.bytes.count { return operation.request.tag }
    operation.done = count
    self = .request(operation)
    return nil
  }
}
