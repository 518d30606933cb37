import Foundation

// The names of Core Foundation that code around TLS uses, for Foundation's types. On Apple's systems the two are
// bridged; here they are the same, so `data as CFData` and `items as! [[String: Any]]` compile and do what they say.

/// Any object.
public typealias CFTypeRef = AnyObject
/// A string.
public typealias CFString = NSString
/// Bytes.
public typealias CFData = NSData
/// An array.
public typealias CFArray = NSArray
/// A dictionary.
public typealias CFDictionary = NSDictionary
/// A date.
public typealias CFDate = NSDate
/// A number.
public typealias CFNumber = NSNumber
/// A truth value.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// Nothing, where an object must be.
public typealias CFNull = NSNull
/// A position, or a count.
public typealias CFIndex = Int

/// Where objects come from. There is one place only, so pass nil or `kCFAllocatorDefault`.
public final class CFAllocator: Sendable {
  private init() {}
}

/// The place where objects come from.
public let kCFAllocatorDefault: CFAllocator? = nil

/// True.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

/// Nothing.
public let kCFNull: CFNull! = NSNull()

/// The value as an object, which Swift keeps alive as any other.
public func CFBridgingRetain(_ X: Any?) -> CFTypeRef? { X.map { $0 as AnyObject } }

/// How many elements the array has.
public func CFArrayGetCount(_ theArray: CFArray?) -> CFIndex { theArray?.count ?? 0 }
