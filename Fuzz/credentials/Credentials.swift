import ChainFuzzing
import FuzzHarness

/// libFuzzer calls it with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzProcess.test(CredentialFuzzing.body, bytes, count)
}

#if !FUZZING
  @main struct Replay {
    static func main() { FuzzProcess.replay("credentials", CredentialFuzzing.body) }
  }
#endif
