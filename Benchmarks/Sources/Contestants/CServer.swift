import BenchmarkModel
import CRivals
import Foundation

/// A rival in C, on a thread of its own.
struct CServer {
  let role: ServerRole

  func start() throws -> UInt16 {
    var port: UInt16 = 0
    let listener = rival_listen(&port)
    guard listener >= 0 else {
      throw ServerFailure(description: "can't listen on loopback: \(String(cString: strerror(-listener)))")
    }
    let role = role
    Thread.detachNewThread {
      let code = Self.serve(role, listener)
      // A server that is gone must not look like a slow one.
      FileHandle.standardError.write(Data("the \(role.kind) server in C ended: \(-code)\n".utf8))
      exit(70)
    }
    return port
  }

  private static func serve(_ role: ServerRole, _ listener: Int32) -> Int32 {
    switch role.kind {
    case .echo: rival_serve_echo(listener)
    case .respond: rival_serve_answers(listener, ServerRole.message, answerHeader, role.size)
    case .lines: rival_serve_lines(listener, role.acknowledge)
    case .receive: rival_serve_receive(listener, role.size, role.acknowledge)
    case .send: rival_serve_send(listener, role.size)
    case .tlsReceive: rival_serve_tls_receive(listener, role.size, role.acknowledge)
    case .tlsSend: rival_serve_tls_send(listener, role.size)
    }
  }
}
