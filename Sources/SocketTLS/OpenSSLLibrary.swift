import COpenSSL

/// OpenSSL as a part of a process that may end at any moment.
enum OpenSSLLibrary {
  /// OpenSSL would free what it shares when the process calls `exit`, while the loops' threads still use it: programs
  /// would crash as they end. The kernel frees it as well. Only the first call of a process has a say in that; if other
  /// code of the program was earlier, it is up to that.
  private static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// Must be called before any other use of OpenSSL; clears the errors that earlier calls of this thread have left.
  static func begin() {
    _ = isReady
    ERR_clear_error()
  }
}
