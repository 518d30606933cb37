/// Which side of the handshake a socket takes.
package enum HandshakeRole: Hashable, Sendable { case client, server }
