import COpenSSL
import Glibc
import SocketCore
import Testing

@testable import SocketTLS

/// The end of the process, while other threads go on.
@Suite struct ProcessEndTests {
  /// What OpenSSL shares is still there after `exit` has run everybody's handlers: loops may be using it. This handler
  /// is older than anything that OpenSSL could have left, and so runs behind it.
  @Test func leavesOpenSSLInPlace() async {
    await #expect(processExitsWith: .success) {
      atexit {
        // With its shared state freed, nothing can be made any more.
        guard let context = SSL_CTX_new(TLS_client_method()) else { _exit(3) }
        SSL_CTX_free(context)
        _exit(0)
      }
      guard (try? TLSSession(TLSConfiguration())) != nil else { exit(2) }
      exit(1)
    }
  }
}
