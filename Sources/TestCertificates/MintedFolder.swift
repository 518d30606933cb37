import Glibc

/// A folder in which processes of one run share what they have minted: the keys of some classes take seconds to make.
///
/// Laws
/// - What is there was made by the same code from the same seed, so it is what would have been minted.
/// - Of several processes that want a class at once one mints it and the others wait.
/// - Whatever goes wrong with the folder, the class is minted as if there were none.
struct MintedFolder: Sendable {
  /// Names the folder to the processes of a run, which may keep other things there, too.
  static let variable = "SOCKETLAB_RUN_FOLDER"

  let path: String

  /// nil: the processes of this run share nothing.
  init?(environment: String = MintedFolder.variable) {
    guard let path = getenv(environment).map({ String(cString: $0) }), !path.isEmpty else { return nil }
    self.path = path
  }

  init(path: String) { self.path = path }

  /// The class from the folder, or minted and put there. `name` is a file name.
  func value(
    of name: String, mint: () throws(CertificateFailure) -> MintedClass
  ) throws(CertificateFailure) -> MintedClass {
    let file = open("\(path)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // The lock goes with the descriptor, however the process ends.
    guard file >= 0, flock(file, LOCK_EX) == 0 else {
      if file >= 0 { close(file) }
      return try mint()
    }
    defer { close(file) }
    if let known = Self.read(file) { return known }
    let minted = try mint()
    Self.write(minted, to: file)
    return minted
  }

  // MARK: The file: texts with their lengths in front, then a mark that says it is whole

  private static let mark = Array("whole".utf8)

  private static func read(_ file: Int32) -> MintedClass? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = pread(file, &piece, piece.count, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    // One that was killed while it wrote left the mark out.
    guard bytes.suffix(mark.count) == mark[...] else { return nil }
    var rest = bytes.dropLast(mark.count)
    var parts: [[UInt8]] = []
    while rest.count >= 4 {
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      guard rest.count - 4 >= count else { return nil }
      parts.append(Array(rest.dropFirst(4).prefix(count)))
      rest = rest.dropFirst(4 + count)
    }
    guard rest.isEmpty, parts.count >= 4 else { return nil }
    return MintedClass(
      identity: TestIdentity(
        chain: parts[0], key: parts[1], chainDER: Array(parts[4...]),
        summary: String(decoding: parts[2], as: UTF8.self)),
      anchor: parts[3])
  }

  private static func write(_ minted: MintedClass, to file: Int32) {
    let identity = minted.identity
    var bytes: [UInt8] = []
    for part in [identity.chain, identity.key, Array(identity.summary.utf8), minted.anchor] + identity.chainDER {
      for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
      bytes += part
    }
    bytes += mark
    ftruncate(file, 0)
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(file, $0.baseAddress?.advanced(by: offset), $0.count - offset, offset)
      }
      guard count > 0 || errno == EINTR else { return }
      offset += max(0, count)
    }
  }
}
