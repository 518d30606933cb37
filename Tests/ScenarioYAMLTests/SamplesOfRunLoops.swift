extension Samples {
  static let runLoops = [
    Sample(
      name: "both subjects",
      fragment: "matrix: { subject: [gcd, run-loop] }\nexpect: [didDisconnect: { error: [Closed, ReadTimeout] }]"),
    Sample(
      name: "calls of the run-loop class",
      fragment: """
        matrix: { subject: run-loop }
        sockets:
          socket: { runLoop: worker, modes: [default, private], userData: -7 }
        subject:
          - set: { userData: 7 }
          - setRunLoopModes: [default]
          - setRunLoopModes: { modes: [], returns: false }
          - addRunLoopMode: private
          - addRunLoopMode: { mode: none, returns: false }
          - removeRunLoopMode: private
          - removeRunLoopMode: { mode: default, returns: false }
          - moveToRunLoop: worker
          - moveToRunLoop: { to: none, returns: false }
          - enablePrebuffering
          - runMode: { mode: private, for: 500ms }
          - connect: { timeout: 1s }
          - connect: { peer: peer, error: [Canceled, CFSocket, Misuse] }
          - read: { tag: 1 }
          - check: { unreadData: none, canSafelySetDelegate: true, runLoopModes: [default, private], userData: 7 }
          - check: { unreadData: "abc", description: ["127.0.0.1", "reads"] }
          - check: { description: present }
        expect:
          - willConnect
          - didConnect: { on: worker, mode: default }
          - willDisconnect: { error: none }
          - didDisconnect: { error: Closed, mode: private }
        """),
    Sample(
      name: "answers on a run loop",
      fragment: """
        matrix: { subject: run-loop }
        peer: [connect]
        subject: [listen]
        reactions:
          - when: wantsRunLoop
            do: [answer: { runLoop: worker }]
          - when: { wantsRunLoop: { on: worker } }
            do: [answer: { runLoop: none }]
          - when: child.willConnect
            do: [answer: false, runMode: { mode: modal, for: 1ms }]
        expect:
          - didAccept
          - wantsRunLoop
          - child.willConnect
          - child.didConnect: { on: worker }
        """),
  ]
}
