import HostTools
import ScenarioModel

// What becomes of a case whose worker did not go on.
extension CaseResult {
  /// It came to no end, and its worker was ended.
  ///
  /// - Parameter time: how long after its beginning.
  mutating func markHang(_ end: WorkerEnd, after time: Duration) {
    verdict = .hang
    let reason = "not over \(QuantityText.duration(time)) after it began; its worker was ended"
    self.reason = reason
    backtrace = BacktraceText.lines(end.dump)
    let place = BacktraceText.place(end.dump).map { ", in \($0)" } ?? ""
    deviations = [
      Deviation(
        kind: .hang, expected: "the case comes to its end, or to its limit",
        actual: "it does neither: \(reason)\(place)")
    ]
  }

  /// Its worker ended while it was under way, or behind it.
  mutating func markCrash(_ end: WorkerEnd, reason: String) {
    verdict = .crash
    self.reason = reason
    backtrace = BacktraceText.lines(end.dump)
    let place = BacktraceText.place(end.dump).map { ", in \($0)" } ?? ""
    deviations.append(
      Deviation(
        kind: .crash, expected: "the process that runs the case goes on", actual: "\(EndText.cause(end))\(place)"))
  }
}
