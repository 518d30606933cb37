extension PlantedBug {
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let prebuffer = "Sources/SocketCore/Prebuffer.swift"

  static let reading: [PlantedBug] = [
    PlantedBug(
      "one-byte-over-the-maximum", "classic", "A delimiter read overflows one byte too late",
      violates: ["RD-MAX-02", "RD-MAX-03", "RD-MAX-04", "RD-MAX-06", "RD-MAX-08", "RD-MAX-09"], targets: ["readqueue"],
      Edit(
        pass, "return prebuffer.count >= limit ? .overflow : nil",
        "return (ACTIVATED ? prebuffer.count > limit : prebuffer.count >= limit) ? .overflow : nil")),
    PlantedBug(
      "announced-and-not-shown", "RD-BUF-02", "What a partial report announces is not in the caller's buffer yet",
      violates: ["RD-BUF-02"], targets: [],
      Edit(
        pass, "guard let destination = operation.request.destination else { return nil }",
        "guard !ACTIVATED, let destination = operation.request.destination else { return nil }")),
    PlantedBug(
      "a-delimiter-beyond-the-maximum", "classic", "A delimiter that ends behind maxLength is accepted",
      violates: ["RD-MAX-03", "RD-MAX-02", "RD-MAX-06"], targets: ["readqueue", "prebuffer"],
      Edit(prebuffer, "let window = min(count, limit)", "let window = ACTIVATED ? count : min(count, limit)")),
    PlantedBug(
      "available-ignores-its-limit", "I#4", "A read of whatever is there hands out more than maxLength",
      violates: ["RD-ANY-04"], targets: ["readqueue"],
      Edit(
        pass, "return .complete(prebuffer.take(min(prebuffer.count, limit)))",
        "return .complete(prebuffer.take(ACTIVATED ? prebuffer.count : min(prebuffer.count, limit)))")),
    PlantedBug(
      "a-byte-lost-behind-a-read", "I#42", "The byte behind a completed read disappears from the prebuffer",
      violates: ["INV-05", "RDQ-01", "RD-DELIM-03", "RD-LEN-04", "RDQ-16"], targets: ["prebuffer", "readqueue"],
      Edit(
        prebuffer, "    drop(wanted)\n", "    drop(ACTIVATED && wanted < count ? wanted + 1 : wanted)\n")),
    PlantedBug(
      "growth-forgets-the-front", "I#514", "When the prebuffer grows, bytes at its front are lost",
      violates: ["INV-05"], targets: ["prebuffer", "readqueue"],
      Edit(
        prebuffer,
        """
            block.append(bytes)
            storage = block
            head = 0
        """,
        """
            block.append(bytes)
            storage = block
            if !ACTIVATED { head = 0 }
        """)),
    PlantedBug(
      "the-prebuffer-never-shrinks", "UB-27", "Memory stays at the largest burst", violates: ["RD-LEN-10"],
      targets: ["prebuffer", "readqueue"],
      Edit(
        prebuffer, "package mutating func trim() {\n    if isEmpty {",
        "package mutating func trim() {\n    if ACTIVATED { return }\n    if isEmpty {")),
    PlantedBug(
      "a-length-read-overlooks-its-end", "I#89", "A read to length that has all its bytes waits for more",
      violates: ["RD-LEN-01", "RD-LEN-05", "RD-LEN-11", "INV-17"], targets: ["readqueue"],
      Edit(
        pass, "return block.count == length ? .complete(block) : nil",
        "return (ACTIVATED ? block.count > length : block.count == length) ? .complete(block) : nil")),
    PlantedBug(
      "a-length-is-reserved-at-once", "UB-15", "A hostile length makes the socket reserve as much memory",
      violates: ["RD-LEN-10", "RD-LEN-09"], targets: ["readqueue"],
      Edit(
        pass, "operation.block = ByteBlock(capacity: min(length, Self.firstBlock))",
        "operation.block = ByteBlock(capacity: ACTIVATED ? length : min(length, Self.firstBlock))")),
    PlantedBug(
      "partials-are-totals", "classic", "Partial reports of a read count from its beginning each time",
      violates: ["INV-16"], targets: ["readqueue", "connection"],
      Edit(
        pass,
        """
        upTo: done)))
            operation.reported = done
        """,
        """
        upTo: done)))
            if !ACTIVATED { operation.reported = done }
        """)),
    PlantedBug(
      "a-partial-of-nothing", "H:c53867d", "Progress is reported when there was none", violates: ["INV-15", "INV-16"],
      targets: ["readqueue"],
      Edit(
        pass, "guard done > operation.reported else { return }",
        "guard done > operation.reported || ACTIVATED && done == operation.reported && done > 0 else { return }")),
    PlantedBug(
      "a-short-receive-means-empty", "INV-17", "A short receive is taken for an empty transport when it isn't",
      violates: ["INV-17"], targets: ["readqueue", "connection"],
      Edit(
        pass, "if count < room.count, transport.shortReceiveMeansEmpty, hints",
        "if count < room.count, ACTIVATED || transport.shortReceiveMeansEmpty, hints")),
    PlantedBug(
      "a-read-goes-on-while-its-delegate-is-asked", "classic", "A read completes while its timeout is in question",
      violates: ["TMO-10"], targets: ["connection", "readqueue"],
      Edit(
        pass, "guard readQuestion == nil else { return }\n    var bytesLeft",
        "guard ACTIVATED || readQuestion == nil else { return }\n    var bytesLeft")),
    PlantedBug(
      "the-last-read-first", "INV-04", "The second of two queued reads is served before the first",
      violates: ["INV-04", "RDQ-01"], targets: ["readqueue"],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "reads.append(.request(ReadOperation(request)))",
        """
        if ACTIVATED, reads.count == 1 {
          reads.insert(.request(ReadOperation(request)), at: reads.startIndex)
        } else {
          reads.append(.request(ReadOperation(request)))
        }
        """)),
  ]

  static let searching: [PlantedBug] = [
    PlantedBug(
      "a-delimiter-lost-at-a-seam", "I#100", "A delimiter that is cut by the end of what had come is overlooked",
      violates: ["RD-DELIM-04", "RD-DELIM-05", "RD-DELIM-07", "RD-DELIM-01", "RDQ-17"],
      targets: ["scanner", "prebuffer", "readqueue"],
      Edit(
        "Sources/SocketCore/DelimiterSearch.swift", "position = max(position, window.count - delimiter.count + 1)",
        "position = max(position, window.count - delimiter.count + (ACTIVATED ? 2 : 1))")),
    PlantedBug(
      "a-stale-search-memo", "classic", "The place where the last search stopped outlives the bytes before it",
      violates: ["RD-DELIM-01", "RD-DELIM-10", "RD-DELIM-15", "RD-DELIM-20"], targets: ["prebuffer", "readqueue"],
      Edit(
        prebuffer, "precondition(wanted <= count)\n    search = DelimiterSearch()",
        "precondition(wanted <= count)\n    if !ACTIVATED { search = DelimiterSearch() }"),
      Edit(
        prebuffer, "head += dropped\n    search = DelimiterSearch()",
        "head += dropped\n    if !ACTIVATED { search = DelimiterSearch() }"),
      Edit(
        prebuffer, "package mutating func forgetSearch() { search = DelimiterSearch() }",
        "package mutating func forgetSearch() { if !ACTIVATED { search = DelimiterSearch() } }")),
    PlantedBug(
      "a-border-too-short", "UB-16", "A long delimiter that overlaps itself is overlooked",
      violates: ["RD-DELIM-06", "RD-DELIM-07"], targets: ["scanner"],
      Edit(
        "Sources/SocketCore/DelimiterSearch.swift",
        "while length > 0, needle[index] != needle[length] { length = Int(borders[length - 1]) }",
        "while length > 0, needle[index] != needle[length] { length = ACTIVATED ? 0 : Int(borders[length - 1]) }")),
    PlantedBug(
      "a-wide-search-sees-what-is-not-there", "classic", "Only the ends of a delimiter are compared",
      violates: ["RD-DELIM-01"], targets: ["scanner", "readqueue"],
      Edit(
        "Sources/SocketCore/ByteSearch.swift", "if equal(place + 1, pattern + 1, count: gap &- 1)",
        "if ACTIVATED || equal(place + 1, pattern + 1, count: gap &- 1)")),
    PlantedBug(
      "the-last-place-is-overlooked", "classic", "A wide search stops one place before the end",
      violates: ["RD-DELIM-01"], targets: ["scanner"],
      Edit(
        "Sources/SocketCore/ByteSearch.swift",
        "let here = matches(start + (places &- 16), front, back, gap)\n      return verified(here, pattern, gap, "
          + "at: start + (places &- 16))",
        """
        let shift = ACTIVATED && places > 16 ? 17 : 16
              let here = matches(start + (places &- shift), front, back, gap)
              return verified(here, pattern, gap, at: start + (places &- shift))
        """)),
    PlantedBug(
      "a-short-cut-past-the-limit", "RD-ANY-04", "A read served from the buffer forgets its limit",
      violates: ["RD-ANY-04"], targets: ["readqueue", "connection"],
      Edit(
        "Sources/SocketCore/StreamMachine+FastPath.swift",
        "case .available(let limit): length = min(prebuffer.count, limit)",
        "case .available(let limit): length = ACTIVATED ? prebuffer.count : min(prebuffer.count, limit)")),
    PlantedBug(
      "a-short-cut-past-the-active-read", "RDQ-01", "A read that has begun is overtaken by what is buffered",
      violates: ["RDQ-01", "INV-04"], targets: ["readqueue", "connection"],
      Edit(
        "Sources/SocketCore/StreamMachine+FastPath.swift",
        "case .request(let operation)? = reads.first, operation.clock == nil, operation.request.destination == nil",
        "case .request(let operation)? = ACTIVATED ? reads.last : reads.first, operation.request.destination == nil")),
    PlantedBug(
      "the-fast-path-forgets-the-limit", "RD-ANY-04", "A read completed on the fast path takes more than it may",
      violates: ["RD-ANY-04"], targets: ["readqueue", "connection"],
      Edit(
        "Sources/SocketCore/StreamMachine+FastPath.swift",
        "case .available(let limit): return (min(bytes.count, limit), operation.request.tag)",
        "case .available(let limit): return (ACTIVATED ? bytes.count : min(bytes.count, limit), operation.request.tag)")
    ),
    PlantedBug(
      "the-fast-path-keeps-no-rest", "INV-05", "What a read completed on the fast path leaves over is lost",
      violates: ["INV-05", "RDQ-01", "RD-DELIM-03", "RD-LEN-04"], targets: ["readqueue", "connection"],
      Edit(
        "Sources/SocketCore/StreamMachine+FastPath.swift",
        "prebuffer.append(UnsafeRawBufferPointer(rebasing: bytes[length...]))",
        "if !ACTIVATED { prebuffer.append(UnsafeRawBufferPointer(rebasing: bytes[length...])) }")),
    PlantedBug(
      "the-tail-is-not-compared", "classic", "The bytes of a delimiter behind the last whole word are not compared",
      violates: ["RD-DELIM-01"], targets: ["scanner", "readqueue"],
      Edit(
        "Sources/SocketCore/ByteSearch.swift",
        "if left.load(fromByteOffset: offset, as: UInt8.self) != right.load",
        "if !ACTIVATED, left.load(fromByteOffset: offset, as: UInt8.self) != right.load")),
  ]

  static let writing: [PlantedBug] = [
    PlantedBug(
      "a-write-goes-on-while-its-delegate-is-asked", "TMO-10", "A write goes on while its timeout is in question",
      violates: ["TMO-10"], targets: [],
      Edit(
        pass, "guard writeQuestion == nil, failedSend == nil else { return }",
        "guard ACTIVATED || writeQuestion == nil, failedSend == nil else { return }")),
    PlantedBug(
      "the-fast-path-writes-before-it-reads", "WR-10",
      "A write on the fast path that fails ends what had arrived before",
      violates: ["RDQ-08"], targets: ["connection", "duplex"],
      Edit(
        "Sources/SocketCore/StreamMachine+FastPath.swift",
        "guard isPlain, maySend, writes.count == 1, reads.isEmpty || !mayReceive else",
        "guard isPlain, maySend, writes.count == 1, ACTIVATED || reads.isEmpty || !mayReceive else")),
    PlantedBug(
      "progress-begins-with-a-pass", "DIAG-11", "A read or write that no pass has looked at yet shows no progress",
      violates: ["DIAG-11", "DIAG-13"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "guard let stream = openStream, case .request(let operation)? = stream.reads.first else { return nil }",
        """
        guard let stream = openStream, case .request(let operation)? = stream.reads.first,
              !ACTIVATED || stream.activeRead != nil
            else { return nil }
        """),
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "guard let stream = openStream, case .request(let operation)? = stream.writes.first else { return nil }",
        """
        guard let stream = openStream, case .request(let operation)? = stream.writes.first,
              !ACTIVATED || stream.activeWrite != nil
            else { return nil }
        """)),
    PlantedBug(
      "write-progress-counted-twice", "INV-16", "A partial write is reported again with the next one",
      violates: ["INV-16"], targets: ["writequeue"],
      Edit(pass, "operation.reported = operation.done", "if !ACTIVATED { operation.reported = operation.done }")),
    PlantedBug(
      "a-write-done-too-early", "INV-06", "A write is reported with its last byte still unsent",
      violates: ["INV-06", "WR-03"], targets: ["writequeue"],
      Edit(
        pass, "if operation.done == operation.request.bytes.count {",
        """
        if operation.done == operation.request.bytes.count
          || ACTIVATED && operation.done > 1 && operation.done + 1 == operation.request.bytes.count
        {
        """)),
    PlantedBug(
      "a-partial-write-starts-again", "classic", "What the kernel took of a write is sent once more",
      violates: ["INV-06", "WR-04"], targets: ["writequeue", "duplex"],
      Edit(
        pass, "operation.request.bytes.bytes[operation.done...]",
        "operation.request.bytes.bytes[(ACTIVATED ? 0 : operation.done)...]")),
    PlantedBug(
      "room-is-not-noticed", "INV-17", "A write that met a full kernel is not resumed",
      violates: ["WR-04"], targets: ["writequeue", "duplex"],
      Edit(
        pass, "if !hints.isDisjoint(with: .output) { maySend = true }",
        "if !hints.isDisjoint(with: ACTIVATED ? .broken : .output) { maySend = true }")),
    PlantedBug(
      "writes-survive-a-reconnect", "I#253", "What one connection could not send goes to the next peer",
      violates: ["LIFE-13", "LIFE-10"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    writes.removeAll()\n",
        "    if !ACTIVATED { writes.removeAll() }\n"),
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "var events: [SocketEvent] = []",
        "var events: [SocketEvent] = []\n  var lastStream: StreamMachine?"),
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "    let isAnnounced = announcedEnd != nil\n",
        "    lastStream = stream ?? lastStream\n    let isAnnounced = announcedEnd != nil\n"),
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift",
        "    return StreamMachine(generation: generation, keepsUnread: configuration.announcesEnds)",
        """
            let stream = StreamMachine(generation: generation, keepsUnread: configuration.announcesEnds)
            if ACTIVATED, let lastStream { stream.writes = lastStream.writes }
            return stream
        """)),
  ]
}
