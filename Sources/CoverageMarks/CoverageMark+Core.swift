private let stream = MarkedFile("SocketCore/StreamMachine.swift")
private let pass = MarkedFile("SocketCore/StreamMachine+Pass.swift")
private let settling = MarkedFile("SocketCore/StreamMachine+Settling.swift")
private let calls = MarkedFile("SocketCore/SocketMachine+Streaming.swift")
private let prebuffer = MarkedFile("SocketCore/Prebuffer.swift")
private let search = MarkedFile("SocketCore/DelimiterSearch.swift")

// What moves bytes, ends, and timeouts decide.
extension CoverageMark {
  static let streaming: [CoverageMark] = [
    CoverageMark(
      "read-budget", "A pass stops reading because it has moved a mebibyte",
      .loopback("the simulated wire holds less than a mebibyte"),
      pass.after("guard bytesLeft > 0 else {")),
    CoverageMark(
      "read-completions", "A pass stops reading because it has completed thousands of reads", .both,
      pass.after("if completionsLeft > 0 { continue }")),
    CoverageMark(
      "write-budget", "A pass stops writing because it has moved a mebibyte",
      .loopback("the simulated wire holds less than a mebibyte"),
      pass.after("guard bytesLeft > 0, completionsLeft > 0 else {", if: "bytesLeft <= 0")),
    CoverageMark(
      "write-completions", "A pass stops writing because it has completed thousands of writes",
      .none("how much the kernel takes at once differs from run to run; the simulated wire takes a part at a time"),
      pass.after("guard bytesLeft > 0, completionsLeft > 0 else {", if: "completionsLeft <= 0")),
    CoverageMark(
      "gathering-limit", "More writes are queued than are gathered at once", .both,
      pass.before("return transport.send(UnsafeBufferPointer(rebasing: pieces", if: "used == Self.maxPieces")),
    CoverageMark(
      "last-offer-goes-on", "The last offer before an end stops at its budget and goes on",
      .none("the kernel must take more than a mebibyte at once"),
      pass.after("guard writesStoppedEarly else { return }")),
    CoverageMark(
      "last-offer-fails", "The last offer before an end fails, which says nothing any more",
      .loopback("in the simulated world no callback keeps the socket from hearing of a reset"),
      pass.after("case .failed where isLast, .broken where isLast:")),
    CoverageMark(
      "received-in-place", "A large read receives straight into its own memory", .both, pass.after("block = own\n")),
    CoverageMark(
      "memory-grows", "A large read's memory grows as bytes arrive", .both, pass.after("if own.room.isEmpty {")),
    CoverageMark(
      "block-handed-on", "A read gets the buffer as a whole instead of a copy", .both,
      prebuffer.before("storage = nil\n      return whole")),
    CoverageMark(
      "burst-trimmed", "What is left of a burst moves to a smaller buffer", .both,
      prebuffer.before("storage = ByteBlock(copying: bytes)\n      head = 0\n    }\n  }")),
    CoverageMark(
      "queues-trimmed", "Queues that were long give their memory back", .both,
      stream.before("queuesWereLong = false\n    reads = reads")),
    CoverageMark(
      "automaton", "A delimiter of more than 32 bytes is searched for", .both,
      search.before("return delimiter.bytes.withUnsafe")),
    CoverageMark(
      "automaton-falls-back", "A long delimiter begins anew inside itself", .both,
      search.before(
        "while matched > 0, needle[matched] != byte",
        if: "needle[matched] != byte && borders[matched - 1] > 0")),
    CoverageMark(
      "read-after-wish", "A read comes after a wish to close, and is ignored", .both,
      stream.after("func enqueue(_ request: ReadRequest) {", if: "forbidsOperations")),
    CoverageMark(
      "write-after-wish", "A write comes after a wish to close, and is ignored", .both,
      stream.after("func enqueue(_ request: WriteRequest) {", if: "forbidsOperations")),
    CoverageMark(
      "second-upgrade", "startTLS is called again, and ignored", .both,
      stream.after("func enqueueUpgrade(_ makeSession: @escaping SessionMaker) {", if: "self.makeSession != nil")),
    CoverageMark(
      "read-fails", "A receive fails: the peer has reset the connection", .both,
      pass.before("return .failed(.posix(code: errno, call: \"read\"))")),
    CoverageMark(
      "write-fails", "A send fails: the peer has reset the connection", .both,
      pass.before("failedSend = result")),
    CoverageMark(
      "read-too-long", "A read gets its limit of bytes without the delimiter", .both,
      pass.after("case .overflow:")),
  ]

