import ScenarioModel
import ScenarioYAML

extension RegisterReader {
  /// Reads the catalogue: groups by their titles, and in each its entries by their numbers, which count without gaps.
  mutating func misbehaviours(_ reading: inout Reading, _ root: YAMLNode) {
    let keys = ["does", "with", "note", "open"]
    for group in entries(root, of: "the file", &reading) {
      for entry in entries(group.value, of: "`\(group.key)`", &reading) {
        guard Int(entry.key) == misbehaviours.count + 1 else {
          reading.report(
            .badNumber, at: entry.position, "`\(entry.key.shortened)` does not follow \(misbehaviours.count)",
            help: "misbehaviours are counted from 1 without gaps; the next one is \(misbehaviours.count + 1)")
          continue
        }
        guard let fields = reading.fields(entry.value, of: "an entry", allowed: keys, help: "write `{ does: … }`"),
          let does = text("does", in: fields, of: "an entry", &reading)
        else { continue }
        let others = keys.dropFirst().map { key in fields[key].flatMap { sentence($0, of: "`\(key)`", &reading) } }
        misbehaviours.append(
          Misbehaviour(
            number: misbehaviours.count + 1, group: group.key, does: does, with: others[0], note: others[1],
            open: others[2]))
      }
    }
  }
}
