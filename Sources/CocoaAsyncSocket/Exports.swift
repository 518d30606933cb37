// What the header of the original imports, and with it whoever imports the original: code that names `NSObject`, `Data`
// or `DispatchQueue` may have no other import.
@_exported import Dispatch
@_exported import Foundation
