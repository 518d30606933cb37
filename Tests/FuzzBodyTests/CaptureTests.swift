import CaptureFuzzing
import Conversations
import Foundation
import FuzzHarness
import Testing

/// The body of captures lets the importer pass, and tells broken ones.
@Suite struct CaptureTests {
  private let bytes: [UInt8]

  init() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/seeds/capture")
    bytes = Array(try Data(contentsOf: folder.appendingPathComponent("pcap-raw")))
  }

  private func law(_ change: (inout CaptureFuzzing.Importing) -> Void = { _ in }) -> String? {
    var importing = CaptureFuzzing.Importing()
    change(&importing)
    return bytes.withUnsafeBytes { CaptureFuzzing.check($0, importing)?.invariant }
  }

  @Test func theImporterPasses() {
    #expect(!CaptureFuzzing.Importing().outcome(bytes, bytes.count).conversations.isEmpty)
    #expect(law() == nil)
  }

  /// What the importer gives for a capture in pieces must be what it gives for the whole.
  private func lawInPieces(_ change: @escaping @Sendable (inout CaptureFuzzing.Outcome) -> Void) -> String? {
    law { importing in
      let read = importing.outcome
      importing.outcome = { bytes, chunk in
        var outcome = read(bytes, chunk)
        if chunk == 13 { change(&outcome) }
        return outcome
      }
    }
  }

  @Test func anImporterThatDependsOnPiecesIsFound() {
    #expect(lawInPieces { $0.conversations.removeLast() } == "capture/chunks")
    #expect(lawInPieces { $0.refusal = "cut" } == "capture/chunks")
  }

  @Test func anImporterThatInventsBytesIsFound() {
    let law = law { importing in
      let read = importing.outcome
      importing.outcome = { bytes, chunk in
        var outcome = read(bytes, chunk)
        let more = [UInt8](repeating: 0, count: bytes.count + 1)
        outcome.conversations[0].events.append(.init(at: .zero, side: .client, act: .bytes(more)))
        return outcome
      }
    }
    #expect(law == "capture/invented")
  }

  @Test func aFileThatTheLabDoesNotReadIsFound() {
    #expect(law { $0.text = { $0.text + "\npeer: twice" } } == "capture/readable")
  }
}
