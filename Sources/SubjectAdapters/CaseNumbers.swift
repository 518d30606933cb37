import SocketPOSIX

/// Numbers that are never given twice.
final class CaseNumbers: Sendable {
  private let last = LockedValue(0)

  func next() -> Int {
    last.withLock { last in
      last += 1
      return last
    }
  }
}
