import Foundation
import SocketPOSIX

// Swift takes a method for a delegate's if each of its objects has the mark that the protocol has: none, `?` or `!`.
// The original's protocol is `@objc`, where all three mean the same. So every combination is a requirement of its own
// here, a *form* of the method, and a class implements one of them. An error may also be an `NSError`, as it was in
// programs from before Swift 3.
//
// - The plain form, and that with `!` everywhere, are declared by the delegate's protocol: they are what is documented
//   and what a user may call. The others are disfavoured, and are never the better choice for a call. Requirements that
//   differ only in `?` and `!` have one type, and can't stand in one protocol: hence seven of them. In a protocol that
//   inherits the other's, one would count as an override of the other, without `@_nonoverride`.
// - The library calls the plain form. If the class has it, nothing else happens. Its default implementation asks one
//   form after the other whether the class has it (`answers`), with the call itself, and stops at the first: of two
//   forms in one class only one is called, and the plain one before all others.
// - The default implementation of such a form says that it is the default (`miss`), which is kept for each thread until
//   the caller has looked. It costs some nanoseconds a form, for a method that is not implemented, or not plain.

/// What the protocols with the forms of delegates' methods have in common.
public protocol _DelegateForms: AnyObject {}

/// What didReceiveTrust gives to its delegate.
public typealias _Handler = @Sendable (Bool) -> Void

/// A delegate's methods, for both classes of sockets.
enum DelegateMethod: UInt {
  case newSocketQueue, wantsRunLoop, didAccept, willConnect, didConnect, didConnectToPath, didRead, didReadPartial,
    didWrite, didWritePartial, shouldTimeoutRead, shouldTimeoutWrite, willDisconnect, didCloseReadStream, didDisconnect,
    didSecure
  // What a `SecTrust` is passed to has a number of another method, which no delegate of the same protocol has.
  static let didReceiveTrust = DelegateMethod.wantsRunLoop
}

/// Not nil: the form that was called last on this thread is a default implementation.
private let missed = ThreadValue()

/// The delegate and method that are asked on this thread whether they have the form with `!` everywhere.
private let asked = ThreadValue()

extension _DelegateForms {
  // Apart from those with an answer: ThreadSanitizer takes an answer that has no size for its neighbour.

  /// Calls a form, and says whether the class implements it.
  func answers(_ call: @autoclosure () -> Void) -> Bool {
    missed.pointer = nil
    call()
    return !wasMissed()
  }

  /// Calls a form, and says whether the class implements it; `answer` is what the form has answered.
  func answers<Answer>(_ call: @autoclosure () -> Answer, _ answer: inout Answer) -> Bool {
    missed.pointer = nil
    answer = call()
    return !wasMissed()
  }

  /// The same for the form with `!` everywhere.
  func answers(_ method: DelegateMethod, _ call: @autoclosure () -> Void) -> Bool {
    let former = asked.pointer
    asked.pointer = mark(method)
    defer { asked.pointer = former }
    return answers(call())
  }

  func answers<Answer>(_ method: DelegateMethod, _ call: @autoclosure () -> Answer, _ answer: inout Answer) -> Bool {
    let former = asked.pointer
    asked.pointer = mark(method)
    defer { asked.pointer = former }
    return answers(call(), &answer)
  }

  /// Whether the form that was called has said that it is the default; once, for who has called this from inside a
  /// form.
  private func wasMissed() -> Bool {
    guard missed.pointer != nil else { return false }
    missed.pointer = nil
    return true
  }

  /// In the default implementation of a form with `!` everywhere, which users call, too: whether `answers` calls it.
  func isAsked(_ method: DelegateMethod) -> Bool { asked.pointer == mark(method) }

  /// In a form's default implementation: the class does not have it. The answer is looked at by nobody.
  func miss<Answer>(_ answer: Answer) -> Answer {
    missed.pointer = UnsafeMutableRawPointer(bitPattern: 1)
    return answer
  }

  func miss() { miss(()) }

  func missQueue() -> DispatchQueue { miss(.main) }

  /// For a form without a mark at an error. Where there is none, Apple's systems pass an error of this name, too.
  func known(_ error: (any Error)?) -> any Error { error ?? NSError(domain: "Foundation._GenericObjCError", code: 0) }

  /// An object's address ends with four bits of zero, where there is room for the method.
  private func mark(_ method: DelegateMethod) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) | method.rawValue)
  }
}
