/// Leaks that are not the subject's, for LeakSanitizer, which asks for them by this name. Foundation on Linux keeps
/// every `Timer`, gone off or invalidated, and a socket that comes to another thread's run loop needs one.
@_cdecl("__lsan_default_suppressions")
package func knownLeaks() -> UnsafePointer<CChar> {
  // Read before the runtime is up: nothing is allocated. A dollar sign would be the end of a name.
  let patterns: StaticString = "leak:10Foundation5TimerC4fire8interval7repeats5block\n"
  return UnsafeRawPointer(patterns.utf8Start).assumingMemoryBound(to: CChar.self)
}
