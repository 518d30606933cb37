import CocoaAsyncSocket
import Foundation
import Testing

/// A delegate's methods may mix marks in this language mode, too, also in classes that belong to an actor.
@Suite struct IsolatedDelegateTests {
  @Test("the methods of an actor, and of classes of the main actor, are called in every form") @MainActor
  func everyFormIsCalled() {
    let socket = GCDAsyncSocket()
    let heard = Heard()
    for delegate in [
      ActingDelegate(heard), MainDelegate(heard), NonisolatedDelegate(heard), IsolatedDelegate(heard),
    ] as [any GCDAsyncSocketDelegate] {
      delegate.socketDidDisconnect(socket, withError: nil as (any Error)?)
      delegate.socket(socket, didReceive: SecTrust(certificates: [], terms: TrustTerms())) { _ in heard.count += 1 }
    }
    #expect(heard.names == ["actor", "main", "nonisolated", "isolated"])
    #expect(heard.count == 4)
  }

  @Test("a delegate may say in a task whether it trusts the peer; one with no form of the method does not")
  func trustInTask() async {
    final class Silent: NSObject, GCDAsyncSocketDelegate {}
    final class Both: NSObject, GCDAsyncSocketDelegate {
      func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust) async -> Bool { false }
      func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
        completionHandler(true)
      }
    }
    func answer(of delegate: any GCDAsyncSocketDelegate) async -> Bool {
      await withCheckedContinuation { answer in
        let trust = SecTrust(certificates: [], terms: TrustTerms())
        delegate.socket(GCDAsyncSocket(), didReceive: trust) { answer.resume(returning: $0) }
      }
    }
    #expect(await answer(of: TaskDelegate()))
    #expect(await answer(of: MainTaskDelegate()))
    #expect(await answer(of: Both()))
    #expect(await !answer(of: Silent()))
  }

  @Test("a class with no form of the method about trust is answered for at once, though no thread of Swift's is free")
  func nobodyToAskAtOnce() {
    final class Silent: NSObject, GCDAsyncSocketDelegate {}
    let heard = Heard()
    let trust = SecTrust(certificates: [], terms: TrustTerms())
    Silent().socket(GCDAsyncSocket(), didReceive: trust) { heard.names.append($0 ? "trusted" : "refused") }
    #expect(heard.names == ["refused"])
  }
}

private final class TaskDelegate: NSObject, GCDAsyncSocketDelegate {
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust) async -> Bool {
    await Task.yield()
    return true
  }
}

@MainActor private final class MainTaskDelegate: NSObject, GCDAsyncSocketDelegate {
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust) async -> Bool {
    MainActor.assertIsolated()
    return true
  }
}

private final class Heard: @unchecked Sendable {
  // Unchecked: for one thread.
  var names: [String] = []
  var count = 0
}

private actor ActingDelegate: GCDAsyncSocketDelegate {
  let heard: Heard
  init(_ heard: Heard) { self.heard = heard }
  nonisolated func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: (any Error)!) {
    heard.names.append("actor")
  }
  nonisolated func socket(
    _ sock: GCDAsyncSocket!, didReceive trust: SecTrust, completionHandler: ((Bool) -> Void)?
  ) { completionHandler?(true) }
}

@MainActor private final class MainDelegate: @preconcurrency GCDAsyncSocketDelegate {
  let heard: Heard
  init(_ heard: Heard) { self.heard = heard }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)?) { heard.names.append("main") }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust!, completionHandler: @escaping (Bool) -> Void) {
    completionHandler(true)
  }
}

@MainActor private final class NonisolatedDelegate: GCDAsyncSocketDelegate {
  let heard: Heard
  init(_ heard: Heard) { self.heard = heard }
  nonisolated func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)!) {
    heard.names.append("nonisolated")
  }
  nonisolated func socket(
    _ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: (@Sendable (Bool) -> Void)!
  ) { completionHandler(true) }
}

@MainActor private final class IsolatedDelegate: @MainActor GCDAsyncSocketDelegate {
  let heard: Heard
  init(_ heard: Heard) { self.heard = heard }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: any Error) { heard.names.append("isolated") }
  func socket(
    _ sock: GCDAsyncSocket?, didReceive trust: SecTrust?, completionHandler: @escaping @Sendable (Bool) -> Void
  ) { completionHandler(true) }
}
