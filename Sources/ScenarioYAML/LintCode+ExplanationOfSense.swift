import ScenarioModel

extension LintCode {
  /// Explanations of the codes about steps and names.
  var stepDetails: LintExplanation? {
    switch self {
    case .unknownStep:
      LintExplanation(
        meaning: "A step begins with a word that no step of this side has. Peers and subjects have different steps.",
        wrong: "peer:\n  - accept\n  - write: \"HELLO\"", right: "peer:\n  - accept\n  - send: \"HELLO\"")
    case .unknownCallback:
      LintExplanation(
        meaning: "A callback is expected or waited for that does not exist.",
        wrong: "expect:\n  - didReceive: { tag: 1 }", right: "expect:\n  - didRead: { tag: 1 }")
    case .misplacedStep:
      LintExplanation(
        meaning: """
          A step stands where it cannot: `hold` and `answer` outside reactions, `answer` where nothing is asked, \
          `wait` and `after` inside reactions, `after` inside a `repeat`, `refuse` and `blackhole` after the first \
          step, other than calls in `perform`.
          """, wrong: "subject:\n  - connect\n  - read: { tag: 1 }\n  - hold: 300ms",
        right: "reactions:\n  - when: didConnect\n    do:\n      - hold: 300ms")
    case .misplacedPrefix:
      LintExplanation(
        meaning: "A socket's name stands in front of something that is no call on a socket and no callback.",
        wrong: "subject:\n  - connect\n  - socket.wait: 20ms\n  - read: { tag: 1 }",
        right: "subject:\n  - connect\n  - wait: 20ms\n  - read: { tag: 1 }")
    case .cannotRefuse:
      LintExplanation(
        meaning:
          "`error` says with which error a call is refused, but this call never refuses, or `none` is no refusal.",
        wrong: "subject:\n  - connect\n  - read: { tag: 1, error: BadParam }",
        right:
          "subject:\n  - connect: { timeout: 1s }\n  - read: { tag: 1 }\n  - connect: { timeout: 1s, error: BadConfig }"
      )
    case .duplicateName:
      LintExplanation(
        meaning: "A name is used twice where each may stand once: in a list, or for a peer and a socket.",
        wrong: "matrix: { family: [ipv4, ipv4] }", right: "matrix: { family: [ipv4, ipv6] }")
    case .unknownPeer:
      LintExplanation(
        meaning: "A peer is named that the scenario does not have.",
        wrong: "subject:\n  - connect: per\n  - read: { tag: 1 }",
        right: "subject:\n  - connect: peer\n  - read: { tag: 1 }")
    case .unknownSocket:
      LintExplanation(
        meaning: """
          A socket is named that the scenario does not have. Sockets come from `sockets`, from the lanes of \
          `subjects`, from prefixes of `connect` and `listen`, and, as child, child2…, from being \
          accepted by a listener.
          """, wrong: "expect:\n  - server.didRead: { tag: 1 }", right: "expect:\n  - socket.didRead: { tag: 1 }")
    case .unknownPoint:
      LintExplanation(
        meaning: "A lane waits for a point that no step reaches.",
        wrong: "peer:\n  - accept\n  - after: ready\n  - send: \"HELLO\"",
        right: """
          peer:
            - accept
            - after: ready
            - send: "HELLO"
          subject:
            - connect
            - read: { tag: 1 }
            - reach: ready
          """)
    case .unawaitedPoint:
      LintExplanation(
        meaning: "A step reaches a point that nothing waits for.",
        wrong: "peer:\n  - accept\n  - send: \"HELLO\"\n  - reach: sent",
        right: """
          peer:
            - accept
            - send: "HELLO"
            - reach: sent
          subject:
            - connect
            - after: sent
            - read: { tag: 1 }
          """)
    case .unknownHost:
      LintExplanation(
        meaning: "A host name is used that the case's resolver, `hosts` or a network's `resolver`, does not know.",
        wrong: "subject:\n  - connect: { host: one.example, port: peer }\n  - read: { tag: 1 }",
        right: """
          hosts: { one.example: ["127.0.0.1"] }
          subject:
            - connect: { host: one.example, port: peer }
            - read: { tag: 1 }
          """)
    case .unclearTarget:
      LintExplanation(
        meaning: "It is not clear which peer or socket is meant, or the one that is meant does not listen.",
        wrong: "peer:\n  - connect\nsubject:\n  - connect\n  - read: { tag: 1 }",
        right: "peer:\n  - connect\nsubject:\n  - listen\nexpect:\n  - didAccept")
    case .conflictingBuffer:
      LintExplanation(
        meaning: "Reads that name the same buffer share one object, so its size and fill must agree.",
        wrong: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B } }
            - read: { length: 3B, tag: 2, buffer: { name: page, size: 20B, offset: 2B } }
          """,
        right: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B } }
            - read: { length: 3B, tag: 2, buffer: { name: page, size: 10B, offset: 2B } }
          """)
    case .unknownBuffer:
      LintExplanation(
        meaning: "A check looks at a caller's buffer that no read of the scenario names.",
        wrong: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B } }
            - check: { buffer.pge: present }
          """,
        right: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B } }
            - check: { buffer.page: present }
          """)
    case .unusedName:
      LintExplanation(
        meaning: """
          A host with addresses, a socket or a peer that accepts is declared, and nothing in the scenario has to do \
          with it: no case of the file looks it up, calls it or connects to it. Peers that share a port count as used.
          """,
        wrong: "sockets: { lonely: {} }",
        right: """
          sockets: { second: { delegate: none } }
          subject:
            - connect
            - read: { tag: 1 }
            - second.check: { isConnected: false }
          """)
    case .duplicateCase:
      LintExplanation(
        meaning: "Two cases of a file have the same values: the second one plays what the first one does.",
        wrong: """
          columns: { text: required }
          cases: { short: { text: "A" }, brief: { text: "A" } }
          peer: [accept, send: $text]
          """,
        right: """
          columns: { text: required }
          cases: { short: { text: "A" }, long: { text: "ABC" } }
          peer: [accept, send: $text]
          """)
    case .unknownColumn:
      LintExplanation(
        meaning: "The story of a file with `cases` takes a value, such as `$text`, that `columns` does not know.",
        wrong: """
          columns: { text: required }
          cases: { short: { text: "A" }, long: { text: "ABC" } }
          peer: [accept, send: $txt]
          """,
        right: """
          columns: { text: required }
          cases: { short: { text: "A" } }
          peer: [accept, send: $text]
          """)
    case .unusedChoice:
      LintExplanation(
        meaning: "The story of a file with `cases` says what follows from a value that no case has.",
        wrong: """
          columns: { kind: required }
          cases: { short: { kind: line }, long: { kind: rest } }
          peer: [accept, $kind: { lines: [send: "A"], otherwise: [send: "ABC"] }]
          """,
        right: """
          columns: { kind: required }
          cases: { short: { kind: line } }
          peer: [accept, $kind: { line: [send: "A"] }]
          """)
    case .unusedColumn:
      LintExplanation(
        meaning: "A column or a value of a case is said for nothing: what is played does not take it.",
        wrong: """
          columns: { text: required, size: optional }
          cases: { short: { text: "A", size: 1B } }
          peer: [accept, send: $text]
          """,
        right: """
          columns: { text: required, size: optional }
          cases: { short: { text: "A", size: 1B } }
          peer: [accept, send: $text]
          expect: [didConnect, didRead: { tag: 1, length: $size }]
          """)
    default: nil
    }
  }

  /// Explanations of the codes about sense.
  var senseDetails: LintExplanation? {
    switch self {
    case .impossibleWindow:
      LintExplanation(
        meaning: """
          No instant lies in the window, or it begins or a wait ends after the case is over. A silence, a hold and \
          `nothing` are waits, too; so is a drip that is not its lane's last step, which the subject may cut off.
          """,
        wrong: "expect:\n  - didRead: { tag: 1, notBefore: 300ms, within: 200ms }",
        right: "expect:\n  - didRead: { tag: 1, notBefore: 200ms, within: 300ms }")
    case .idleWindow:
      LintExplanation(
        meaning: """
          A window that is as long as the case may last says no more than that it happens at all. And one that begins \
          15 ms or less after the callback before says nothing over the real kernel, where so much is allowed for the \
          time that callback was on its way: only in simulated time it is held to.
          """,
        wrong: "limit: 2s\nexpect:\n  - didRead: { tag: 1, within: 5s }",
        right: "limit: 2s\nexpect:\n  - didRead: { tag: 1, within: 500ms }")
    case .zeroDuration:
      LintExplanation(
        meaning: "A wait, a silence or a limit of no time at all says nothing.",
        wrong: "expect:\n  - didRead: { tag: 1 }\n  - nothing: { for: 0ms }",
        right: "expect:\n  - didRead: { tag: 1 }\n  - nothing: { for: 50ms }")
    case .unreachableStep:
      LintExplanation(
        meaning: "A step can never do what it says, because of the steps before it in the same lane.",
        wrong: "peer:\n  - accept\n  - close\n  - send: \"HELLO\"",
        right: "peer:\n  - accept\n  - send: \"HELLO\"\n  - close")
    case .neverReached:
      LintExplanation(
        meaning: "A lane waits for a point that is reached only after its own waiting: the lanes hang.",
        wrong: "peer:\n  - accept\n  - after: sent\n  - send: \"HELLO\"\n  - reach: sent",
        right: """
          peer:
            - accept
            - after: ready
            - send: "HELLO"
          subject:
            - connect
            - reach: ready
            - read: { tag: 1 }
          """)
    case .impossibleCallback:
      LintExplanation(
        meaning: """
          A callback is expected, waited for or reacted to that no step can bring about: no read has this tag, nothing \
          starts TLS, nothing listens… A canary may expect it.
          """, wrong: "expect:\n  - didConnect\n  - didRead: { tag: 2 }",
        right: "expect:\n  - didConnect\n  - didRead: { tag: 1 }")
    case .limitBelowDelimiter:
      LintExplanation(
        meaning: "A read whose limit is smaller than its delimiter does nothing, but its completion is expected.",
        wrong: "subject:\n  - connect\n  - read: { through: \"\\r\\n\", limit: 1B, tag: 1 }",
        right: "subject:\n  - connect\n  - read: { through: \"\\r\\n\", limit: 64B, tag: 1 }")
    case .offsetBeyondBuffer:
      LintExplanation(
        meaning: """
          A read whose offset lies beyond the end of its buffer is ignored, but its completion is expected, and no \
          other read makes the buffer longer.
          """,
        wrong: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B, offset: 20B } }
          """,
        right: """
          subject:
            - connect
            - read: { length: 2B, tag: 1, buffer: { name: page, size: 10B, offset: 10B } }
          """)
    case .idleChoice:
      LintExplanation(
        meaning: """
          A `oneOf` with one outcome alone leaves no choice, and what stands twice in it, or in a list of errors, says \
          nothing the second time. A single outcome with a grade or a profile says something.
          """,
        wrong: "expect:\n  - didConnect\n  - oneOf:\n      - [didRead: { tag: 1 }]",
        right: "expect:\n  - didConnect\n  - oneOf:\n      - [didRead: { tag: 1 }]\n      - []")
    case .contradictingEnding:
      LintExplanation(
        meaning: "The ending contradicts what else the scenario says.",
        wrong: "expect:\n  - didConnect\n  - didDisconnect: { error: none }\nending: open",
        right: "expect:\n  - didConnect\n  - didDisconnect: { error: none }\nending: subject fin")
    case .emptyCanary:
      LintExplanation(
        meaning: "A canary proves that the judge can see: it must fail. So it must expect something.",
        wrong: "title: It fails\nrequirements: [CON-01]\ncanary: true\npeer: [accept]\nsubject: [connect]",
        right: "canary: true\nexpect:\n  - didRead: { tag: 99 }")
    case .noSubjectSteps:
      LintExplanation(
        meaning: "The scenario does nothing with the subject.", wrong: "subject: []\nexpect: []\nending: open",
        right: "subject:\n  - connect\n  - read: { tag: 1 }")
    case .judgesNothing:
      LintExplanation(
        meaning: """
          The scenario has no `expect`, checks nothing and names no ending: it cannot fail. An empty `expect` judges: \
          no callback may come.
          """,
        wrong: "title: It connects\nrequirements: [CON-01]\npeer: [accept]\nsubject: [connect]",
        right: "title: It connects\nrequirements: [CON-01]\npeer: [accept]\nsubject: [connect]\nexpect: [didConnect]")
    case .emptyMatrix:
      LintExplanation(
        meaning: "The matrix makes no case: it has `everySplit` alone, and no peer has a `send` or `raw` of two bytes.",
        wrong: "matrix: { segmentation: everySplit }\npeer: [accept, send: \"a\"]",
        right: "matrix: { segmentation: everySplit }\npeer: [accept, send: \"ab\"]")
    case .lackingSubject:
      LintExplanation(
        meaning: """
          The scenario is played with a class of the library that lacks something it uses: a call, a property, a \
          callback or an error that only the other class has. Without `subject` in the matrix it is played with the \
          class that one of its requirements binds alone; if all of them bind both, with those that have all it uses.
          """, wrong: "requirements: [HALF-01]\nsubject: [connect, read: { tag: 1 }, setRunLoopModes: [default]]",
        right: """
          requirements: [RD-ANY-01]
          matrix: { subject: run-loop }
          subject: [connect, read: { tag: 1 }, setRunLoopModes: [default]]
          """)
    case .lackingWorld:
      LintExplanation(
        meaning: """
          The scenario is played in a world that lacks something it uses: simulated sockets have no options, the \
          simulated wire carries no urgent data, and the lab never takes its own descriptors away over the real kernel.
          """, wrong: "subject: [set: { linger: 1s }, connect, read: { tag: 1 }]",
        right: """
          worlds: { only: loopback, because: "simulated sockets have no options" }
          subject: [set: { linger: 1s }, connect, read: { tag: 1 }]
          """)
    case .blockedToTheEnd:
      LintExplanation(
        meaning: "A delegate queue is blocked and never let go: what the library calls there is never seen.",
        wrong: "subject: [connect, read: { tag: 1 }, blockDelegateQueue]",
        right: "subject: [connect, read: { tag: 1 }, blockDelegateQueue, wait: 20ms, unblockDelegateQueue]")
    default: nil
    }
  }
}
