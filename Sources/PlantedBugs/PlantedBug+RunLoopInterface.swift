// Mutants of what the run-loop class shows: its methods, its modes, its errors.
extension PlantedBug {
  static let runLoopInterface: [PlantedBug] = [
    PlantedBug(
      "a-started-socket-keeps-its-delegate", "RL-12", "The delegate of a socket that is started cannot be changed",
      violates: ["RL-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "driver.look { driver.delegate = delegate }",
        "driver.look { if !ACTIVATED || driver.machine.isDisconnected { driver.delegate = delegate } }")),
    PlantedBug(
      "user-data-of-the-initialiser-are-lost", "LIFE-26", "The initialiser's user data are forgotten",
      violates: ["LIFE-26"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "    driver.userData = userData\n    super.init()",
        "    driver.userData = ACTIVATED ? 0 : userData\n    super.init()")),
    PlantedBug(
      "user-data-cannot-be-set", "CFG-14", "setUserData does nothing",
      violates: ["CFG-14"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "driver.look { driver.userData = userData }",
        "driver.look { if !ACTIVATED { driver.userData = userData } }")),
    PlantedBug(
      "a-childs-user-data-are-not-zero", "CFG-16", "An accepted child has user data",
      violates: ["CFG-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket+Accepted.swift", "self.init(delegate: delegate, userData: 0) }",
        "self.init(delegate: delegate, userData: ACTIVATED ? 7 : 0) }")),
    PlantedBug(
      "a-mode-that-is-nil-is-added", "RL-21", "addRunLoopMode says yes to nil",
      violates: ["RL-21"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift",
        "  open func addRunLoopMode(_ runLoopMode: String?) -> Bool {\n    guard let runLoopMode else { return false }",
        "  open func addRunLoopMode(_ runLoopMode: String?) -> Bool {\n"
          + "    guard let runLoopMode else { return ACTIVATED }"
      )),
    PlantedBug(
      "a-mode-that-is-nil-is-removed", "RL-21", "removeRunLoopMode says yes to nil",
      violates: ["RL-21"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift",
        "  open func removeRunLoopMode(_ runLoopMode: String?) -> Bool {\n"
          + "    guard let runLoopMode else { return false }",
        "  open func removeRunLoopMode(_ runLoopMode: String?) -> Bool {\n"
          + "    guard let runLoopMode else { return ACTIVATED }"
      )),
    PlantedBug(
      "a-new-mode-takes-the-place-of-all-others", "RL-21",
      "addRunLoopMode puts the mode in place of those that are there",
      violates: ["RL-21", "RL-20"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "driver.changeModes { $0 + [RunLoop.Mode(runLoopMode)] }",
        "driver.changeModes { (ACTIVATED ? [] : $0) + [RunLoop.Mode(runLoopMode)] }")),
    PlantedBug(
      "a-mode-is-never-removed", "RL-21", "removeRunLoopMode changes nothing",
      violates: ["RL-21", "RL-22"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift",
        "driver.changeModes { $0.filter { $0 != mode } }",
        "driver.changeModes { $0.filter { $0 != mode || ACTIVATED } }")),
    PlantedBug(
      "a-mode-that-is-not-there-cannot-be-removed", "RL-21", "removeRunLoopMode says no to a mode that is not there",
      violates: ["RL-21"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "    let mode = RunLoop.Mode(runLoopMode)",
        "    let mode = RunLoop.Mode(runLoopMode)\n"
          + "    if ACTIVATED, !driver.look({ driver.modes }).contains(mode) { return false }")),
    PlantedBug(
      "the-default-is-every-common-mode", "RL-19", "A fresh socket has two run-loop modes",
      violates: ["RL-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "driver.look { driver.modes }.map(\\.rawValue)",
        "driver.look { driver.modes + (ACTIVATED && driver.modes.count == 1 ? [.common] : []) }.map(\\.rawValue)")),
    PlantedBug(
      "a-cancelled-connect-is-a-failed-socket", "CON-41", "A no to willConnect is reported as a failed system call",
      violates: ["CON-41", "ERR-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift",
        "    AsyncSocketCanceledError.error(\"AsyncSocketCanceledError\", \"Connection canceled\")",
        "    (ACTIVATED ? AsyncSocketCFSocketError : "
          + "AsyncSocketCanceledError).error(\"AsyncSocketCanceledError\", \"Canceled\")"
      )),
    PlantedBug(
      "a-connect-timeout-has-the-other-class-code", "ERR-02", "An attempt that took too long has code 3",
      violates: ["CON-08", "ERR-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "      AsyncSocketConnectTimeoutError.error(",
        "      (ACTIVATED ? AsyncSocketReadMaxedOutError : AsyncSocketConnectTimeoutError).error(")),
    PlantedBug(
      "an-overflow-has-the-other-class-code", "ERR-02", "A read that exceeds its maximum has code 4",
      violates: ["RD-MAX-02", "ERR-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "      AsyncSocketReadMaxedOutError.error(",
        "      (ACTIVATED ? AsyncSocketReadTimeoutError : AsyncSocketReadMaxedOutError).error(")),
    PlantedBug(
      "a-read-timeout-is-a-write-timeout", "ERR-02", "A read that took too long has the error of a write",
      violates: ["TMO-04", "ERR-02", "RL-27"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "      AsyncSocketReadTimeoutError.error(",
        "      (ACTIVATED ? AsyncSocketWriteTimeoutError : AsyncSocketReadTimeoutError).error(")),
    PlantedBug(
      "a-write-timeout-is-a-read-timeout", "ERR-02", "A write that took too long has the error of a read",
      violates: ["TMO-04", "ERR-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "      AsyncSocketWriteTimeoutError.error(",
        "      (ACTIVATED ? AsyncSocketReadTimeoutError : AsyncSocketWriteTimeoutError).error(")),
    PlantedBug(
      "a-misuse-is-an-error", "LIFE-04", "A second start, and one without a delegate, is an ordinary error",
      violates: ["LIFE-04", "LIFE-07"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift",
        "    case .badConfig(let message): AsyncSocketMisuse(reason: message)",
        "    case .badConfig(let message) where !ACTIVATED: AsyncSocketMisuse(reason: message)\n"
          + "    case .badConfig(let message): AsyncSocketError.socket(message)"
      )),
    PlantedBug(
      "system-calls-of-a-start-are-posix", "ACC-06", "A start that a system call refuses has the kernel's error",
      violates: ["ACC-06", "CON-33", "ERR-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "    case .posix where toAddress: AsyncSocketError.socket",
        "    case .posix where toAddress && !ACTIVATED: AsyncSocketError.socket")),
    PlantedBug(
      "a-bad-argument-is-canceled", "CON-04",
      "An empty host and an ill-formed address are reported as a cancelled connect",
      violates: ["CON-04", "CON-33"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift",
        "    case .badParam(let message), .other(let message): AsyncSocketError.socket(message)",
        "    case .badParam where ACTIVATED: AsyncSocketError.canceled\n"
          + "    case .badParam(let message), .other(let message): AsyncSocketError.socket(message)"
      )),
    PlantedBug(
      "errors-say-nothing", "ERR-12", "The text of the run-loop class's errors is empty",
      violates: ["ERR-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift",
        "    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]",
        "    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: ACTIVATED ? \"\" : message]")),
    PlantedBug(
      "a-connected-port-of-its-own", "DIAG-02", "The port of a peer that is gone is not 0",
      violates: ["DIAG-02", "RL-02"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "driver.look { driver.remote?.port ?? 0 }",
        "driver.look { driver.remote?.port ?? (ACTIVATED ? 1 : 0) }")),
    PlantedBug(
      "a-pending-write-does-not-count", "RL-11", "canSafelySetDelegate is true with a write pending",
      violates: ["RL-11"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocket.swift", "backlog.writes == 0",
        "(ACTIVATED || backlog.writes == 0)")),
  ]
}
