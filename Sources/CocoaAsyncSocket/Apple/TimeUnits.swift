import Foundation

// Numbers that headers of Apple's systems define as macros, with the types that they have in Swift there. A constant of
// such a name that a program has itself, or gets from another module (Dispatch's C module has some), comes before them.

/// Nanoseconds of a second.
@_disfavoredOverload public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds of a millisecond.
@_disfavoredOverload public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds of a microsecond.
@_disfavoredOverload public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds of a second.
@_disfavoredOverload public let USEC_PER_SEC: UInt64 = 1_000_000
/// Milliseconds of a second.
@_disfavoredOverload public let MSEC_PER_SEC: UInt64 = 1_000

/// Seconds, by the name that Core Foundation has for them.
public typealias CFTimeInterval = TimeInterval
