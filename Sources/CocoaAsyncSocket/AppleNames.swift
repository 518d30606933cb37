import Dispatch

// Types of Apple's systems that signatures of the original name.

/// A queue, by its name in C.
public typealias dispatch_queue_t = DispatchQueue

/// A status of Apple's libraries; 0 is success.
public typealias OSStatus = Int32

/// A context of Secure Transport. There are none on Linux (THR-14).
public final class SSLContext: Sendable {
  private init() {}
}

/// A stream of Core Foundation. There are none on Linux (THR-14).
public final class CFReadStream: Sendable {
  private init() {}
}

/// A stream of Core Foundation. There are none on Linux (THR-14).
public final class CFWriteStream: Sendable {
  private init() {}
}

/// A socket of Core Foundation. There are none on Linux (RL-25).
public final class CFSocket: Sendable {
  private init() {}
}
