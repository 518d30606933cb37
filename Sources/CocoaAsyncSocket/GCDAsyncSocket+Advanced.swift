import Dispatch
import Foundation

extension SocketDriver {
  /// Runs the block inside the lock.
  func perform(_ block: () -> Void) {
    enter {
      performDepth += 1
      defer { performDepth -= 1 }
      block()
    }
  }

  /// A descriptor, if the caller has the socket to itself. Somebody who is inside `perform` on another thread keeps the
  /// lock, so who gets past it with a depth above zero is the one inside.
  func exclusiveDescriptor(_ choose: (SocketDriver) -> Int32?) -> Int32 {
    look { performDepth > 0 || isOnSocketQueue ? choose(self) ?? -1 : -1 }
  }

  func mark(_ target: DispatchQueue) {
    look {
      guard !markedTargets.contains(where: { $0 === target }) else { return }
      markedTargets.append(target)
      sharedSocketQueue?.mark(target, by: 1)
    }
  }

  func unmark(_ target: DispatchQueue) {
    look {
      guard let index = markedTargets.firstIndex(where: { $0 === target }) else { return }
      markedTargets.remove(at: index)
      sharedSocketQueue?.mark(target, by: -1)
    }
  }
}
