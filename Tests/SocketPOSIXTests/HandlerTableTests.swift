import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Handler table")
struct HandlerTableTests {
  private final class Handler: EventHandler {
    func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) {}
    func handleDeadline(_ context: LoopContext) {}
  }

  @Test("an id finds its handler until it is taken out, and nobody afterwards", arguments: [true, false])
  func ids(keepingIt: Bool) {
    var table = HandlerTable()
    let handlers = (0..<100).map { _ in Handler() }
    let ids = handlers.map { table.insert($0, keepingIt: keepingIt) }
    #expect(Set(ids).count == 100 && !ids.contains(0))
    for (id, handler) in zip(ids, handlers) { #expect(table.handler(id) === handler) }
    for id in ids where id.isMultiple(of: 2) { _ = table.remove(id) }
    // Their places are taken again.
    let later = Handler()
    let laterIDs = (0..<50).map { _ in table.insert(later, keepingIt: keepingIt) }
    #expect(Set(laterIDs).isDisjoint(with: ids))
    for (id, handler) in zip(ids, handlers) {
      if id.isMultiple(of: 2) {
        #expect(table.handler(id) == nil && !table.contains(id) && table.remove(id) == nil)
      } else {
        #expect(table.handler(id) === handler)
      }
    }
    for id in laterIDs { #expect(table.handler(id) === later) }
  }

  @Test("an id that was never given finds nobody", arguments: [0, 1, 1 << 24, 1 << 47, .max])
  func strangers(id: UInt64) {
    var table = HandlerTable()
    #expect(table.handler(id) == nil)
    let handler = Handler()
    let known = table.insert(handler, keepingIt: false)
    if id != known { #expect(table.handler(id) == nil && table.remove(id) == nil) }
    #expect(table.handler(known) === handler)
  }

  @Test("one is kept, the other is not")
  func holds() {
    var table = HandlerTable()
    weak var kept: Handler?
    weak var watched: Handler?
    var ids: (UInt64, UInt64) = (0, 0)
    do {
      let handlers = (Handler(), Handler())
      (kept, watched) = handlers
      ids = (table.insert(handlers.0, keepingIt: true), table.insert(handlers.1, keepingIt: false))
    }
    #expect(kept != nil && watched == nil)
    #expect(table.handler(ids.1) == nil && table.contains(ids.1))
    _ = table.remove(ids.0)
    #expect(kept == nil)
  }

  @Test("wake-ups and groups belong to the id, not to its place")
  func nothingIsInherited() throws {
    var table = HandlerTable()
    let handler = Handler()
    let id = table.insert(handler, keepingIt: false)
    let index = try #require(table.index(of: id))
    table.setGroup(ObjectIdentifier(handler), at: index)
    #expect(table.noteWakeup(7, at: index) == true)
    #expect(table.noteWakeup(7, at: index) == false)
    #expect(table.noteWakeup(8, at: index) == nil)
    #expect(!table.forgetWakeup(8, at: index) && table.forgetWakeup(7, at: index))
    #expect(table.noteWakeup(8, at: index) == true)
    _ = table.remove(id)
    let next = table.insert(handler, keepingIt: false)
    #expect(table.index(of: next) == index)
    #expect(table.group(at: index) == nil)
    #expect(table.noteWakeup(8, at: index) == true)
  }
}
