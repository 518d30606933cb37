/// Why a capture can't be read beyond some place. Everything before that place was read and is sound.
package struct CaptureFault: Error, Hashable, Sendable {
  /// Of the file, in bytes: where the trouble begins.
  package var offset: Int
  /// What is wrong and what to do, in sentences.
  package var message: String
  /// Whether nothing at all could be read: it is no capture of a kind that is known.
  package var isNoCapture = false
  /// Whether the system did not give the bytes: that says nothing of the capture.
  package var isUnreadable = false
}

/// Why the instant of a packet may be another one than the capture says.
package enum InstantDoubt: Hashable, Sendable {
  /// The part of it behind the seconds is a second or more.
  case fraction
  /// The options of its interface, which say in which units it is, are damaged.
  case options
}

/// A packet as a capture holds it.
package struct CapturedPacket {
  /// LINKTYPE_… of the interface.
  package var link: Int
  /// Since 1970.
  package var nanoseconds: UInt64
  /// On the wire; more than `bytes` if the capture has cut it off.
  package var length: Int
  /// What the capture has of it.
  package var bytes: ArraySlice<UInt8>
  /// nil: its instant is as the capture says.
  package var doubt: InstantDoubt?
}

/// What a capture holds.
package enum CapturedItem {
  case packet(CapturedPacket)
  /// Lines of a TLS key log.
  case keyLog(String)
}

/// Numbers in bytes that are there.
extension ArraySlice<UInt8> {
  /// The byte so far behind the first; the caller has seen that it is there.
  subscript(at offset: Int) -> UInt8 { self[startIndex + offset] }

  /// In network order.
  func word(_ offset: Int) -> UInt16 { UInt16(self[at: offset]) << 8 | UInt16(self[at: offset + 1]) }

  /// In network order.
  func longWord(_ offset: Int) -> UInt32 { UInt32(word(offset)) << 16 | UInt32(word(offset + 2)) }

  /// In the order of a file.
  func word(_ offset: Int, isBigEndian: Bool) -> UInt16 { isBigEndian ? word(offset) : word(offset).byteSwapped }

  /// In the order of a file.
  func longWord(_ offset: Int, isBigEndian: Bool) -> UInt32 {
    isBigEndian ? longWord(offset) : longWord(offset).byteSwapped
  }

  /// Everything behind the first `count`; empty if there are fewer.
  func behind(_ count: Int) -> ArraySlice<UInt8> { dropFirst(count) }
}

extension CaptureFault {
  /// The file's bytes can't be had any more.
  package static func unreadable(_ message: String) -> CaptureFault {
    CaptureFault(offset: 0, message: message, isUnreadable: true)
  }
}
