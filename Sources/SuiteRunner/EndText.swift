import CaseWorkers
import Glibc
import HostTools

/// How a process ended, in words.
enum EndText {
  private static let names: [Int32: String] = [
    SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGFPE: "SIGFPE", SIGBUS: "SIGBUS", SIGSEGV: "SIGSEGV",
    SIGKILL: "SIGKILL", SIGSYS: "SIGSYS", SIGTERM: "SIGTERM", SIGQUIT: "SIGQUIT", SIGPIPE: "SIGPIPE",
    SIGXCPU: "SIGXCPU",
  ]

  static func cause(_ end: WorkerEnd) -> String {
    switch end.code {
    case .exited(let code): return "it exited with \(code)"
    case .unknown: return "it ended, and the system did not say how"
    case .signalled(let signal):
      var text = names[signal] ?? "signal \(signal)"
      if end.dump.isStackOverflow { text += ", its stack used up" }
      if signal == SIGKILL { text += ", perhaps for want of memory" }
      // The message of a trap says more than its signal.
      if let message = end.dump.message.last(where: { $0.contains("error:") }) { text += " (\(message))" }
      return text
    }
  }
}
