import FuzzHarness
import RecordFuzzing

/// libFuzzer calls it with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzProcess.test(RecordFuzzing.body, bytes, count)
}

#if !FUZZING
  @main struct Replay {
    static func main() { FuzzProcess.replay("records", RecordFuzzing.body) }
  }
#endif
