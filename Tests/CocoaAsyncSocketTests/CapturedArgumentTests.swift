import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What a caller passes to a read, and may do with it when the call has returned.
@Suite struct CapturedArgumentTests {
  @Test("a delimiter whose bytes the caller changes after the call is still the one it was (RD-DELIM-17)")
  func delimiter() throws {
    // Long enough that Data keeps a pointer to the bytes instead of the bytes themselves.
    let (before, after) = ([UInt8](repeating: 0x2D, count: 40), [UInt8](repeating: 0x3D, count: 40))
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 40, alignment: 1)
    defer { storage.deallocate() }
    storage.copyBytes(from: before)
    let address = try #require(storage.baseAddress)
    let delimiter = Data(bytesNoCopy: address, count: 40, deallocator: .none)
    let link = try SocketAndPeer()
    link.socket.readData(to: delimiter, withTimeout: -1, tag: 1)
    storage.copyBytes(from: after)
    #expect(delimiter == Data(after), "the caller's own object did change")
    try link.peer.send(data("one").map { $0 } + after + before + data("two"))
    #expect(try link.delegate.bytes(ofRead: 1, of: link.socket) == data("one") + Data(after) + Data(before))
  }

  @Test("a buffer that its caller lets go of lives until its read is over (RD-BUF-10)", arguments: [false, true])
  func releasedBuffer(fails: Bool) throws {
    let link = try SocketAndPeer()
    weak var buffer: NSMutableData?
    do {
      let own = NSMutableData(data: data("ab"))
      buffer = own
      link.socket.readData(toLength: 4, withTimeout: -1, buffer: own, bufferOffset: 2, tag: 1)
    }
    try link.peer.send("12")
    try link.delegate.wait(for: .readPartial(2, tag: 1), of: link.socket)
    #expect(buffer != nil)
    if fails {
      link.peer.reset()
      try link.delegate.waitForDisconnect(of: link.socket)
    } else {
      try link.peer.send("34")
      #expect(try link.delegate.bytes(ofRead: 1, of: link.socket) == data("1234"))
    }
    try eventually("nobody holds the buffer any more") { buffer == nil }
  }

  @Test("no offset, length or limit makes the arithmetic underflow (RD-BUF-13, RD-BUF-04, RD-LEN-10)")
  func extremeNumbers() throws {
    let extremes: [UInt] = [0, 1, 4, 5, UInt.max / 2, UInt.max - 4, UInt.max - 1, UInt.max]
    for offset in extremes {
      for number in extremes {
        let link = try SocketAndPeer()
        let (socket, buffer) = (link.socket, NSMutableData(data: data("left")))
        socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: offset, maxLength: number, tag: 1)
        socket.readData(
          to: data("\n"), withTimeout: -1, buffer: buffer, bufferOffset: offset, maxLength: number, tag: 2)
        socket.readData(toLength: number, withTimeout: -1, buffer: buffer, bufferOffset: offset, tag: 3)
        socket.write(data("?"), withTimeout: -1, tag: 4)
        #expect(try link.peer.receive(1) == Array("?".utf8))
        try link.peer.send("x\n\n")
        if offset <= 4 {
          try link.delegate.wait("a read of anything") { $0.isRead }
        } else {
          // Reads that cannot be meant take no place: the first one that can gets the bytes.
          socket.readData(toLength: 3, withTimeout: -1, tag: 5)
          #expect(try link.delegate.bytes(ofRead: 5, of: socket) == data("x\n\n"))
        }
        socket.disconnect()
        try link.delegate.waitForDisconnect(of: socket)
        #expect(Data(referencing: buffer).prefix(Int(min(offset, 4))) == data("left").prefix(Int(min(offset, 4))))
      }
    }
  }
}
