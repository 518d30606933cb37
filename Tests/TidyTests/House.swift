/// The modules as the documents, the manifest and the sources have them, and where the three disagree.
struct House: Sendable {
  var table: ModuleTable
  var manifest: Manifest
  /// What each module's sources import, with a file that does.
  var imports: [String: [String: String]]

  /// Modules that come with the toolchain and the platform.
  static let platform: Set = ["CoreFoundation", "Dispatch", "Foundation", "Glibc", "Synchronization"]
  /// Modules of a product that is not named like them. CSystem is swift-system's own module for the calls that Glibc's
  /// does not show: epoll.
  static let products = ["CSystem": "SystemPackage", "CYaml": "Yams"]

  /// Sources belong to the target whose folder they lie in, at whatever depth it lies.
  init(architecture: [String], manifest: [String], sources: [Repository.File]) {
    table = ModuleTable(architecture)
    self.manifest = Manifest(manifest)
    imports = Dictionary(self.manifest.systemLibraries.map { ($0, [:]) }) { first, _ in first }
    for file in sources {
      let folders = file.path.split(separator: "/").dropFirst().dropLast().map(String.init)
      let module = folders.first { self.manifest.dependencies[$0] != nil } ?? folders.first ?? file.path
      for name in Self.imports(of: file) { imports[module, default: [:]][name] = file.path }
      imports[module, default: [:]] = imports[module] ?? [:]
    }
  }

  var complaints: [String] { rowComplaints + manifestComplaints + arrowComplaints }

  /// Of each module: is it in the table, and does it import what its row says?
  private var rowComplaints: [String] {
    var complaints: [String] = []
    let rows = Dictionary(table.rows.map { ($0.name, $0) }) { first, _ in first }
    for (module, imported) in imports.sorted(by: { $0.key < $1.key }) {
      let names = imported.isEmpty ? "–" : inOrder(imported.keys).joined(separator: ", ")
      let wanted = "its imports are: \(names)"
      guard let row = rows[module] else {
        complaints.append("\(module) has no row in ARCHITECTURE's table of modules; \(wanted)")
        continue
      }
      if Set(row.imports) != Set(imported.keys) { complaints.append("the row of \(module) is wrong; \(wanted)") }
      for (name, file) in imported.sorted(by: { $0.key < $1.key }) where !row.imports.contains(name) {
        complaints.append("\(file) imports \(name), which the row of \(module) does not allow")
      }
      for name in row.imports where imported[name] == nil {
        complaints.append("the row of \(module) allows \(name), which nothing there imports: take it out")
      }
    }
    for row in table.rows {
      if manifest.dependencies[row.name] == nil { complaints.append("\(row.name) has a row and no target") }
      if table.rows.filter({ $0.name == row.name }).count > 1 { complaints.append("\(row.name) has several rows") }
    }
    return complaints
  }

  /// As a row has them: modules of the package in the order of the table, then other packages', then the platform's.
  private func inOrder(_ names: some Sequence<String>) -> [String] {
    let own = table.rows.map(\.name)
    return names.sorted { left, right in
      let keys = [left, right].map { name in
        (own.firstIndex(of: name) ?? own.count, Self.platform.contains { name.hasPrefix($0) } ? 1 : 0, name)
      }
      return keys[0] < keys[1]
    }
  }

  /// Of each row: does Package.swift give the module what it may import, and no more?
  private var manifestComplaints: [String] {
    table.rows.flatMap { row -> [String] in
      guard let dependencies = manifest.dependencies[row.name] else { return [] }
      let modules = row.imports.map { String($0.split(separator: ".")[0]) }
      let needed = Set(modules.filter { !Self.platform.contains($0) }.map { Self.products[$0] ?? $0 })
      return needed.subtracting(dependencies).sorted().map { "Package.swift: \(row.name) must depend on \($0)" }
        + dependencies.subtracting(needed).sorted().map { "Package.swift: \(row.name) does not need \($0)" }
    }
  }

  /// Of the arrows: are there cycles, or any that are forbidden?
  private var arrowComplaints: [String] {
    let reach = table.reach
    var complaints = table.rows.filter { reach[$0.name]?.contains($0.name) == true }.map {
      "\($0.name) imports itself by way of others"
    }
    for ban in table.bans {
      let from = ban.from.isEmpty ? table.rows.map(\.name) : table.modules(named: ban.from)
      for name in ban.from + ban.to where table.modules(named: [name]).isEmpty {
        complaints.append("the forbidden arrows name \(name), which is neither a module nor a part")
      }
      for module in from {
        for target in table.modules(named: ban.to) where reach[module]?.contains(target) == true {
          complaints.append("\(module) reaches \(target), which is forbidden for ever")
        }
      }
    }
    return complaints
  }

  static func imports(of file: Repository.File) -> [String] {
    file.lines.compactMap { line in
      guard line.contains("import ") else { return nil }
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), !line.hasPrefix("//"),
        words[..<index].allSatisfy({ $0.hasPrefix("@") || ["package", "public", "internal", "private"].contains($0) })
      else { return nil }
      // A function is named with its module: leave for one is no leave for the others.
      if words.count == index + 3, words[index + 1] == "func" { return String(words[index + 2]) }
      let kinds = ["struct", "class", "enum", "protocol", "var", "let", "typealias"]
      let name = words[(index + 1)...].first { !kinds.contains(String($0)) }
      return name.map { String($0.split(separator: ".")[0]) }
    }
  }
}
