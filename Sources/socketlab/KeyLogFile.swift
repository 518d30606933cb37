import ArgumentParser
import HostTools
import TLSDecryption

/// The secrets of TLS sessions in a file.
enum KeyLogFile {
  /// Those of the file; nil: there is none, and no secrets.
  static func read(_ path: String?) throws -> TLSKeyLog {
    var log = TLSKeyLog()
    guard let path else { return log }
    log.take(String(decoding: try HostFiles.read(path), as: UTF8.self))
    guard log.count > 0 else {
      throw ValidationError(
        "\(path) has no secret of a TLS session. Lines of a key log are like `CLIENT_RANDOM 00aa… 11bb…`; curl and "
          + "browsers write them to the file that the environment variable SSLKEYLOGFILE names.")
    }
    return log
  }
}
