import FuzzHarness
import Glibc
import Testing

@testable import BufferFuzzing
@testable import SocketFuzzing

/// The hand-made seeds below Fuzz/seeds are these programs. With SOCKETLAB_WRITE_SEEDS=1 they are written anew.
@Suite struct SeedTests {
  static let seeds: [(target: String, inputs: [[UInt8]])] = [
    ("scanner", ScannerTests.programs.map { ScannerFuzzing.encode($0) }),
    ("prebuffer", PrebufferTests.inputs),
    ("address", AddressTests.inputs),
    ("tls", TLSTests.programs.map(\.encoded)),
    ("lifecycle", LifecycleTests.programs.map(\.encoded)),
    ("chain", ChainTests.programs.map(\.encoded)),
    ("credentials", CredentialTests.programs.map(\.encoded)),
    ("relay", RelayTests.programs.map(\.encoded)),
    ("subject", SubjectTests.inputs), ("records", RecordTests.inputs),
  ]

  private static let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fuzz/seeds"

  @Test(arguments: seeds.map(\.target)) func filesAreTheSeeds(_ target: String) throws {
    let inputs = try #require(Self.seeds.first { $0.target == target }).inputs
    let folder = "\(Self.folder)/\(target)"
    let writes = getenv("SOCKETLAB_WRITE_SEEDS") != nil
    if writes {
      mkdir(Self.folder, 0o755)
      mkdir(folder, 0o755)
    }
    for (number, input) in inputs.enumerated() {
      let digits = String(number + 1)
      let path = "\(folder)/\(String(repeating: "0", count: 3 - digits.count))\(digits)"
      if writes { try write(input, to: path) }
      #expect(contents(of: path) == input, "\(path) is not what the tests make; write the seeds anew")
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "wb"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  private func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }
}
