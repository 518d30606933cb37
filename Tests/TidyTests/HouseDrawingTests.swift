import Foundation
import Testing

/// The picture in ARCHITECTURE.md is the one that its table makes.
@Suite struct HouseDrawingTests {
  private static let path = "ARCHITECTURE.svg"

  @Test func isWhatTheTableMakes() throws {
    let drawing = HouseDrawing(of: try House.ofTheRepository().table).svg
    if Repository.updatesWhatIsMade {
      try drawing.write(to: Repository.root.appendingPathComponent(Self.path), atomically: true, encoding: .utf8)
    }
    let kept = Repository.file(Self.path)?.lines.joined(separator: "\n")
    #expect(kept == drawing, "\(Self.path) is not what the table of modules makes: ./lab tidy --update")
    let isShown = try #require(Repository.file("ARCHITECTURE.md")).lines.contains { $0.contains("](\(Self.path))") }
    #expect(isShown)
  }

  @Test func drawsEveryModuleAndTheArrowsThatDoNotFollow() {
    let table = ModuleTable(
      rows: [
        .init(name: "A", part: "command", imports: ["B", "C"]), .init(name: "B", part: "lab", imports: ["C"]),
        .init(name: "C", part: "ground", imports: ["Glibc"]), .init(name: "T", part: "tests", imports: ["C"]),
      ], bans: [])
    let svg = HouseDrawing(of: table).svg
    for name in ["A", "B", "C"] { #expect(svg.contains(">\(name)</text>")) }
    #expect(!svg.contains(">T</text>"))
    #expect(svg.components(separatedBy: "marker-end").count - 1 == 2)
    #expect(svg == HouseDrawing(of: table).svg)
  }

  /// Boxes of one storey stand side by side, whatever the table grows to.
  @Test func noBoxHidesAnother() throws {
    let svg = HouseDrawing(of: try House.ofTheRepository().table).svg
    let boxes = svg.matches(of: /<rect x="(\d+)" y="(\d+)" width="(\d+)" height="30"/).map {
      (x: Int($0.output.1)!, y: Int($0.output.2)!, width: Int($0.output.3)!)
    }
    #expect(boxes.count > 20)
    for (index, box) in boxes.enumerated() {
      for other in boxes[(index + 1)...] where other.y == box.y {
        #expect(box.x + box.width < other.x || other.x + other.width < box.x, "\(box) and \(other)")
      }
    }
  }
}
