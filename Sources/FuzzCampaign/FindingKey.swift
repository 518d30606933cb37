import Foundation
import FuzzHarness

/// What makes two crashes the same finding: the target, what went wrong, and the three innermost frames of ours.
///
/// Nothing in it varies with the input, the address or the build's paths, so it is the same in every campaign.
package struct FindingKey: Hashable, Sendable {
  /// A key has at most this many frames.
  package static let maxFrames = 3

  /// The target's name in the catalogue.
  package let target: String
  /// What kind of fault it is.
  package let kind: Finding.Kind
  /// The requirement or law, the sanitizer's word, or what the runtime says.
  package let subject: String
  /// Names of functions, the innermost first.
  package let frames: [String]
  /// Whether it tells a defect from others of its kind; one without any frame may stand for any number of them.
  package var isTelling: Bool { kind == .violation || !frames.isEmpty }

  /// - Parameters:
  ///   - symbols: functions as the log has them, mangled, the innermost first.
  ///   - demangle: gives a name as people read it; the name itself where that can't be done.
  package init(
    target: String, kind: Finding.Kind, subject: String, symbols: [String], demangle: (String) -> String = { $0 }
  ) {
    self.target = target
    self.kind = kind
    self.subject = subject
    let ours = symbols.filter(StackFrame.isOurs)
    let telling = kind == .timeout || kind == .oom ? Self.entry(ours) : ours.prefix(Self.maxFrames)
    // A violation says itself what it is; its frames are those of the wrapper that reports it.
    frames = kind == .violation ? [] : telling.map { Self.withoutPrologue(demangle($0)) }
  }

  /// An input that takes too long is interrupted anywhere: where it was then is chance, where it came from is not. Of
  /// the body that every input comes through, that says nothing; what it called does.
  private static func entry(_ ours: [String]) -> ArraySlice<String> {
    let called = ours.prefix { !isOfBody($0) }
    return called.isEmpty ? ours.suffix(maxFrames) : called.suffix(maxFrames)
  }

  /// Whether a mangled name is of a module that holds fuzz bodies, or what starts them.
  private static func isOfBody(_ symbol: String) -> Bool {
    guard symbol.hasPrefix("$s") else { return false }
    let rest = symbol.dropFirst(2)
    let digits = rest.prefix(while: \.isNumber)
    guard let length = Int(digits) else { return false }
    let module = rest.dropFirst(digits.count).prefix(length)
    return module.hasSuffix("Fuzzing") || module == "FuzzHarness" || module == "FuzzPrograms"
  }

  /// The key of a crash as its log tells it.
  package init(target: String, _ crash: CrashReport, demangle: (String) -> String = { $0 }) {
    self.init(
      target: target, kind: crash.kind, subject: crash.subject, symbols: crash.frames.map(\.function),
      demangle: demangle)
  }

  /// One line: `prebuffer memory heap-buffer-overflow at Prebuffer.write(_:) < Prebuffer.commit(_:)`.
  package var text: String {
    let place = frames.isEmpty ? "" : " at " + frames.joined(separator: " < ")
    return "\(target) \(kind.rawValue) \(subject)\(place)"
  }

  /// `scanner-violation-1f2e3d4c`: short enough for a file's name. FNV-1a over the text.
  package var id: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash >> 32 ^ hash & 0xffff_ffff, radix: 16)
    return "\(target)-\(kind.rawValue)-\(String(repeating: "0", count: 8 - digits.count))\(digits)"
  }

  /// The optimiser makes copies of functions; which, differs from build to build.
  private static func withoutPrologue(_ name: String) -> String {
    guard let end = name.range(of: "> of ", options: .backwards)?.upperBound else { return name }
    return String(name[end...])
  }
}

/// One function of a stack as a sanitizer or libFuzzer prints it.
package struct StackFrame: Hashable, Sendable, Codable {
  /// As printed: mangled.
  package var function: String
  /// `…/Prebuffer.swift:24:73`, or the library; empty: not said.
  package var place: String

  package init(function: String, place: String) {
    self.function = function
    self.place = place
  }

  /// Whether the function is none of the runtimes' or the libraries'; by its name alone.
  package var isOurs: Bool { Self.isOurs(function) }

  /// Neither the fuzzer's, the sanitizer's, the runtime's, the C library's nor the standard library's; by the name
  /// alone, mangled.
  package static func isOurs(_ function: String) -> Bool {
    guard !function.isEmpty, !function.hasPrefix(runtimeFailure) else { return false }
    if strangers.contains(function) { return false }
    return !foreign.contains { function.hasPrefix($0) }
  }

  /// Not a function: the compiler's word for why it trapped.
  package static let runtimeFailure = "Swift runtime failure: "

  private static let foreign = [
    "fuzzer::", "LLVMFuzzer", "__sanitizer", "__asan", "__lsan", "__tsan", "__interceptor", "__ubsan", "__sancov",
    "swift_", "_swift", "swift::", "__swift", "__libc", "__GI_", "__pthread", "pthread_", "_dispatch", "dispatch_",
    "std::", "operator new", "operator delete", "__memset", "__memcpy", "__memmove", "__strlen",
    // Types of the standard library have one letter, its functions `s`; then Foundation, Dispatch, and the wrapper.
    "$sS", "$ss", "$s10Foundation", "$s8Dispatch", "$s11FuzzHarness11FuzzProcess",
    // The same when the caller has demangled already.
    "Swift.", "FuzzProcess.", "static FuzzProcess.",
  ]

  private static let strangers: Set<String> = [
    "main", "_start", "start_thread", "clone", "clone3", "raise", "abort", "gsignal", "kill", "malloc", "calloc",
    "realloc", "free", "posix_memalign", "memcpy", "memmove", "memset", "memcmp", "strlen", "read", "write",
  ]
}
