import FuzzHarness
import TextFuzzing

/// libFuzzer calls it with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FuzzProcess.test(ScenarioFuzzing.body, bytes, count)
}

/// libFuzzer calls it for each change of an input: half of them are changes of the language, the others its own.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
  guard let bytes, seed & 1 == 0 else { return mutateAnyhow(bytes, count, limit) }
  let text = Array(UnsafeBufferPointer(start: bytes, count: count))
  let changed = ScenarioMutator.mutated(text, limit: limit, seed: UInt64(seed >> 1))
  for index in changed.indices { bytes[index] = changed[index] }
  return changed.count
}

#if FUZZING
  /// libFuzzer's own changes, which know the dictionary.
  @_silgen_name("LLVMFuzzerMutate")
  private func mutateAnyhow(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int) -> Int
#else
  /// There is no libFuzzer in the replay build.
  private func mutateAnyhow(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int) -> Int { count }

  @main struct Replay {
    static func main() { FuzzProcess.replay("scenario", ScenarioFuzzing.body) }
  }
#endif
