import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

// What a start call needs of the queues, and what the base class needs of the loop.
extension SocketDriver {
  /// Takes over a connected descriptor.
  func adopt(_ open: OpenSocket, inactive: Bool, announcing announce: SocketEvent?) {
    enter {
      stream = open
      engine.adoptConnection(announcing: announce, inactive: inactive)
    }
  }

  /// One line about the state.
  var text: String {
    let state = look { () -> String in
      if machine.isConnected { return "connected to \(remoteText)" }
      if machine.isListening { return "accepting on port \(localPort)" }
      return machine.isDisconnected ? "not connected" : "connecting"
    }
    let backlog = look { machine.backlog }
    return
      "<GCDAsyncSocket \(state), reads: \(backlog.reads), writes: \(backlog.writes), buffered: \(backlog.buffered)>"
  }
}
