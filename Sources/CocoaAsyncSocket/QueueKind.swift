import Dispatch

/// What libdispatch knows about a queue and has no call for: whether it runs blocks side by side.
///
/// A queue is an object, and the first word of an object is its class. Serial queues, concurrent queues and the
/// process-wide ones are of different classes, which stay the same whatever their target, priority or state; so a
/// queue's class is compared with that of queues whose kind is known. This looks behind `DispatchQueue`, which on Linux
/// wraps the C object, at two words that no documentation promises. Therefore the layout is tried on such queues first,
/// once; where it is not as expected nothing is concluded from it.
struct QueueKind: Sendable {
  /// The classes of this libdispatch's queues; nil: it is laid out otherwise.
  static let known = QueueKind()

  private let concurrent: UInt
  private let global: UInt

  private init?() {
    let serial = [DispatchQueue(label: "GCDAsyncSocket.serial.1"), DispatchQueue(label: "GCDAsyncSocket.serial.2")]
    let concurrent = [
      DispatchQueue(label: "GCDAsyncSocket.concurrent.1", attributes: .concurrent),
      DispatchQueue(label: "GCDAsyncSocket.concurrent.2", attributes: .concurrent, target: serial[0]),
    ]
    let global = [DispatchQueue.global(), DispatchQueue.global(qos: .background)]
    guard (serial + concurrent + global).allSatisfy(Self.isLaidOutAsExpected) else { return nil }
    let classes = [serial, concurrent, global].map { Set($0.map(Self.classWord)) }
    guard classes.allSatisfy({ $0.count == 1 }), classes.reduce(Set(), { $0.union($1) }).count == classes.count,
      let ofConcurrent = classes[1].first, let ofGlobal = classes[2].first
    else { return nil }
    self.concurrent = ofConcurrent
    self.global = ofGlobal
  }

  /// Whether the queue was made with the attribute `.concurrent`, whatever its target.
  func isConcurrent(_ queue: DispatchQueue) -> Bool { Self.classWord(queue) == concurrent }

  /// Whether it is one of the process-wide concurrent queues.
  func isGlobal(_ queue: DispatchQueue) -> Bool { Self.classWord(queue) == global }

  /// Where `DispatchQueue` keeps the C object: behind the header of every Swift object, which is two words.
  private static let offsetOfWrapped = 2 * MemoryLayout<UInt>.size

  fileprivate static func wrapped(_ queue: DispatchQueue) -> UnsafeRawPointer? {
    UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
      .load(fromByteOffset: offsetOfWrapped, as: UnsafeRawPointer?.self)
  }

  private static func classWord(_ queue: DispatchQueue) -> UInt {
    wrapped(queue)?.load(as: UInt.self) ?? 0
  }

  private static func isLaidOutAsExpected(_ queue: DispatchQueue) -> Bool {
    guard let pointer = Mirror(reflecting: queue).descendant("__wrapped") as? OpaquePointer else { return false }
    return wrapped(queue) == UnsafeRawPointer(pointer)
  }
}

extension DispatchQueue {
  /// Names the queue itself. `DispatchQueue` only wraps it, and each time it is asked for the main queue or a global
  /// one it makes another wrapper: `DispatchQueue.main === DispatchQueue.main` is false.
  var identity: UInt {
    let queue = QueueKind.known == nil ? nil : QueueKind.wrapped(self)
    return UInt(bitPattern: queue ?? UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
  }

  /// Whether both are wrappers of one queue.
  func isSame(as other: DispatchQueue) -> Bool { self === other || identity == other.identity }

  /// Whether it is one of the process-wide concurrent queues.
  var isGlobal: Bool { QueueKind.known?.isGlobal(self) ?? label.hasPrefix("com.apple.root.") }

  /// Whether it runs blocks side by side: a concurrent queue that a program has made, or a global one.
  var isConcurrent: Bool { isGlobal || QueueKind.known?.isConcurrent(self) == true }
}
