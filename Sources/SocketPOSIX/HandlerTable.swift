/// The handlers of one loop, and what the loop knows about each.
///
/// An id is a place and how often the place has been given away, so that finding a handler is one step and an id is
/// never used twice: a place whose count is used up is not given away any more.
struct HandlerTable {
  /// The state of a place without its reference, so that reading it copies no reference.
  private struct Place {
    var count: UInt32 = 1
    var isTaken = false
    /// The key of a wake-up that was requested and not reported yet.
    var wakeupKey: UInt16?
    /// The group in whose loans calls of the handler can be made.
    var group: ObjectIdentifier?
  }

  private struct WeakReference {
    weak var handler: (any EventHandler)?
  }

  static let maxPlaces = 1 << 24
  private static let lastCount: UInt32 = 1 << 24 - 1

  private var places: [Place] = []
  private var kept: [(any EventHandler)?] = []
  private var watched: [Int: WeakReference] = [:]
  private var free: [Int] = []

  /// An id for the handler, which is kept or referred to weakly. 24 bits of the count, 24 of the place; never 0.
  mutating func insert(_ handler: any EventHandler, keepingIt: Bool) -> UInt64 {
    let index = free.popLast() ?? places.endIndex
    if index == places.endIndex {
      precondition(index < Self.maxPlaces, "More handlers than a process can have descriptors.")
      places.append(Place())
      kept.append(nil)
    }
    places[index].isTaken = true
    if keepingIt { kept[index] = handler } else { watched[index] = WeakReference(handler: handler) }
    return UInt64(places[index].count) << 24 | UInt64(index)
  }

  /// Removes the handler; one that was held is returned to the caller, who releases it outside of the lock.
  mutating func remove(_ id: UInt64) -> (any EventHandler)? {
    guard let index = index(of: id) else { return nil }
    places[index] = Place(count: places[index].count + 1)
    if places[index].count <= Self.lastCount { free.append(index) }
    if kept[index] == nil { watched[index] = nil }
    return kept[index].take()
  }

  func contains(_ id: UInt64) -> Bool { index(of: id) != nil }

  /// The id's handler; nil once it was removed, or has been deinitialised.
  func handler(_ id: UInt64) -> (any EventHandler)? { index(of: id).flatMap { handler(at: $0) } }

  /// Where the id's handler is; nil once it was taken out. Good until the next change of the table.
  func index(of id: UInt64) -> Int? {
    let index = Int(id & 0xFF_FFFF)
    guard index < places.count, places[index].count == id >> 24, places[index].isTaken else { return nil }
    return index
  }

  func handler(at index: Int) -> (any EventHandler)? { kept[index] ?? watched[index]?.handler }

  func group(at index: Int) -> ObjectIdentifier? { places[index].group }

  mutating func setGroup(_ group: ObjectIdentifier?, at index: Int) { places[index].group = group }

  // MARK: Wake-ups

  /// Records the request for a wake-up; nil if another one of the same handler is recorded there.
  mutating func noteWakeup(_ key: UInt16, at index: Int) -> Bool? {
    switch places[index].wakeupKey {
    case nil:
      places[index].wakeupKey = key
      return true
    case key: return false
    default: return nil
    }
  }

  /// Removes the request, if it is the one that is recorded there.
  mutating func forgetWakeup(_ key: UInt16, at index: Int) -> Bool {
    guard places[index].wakeupKey == key else { return false }
    places[index].wakeupKey = nil
    return true
  }
}
