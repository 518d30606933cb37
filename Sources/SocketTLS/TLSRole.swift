/// Which side of the handshake a socket takes.
package enum TLSRole: Hashable, Sendable { case client, server }
