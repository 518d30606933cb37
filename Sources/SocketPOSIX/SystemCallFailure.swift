import Glibc

/// A system call that failed, and why.
package struct SystemCallFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call's name as in its manual page: "socket", "bind", "connect".
  package let call: String
  /// The errno value.
  package let code: Int32

  /// A failure of `call` with the errno value `code`.
  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The system's text for the code: "Connection refused".
  package var message: String {
    Self.text(for: code)
  }

  /// Call, text and number, for people.
  package var description: String {
    "\(call): \(message) (errno \(code))"
  }

  /// The system's text for any errno value; safe to call from every thread.
  package static func text(for code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress else { return "error \(code)" }
      base.pointee = 0
      _ = strerror_r(code, base, buffer.count)
      let text = String(cString: base)
      return text.isEmpty ? "error \(code)" : text
    }
  }
}

/// Runs a system call until it is not interrupted: its value, or the negated errno.
///
/// One signed number, as the kernel itself answers, keeps the hot path free of allocation and of a second look at
/// errno.
@inline(__always)
func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let value = call()
    if value >= 0 { return value }
    let code = errno
    if code != EINTR { return -Int(code) }
  }
}

/// Runs a system call until it is not interrupted, and throws what made it fail.
@discardableResult
func checked(_ name: String, _ call: () -> Int32) throws(SystemCallFailure) -> Int32 {
  let value = uninterrupted { Int(call()) }
  guard value >= 0 else { throw SystemCallFailure(call: name, code: Int32(-value)) }
  return Int32(value)
}