  static let ending: [CoverageMark] = [
    CoverageMark(
      "half-close", "The peer's end closes the reading side only", .both,
      settling.before("readSideClosed = true\n    events.append(.didCloseRead)")),
    CoverageMark(
      "half-close-with-writes", "The peer ends its stream while writes are queued, with autoDisconnect off", .both,
      settling.before("readSideClosed = true\n    events.append(.didCloseRead)", if: "!writes.isEmpty")),
    CoverageMark(
      "half-close-with-reads", "The peer ends its stream while reads are queued, with autoDisconnect off", .both,
      settling.before("readSideClosed = true\n    events.append(.didCloseRead)", if: "!reads.isEmpty")),
    CoverageMark(
      "break-after-half-close", "The connection breaks when its reading side is closed", .both,
      settling.after("guard hints.contains(.broken) else { return }")),
    CoverageMark(
      "broken-end", "The end of the peer's stream turns out to be a break, with autoDisconnect off",
      .none("a reset must come between two looks at the connection"),
      settling.after("if hints.contains(.broken) {")),
    CoverageMark(
      "end-held", "An orderly end waits for the next call", .loopback("only the driver holds an end"),
      settling.after("guard !isEndHeld else {")),
    CoverageMark(
      "end-after-budget", "A pass that stopped at its budget leaves the end to the next one", .both,
      settling.after("guard !readsStoppedEarly else {", if: "endOfStream || hints.contains(.peerClosed)")),
    CoverageMark(
      "end-peeked", "With no read queued a peek finds the peer's end", .both,
      settling.after("case .endOfStream:")),
    CoverageMark(
      "reset-peeked", "With no read queued a peek finds a reset", .both,
      settling.before("end(.posix(code: errno, call: \"read\"))")),
    CoverageMark(
      "failure-peeked", "With no read queued a peek finds that TLS has failed", .both,
      settling.after("case .broken(let failure):")),
    CoverageMark(
      "peek-finds-bytes", "Bytes that nobody asked for hide the peer's end", .both, settling.after("case .bytes:")),
    CoverageMark(
      "read-behind-the-end", "A read stands behind the peer's end, and only its clock runs on", .both,
      pass.after("guard !readSideClosed else {")),
    CoverageMark(
      "wish-and-end", "A wish to close is met in the pass that finds the peer's end", .both,
      pass.after("if ending == nil, pendingCloseIsDue {", if: "endOfStream || hints.contains(.peerClosed)")),
    CoverageMark(
      "wish-met-before-open", "A wish to close is met before there is a connection", .both,
      MarkedFile("SocketCore/SocketMachine.swift").after("if !owesClose, !isConnected, stream.pendingCloseIsDue {")),
  ]

  static let timing: [CoverageMark] = [
    CoverageMark(
      "read-timeout", "A read is out of time, and the delegate is asked", .both,
      settling.before("let question = nextQuestion(.read)")),
    CoverageMark(
      "write-timeout", "A write is out of time, and the delegate is asked", .both,
      settling.before("let question = nextQuestion(.write)")),
    CoverageMark(
      "read-timeout-unasked", "A read is out of time, and there is nobody to ask", .both,
      settling.before("return end(.readTimeout) }\n      let question")),
    CoverageMark(
      "write-timeout-unasked", "A write is out of time, and there is nobody to ask", .both,
      settling.before("return end(.writeTimeout) }\n      let question")),
    CoverageMark(
      "late-answer", "An answer about a timeout comes when the connection is over, or another one is there", .both,
      calls.after(
        "package func answer(_ question: TimeoutQuestion, extension seconds: Double, now: Instant) {",
        if: "question.generation != generation || openStream == nil")),
    CoverageMark(
      "bytes-missed-at-timeout", "A read is out of time: bytes that were not signalled yet still count", .both,
      pass.after("if ending == nil, mayHaveMissedInput(at: now) {")),
    CoverageMark(
      "timeout-while-busy", "An operation is out of time in a pass that has not tried everything", .both,
      stream.before("return !isBusy || now.nanoseconds", if: "isBusy")),
    CoverageMark(
      "timeout-of-the-busy", "The peer keeps a direction busy for so long that the timeout counts all the same",
      .none("no scripted peer is quick enough to fill every pass; tests of the core have it"),
      stream.before(
        "return !isBusy || now.nanoseconds",
        if: "isBusy && now.nanoseconds - (busySince ?? now).nanoseconds >= Self.busyGrace")),
  ]
}
