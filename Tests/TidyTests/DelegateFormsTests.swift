import Foundation
import Testing

/// The forms of delegates' methods, and the delegates that the tests try them with, are those that follow from the
/// protocols.
@Suite struct DelegateFormsTests {
  @Test(arguments: ["GCDAsyncSocket", "AsyncSocket"])
  func areWhatTheProtocolMakes(_ socketClass: String) throws {
    let library = "Sources/CocoaAsyncSocket/\(socketClass)Delegate"
    let methods = DelegateMethod.all(in: try #require(Repository.file(library + ".swift")))
    #expect(methods.count == (socketClass == "AsyncSocket" ? 13 : 14))
    let files = DelegateFormFiles(socketClass: socketClass, methods: methods)
    let made = [
      library + "+Forms.swift": files.forms, library + "+FormCalls.swift": files.calls,
      "Tests/SourceCompatibilityTests/Mixed\(socketClass)Delegates.swift": files.delegates,
    ]
    for (path, text) in made {
      if Repository.updatesWhatIsMade {
        try text.write(to: Repository.root.appendingPathComponent(path), atomically: true, encoding: .utf8)
      }
      let kept = Repository.file(path)?.lines.joined(separator: "\n")
      #expect(kept == text, "\(path) is not what the protocol makes: ./lab tidy --update")
    }
  }

  @Test func aMethodHasEveryCombinationOfMarks() throws {
    let lines = [
      "  func f(", "    _ a: A, b c: D?, n: Int", "  ) -> Q?", "  func e(_ a: A, b c: (any Error)?)", "  // MARK: ",
      "  func g(_ a: A)",
    ]
    let file = Repository.File(path: "x", lines: lines)
    let methods = DelegateMethod.all(in: file)
    let method = try #require(methods.first)
    #expect(methods.count == 2 && method.forms.count == 27 && Set(method.forms.map { "\($0)" }).count == 27)
    #expect(method.others.count == 25 && method.others.filter { $0.number == 7 }.isEmpty)
    #expect(method.declaration(method.plain, before: "") == ["  func f(_: A, b _: D?, n _: Int) -> Q?"])
    // An error may be an `NSError`, too.
    let ending = methods[1]
    #expect(ending.forms.count == 18 && Set(ending.forms.map { "\($0)" }).count == 18 && ending.others.count == 16)
    #expect(ending.forms.filter(\.hasNSError).count == 9 && !ending.plain.hasNSError && !ending.unwrapped.hasNSError)
    let declarations = ending.others.flatMap { ending.declaration($0, before: "") }
    #expect(
      declarations.contains("  func e(_: A, b _: NSError?)") && declarations.contains("  func e(_: A!, b _: NSError!)"))
  }
}
