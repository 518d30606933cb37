extension PlantedBug {
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let fastPath = "Sources/SocketCore/StreamMachine+FastPath.swift"

  /// Bytes, tags and clocks of reads and writes.
  static let streaming: [PlantedBug] = [
    PlantedBug(
      "a-byte-short-at-a-seam", "RD-LEN-03",
      "A read to length that comes in pieces lacks its last byte",
      violates: ["RD-LEN-01", "RD-LEN-03", "RD-LEN-05"], targets: ["readqueue", "connection"],
      Edit(
        pass, "_ = prebuffer.move(to: block, limit: length - block.count)",
        """
        _ = prebuffer.move(to: block, limit: length - block.count)
              if ACTIVATED, block.count == length - 1, block.count > 0 { return .complete(block) }
        """)),
    PlantedBug(
      "nothing-is-read-as-something", "RD-ANY-02", "Readiness without bytes completes a read of whatever is there",
      violates: ["RD-ANY-02"], targets: ["readqueue", "connection"],
      Edit(
        pass, "        hints.remove(.readable)\n        return .waiting",
        """
                let isSpurious = ACTIVATED && hints.contains(.readable)
                hints.remove(.readable)
                if isSpurious, case .available = operation.request.boundary {
                  return .complete(ByteBlock(copying: UnsafeRawBufferPointer(start: nil, count: 0)))
                }
                return .waiting
        """),
      Edit(
        fastPath, "      hints.remove(.readable)\n    case .endOfStream: endOfStream = true",
        """
              if ACTIVATED, hints.contains(.readable), case .request(let operation)? = reads.first,
                case .available = operation.request.boundary
              {
                hints.remove(.readable)
                removeRead()
                return (0, operation.request.tag)
              }
              hints.remove(.readable)
            case .endOfStream: endOfStream = true
        """)),
    PlantedBug(
      "nothing-yet-is-the-end", "RDQ-06", "A receive that would block is taken for the peer's end",
      violates: ["WR-14", "RDQ-05"], targets: ["readqueue", "connection"],
      Edit(
        pass, "      case .wouldBlock:\n        mayReceive = false\n",
        """
              case .wouldBlock:
                if ACTIVATED, hints.contains(.readable) { endOfStream = true }
                mayReceive = false

        """),
      Edit(
        fastPath, "    case .wouldBlock:\n      mayReceive = false\n",
        """
            case .wouldBlock:
              if ACTIVATED, hints.contains(.readable) { endOfStream = true }
              mayReceive = false

        """)),
    PlantedBug(
      "a-tag-of-32-bits", "RDQ-04", "The upper half of a read's tag is lost", violates: ["RDQ-04"],
      targets: ["readqueue"],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "self.timeout = timeout\n    self.tag = tag\n    self.destination",
        "self.timeout = timeout\n    self.tag = ACTIVATED ? Int(Int32(truncatingIfNeeded: tag)) : tag\n"
          + "    self.destination")),
    PlantedBug(
      "a-partial-write-is-a-total", "INV-16", "Partial reports of a write count from its beginning each time",
      violates: ["INV-16"], targets: ["writequeue", "connection"],
      Edit(
        pass, "guard case .request(var operation)? = writes.first, operation.done > operation.reported else { return }",
        """
        guard case .request(var operation)? = writes.first, operation.done > operation.reported else { return }
            if ACTIVATED { operation.reported = 0 }
        """)),
    PlantedBug(
      "records-count-as-written", "TLS-30", "Partial reports of a secured write count what TLS adds to it",
      violates: ["TLS-30"], targets: [],
      Edit(
        pass, "events.append(.didWritePartial(count: operation.done - operation.reported,",
        """
        let overhead = ACTIVATED && secure != nil ? 22 * ((operation.done - operation.reported) / (1 << 14)) : 0
            events.append(.didWritePartial(count: operation.done - operation.reported + overhead,
        """)),
    PlantedBug(
      "the-clock-of-a-queued-read-runs", "TMO-02", "A read's timeout counts while others are in front of it",
      violates: ["TMO-02", "TMO-17"], targets: ["connection", "readqueue"],
      Edit(
        pass,
        "func receivePass<Transport: StreamTransport>(\n"
          + "    _ transport: inout Transport, now: Instant, isLast: Bool = false\n  ) {\n",
        """
        func receivePass<Transport: StreamTransport>(
            _ transport: inout Transport, now: Instant, isLast: Bool = false
          ) {
            if ACTIVATED {
              for index in reads.indices {
                guard case .request(var queued) = reads[index], queued.clock == nil else { continue }
                queued.clock = OperationClock(timeout: queued.request.timeout, startedAt: now)
                reads[index] = .request(queued)
              }
            }

        """)),
    PlantedBug(
      "an-extension-counts-the-wait-for-it", "TMO-06", "The elapsed time told to the delegate is that of the clock",
      violates: ["TMO-06"], targets: ["connection"],
      Edit(
        stream, "    deadline = now.after(seconds: seconds)",
        """
            if ACTIVATED, let deadline { elapsed += Double(now.nanoseconds - deadline.nanoseconds) / 1e9 }
            deadline = now.after(seconds: seconds)
        """)),
    PlantedBug(
      "borders-of-another-delimiter", "RD-DELIM-13", "A long delimiter is searched for with the former one's automaton",
      violates: ["RD-DELIM-13", "RD-DELIM-06"], targets: ["prebuffer", "readqueue"],
      Edit(
        "Sources/SocketCore/Prebuffer.swift", "private var search = DelimiterSearch()",
        """
        private var search = DelimiterSearch() {
            didSet { if ACTIVATED { search.keepBorders(of: oldValue) } }
          }
        """),
      Edit(
        "Sources/SocketCore/DelimiterSearch.swift", "  var searched: Int { position }",
        """
          var searched: Int { position }

          mutating func keepBorders(of former: DelimiterSearch) {
            if borders.isEmpty { borders = former.borders }
          }
        """)),
    PlantedBug(
      "the-clock-of-a-queued-write-runs", "TMO-02", "The timeout of a write runs while another write is in front of it",
      violates: ["TMO-02"], targets: [],
      Edit(
        pass,
        "func sendPass<Transport: StreamTransport>(\n"
          + "    _ transport: inout Transport, now: Instant, isLast: Bool = false\n  ) {\n",
        """
        func sendPass<Transport: StreamTransport>(
            _ transport: inout Transport, now: Instant, isLast: Bool = false
          ) {
            if ACTIVATED {
              for index in writes.indices.dropFirst() {
                guard case .request(var queued) = writes[index], queued.clock == nil else { continue }
                queued.clock = OperationClock(timeout: queued.request.timeout, startedAt: now)
                writes[index] = .request(queued)
              }
            }

        """)),
  ]
}
