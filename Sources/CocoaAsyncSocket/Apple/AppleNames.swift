import Dispatch
import Foundation

// Types of Apple's systems that signatures of the original name.

/// A queue, by its name in C.
public typealias dispatch_queue_t = DispatchQueue

/// A status of Apple's libraries; 0 is success.
public typealias OSStatus = Int32

/// A whole number, by its name in Objective-C.
public typealias NSInteger = Int

/// A whole number that is not negative, by its name in Objective-C.
public typealias NSUInteger = UInt

/// A context of Secure Transport. There are none on Linux (THR-14).
public final class SSLContext: Sendable {
  private init() {}
}

/// A stream of Core Foundation, which is bridged to Foundation's. No socket has one on Linux (THR-14).
public typealias CFReadStream = InputStream

/// A stream of Core Foundation, which is bridged to Foundation's. No socket has one on Linux (THR-14).
public typealias CFWriteStream = OutputStream

/// Where a call puts a result, by its name in signatures that come from Objective-C.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A socket of Core Foundation. There are none on Linux (RL-25).
public final class CFSocket: Sendable {
  private init() {}
}
