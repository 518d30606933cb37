import Dispatch
import Foundation

extension SocketDriver {
  /// A descriptor, if the caller has exclusive access to the socket: a thread that gets past the lock while the socket
  /// is owned is the owner.
  func exclusiveDescriptor(_ choose: (SocketDriver) -> Int32?) -> Int32 {
    lookInOrder { lock.isOwned || isOnSocketQueue ? choose(self) ?? -1 : -1 }
  }

  func mark(_ target: DispatchQueue) {
    look {
      guard !markedTargets.contains(where: target.isSame) else { return }
      markedTargets.append(target)
      sharedSocketQueue?.mark(target, by: 1)
    }
  }

  func unmark(_ target: DispatchQueue) {
    look {
      guard let index = markedTargets.firstIndex(where: target.isSame) else { return }
      markedTargets.remove(at: index)
      sharedSocketQueue?.mark(target, by: -1)
    }
  }
}
