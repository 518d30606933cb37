/// The files that are made from the methods of a delegate's protocol.
struct DelegateFormFiles {
  /// Of sockets.
  let socketClass: String
  let methods: [DelegateMethod]

  private static let head = "// Made by `./lab tidy --update` from the delegate's protocol."
  private var protocols: String { "_\(socketClass)DelegateForms" }

  // MARK: Requirements and their defaults

  var forms: String {
    var lines = [
      Self.head, "// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation", "", "import Foundation", "",
      "/// The forms of the methods of `\(socketClass)Delegate` that it does not declare itself.",
      "public protocol \(protocols):",
    ]
    lines += (0..<7).map { "  \(protocols)\($0)\($0 < 6 ? "," : "")" } + ["{}"]
    for number in 0..<7 {
      lines += ["", comment(number), "public protocol \(protocols)\(number): _DelegateForms {"]
      var isListed = false
      for (method, form) in all(number) {
        let declaration = method.declaration(form, before: "@_disfavoredOverload ")
        if !isListed || declaration.count > 1 { lines.append("  /// See `\(socketClass)Delegate`.") }
        lines += declaration
        isListed = declaration.count == 1
      }
      lines += ["}", "", "extension \(protocols)\(number) {"]
      lines += all(number).flatMap { defaultImplementation($0, $1) } + ["}"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func all(_ number: Int) -> [(DelegateMethod, DelegateMethod.Form)] {
    methods.flatMap { method in method.others.filter { $0.number == number }.map { (method, $0) } }
  }

  private func comment(_ number: Int) -> String {
    let words = ["first", "second", "third"].enumerated().filter { number & 1 << $0.offset != 0 }.map(\.element)
    switch words.count {
    case 0: return "/// Forms whose optional objects all have `?`."
    case 1: return "/// Forms of whose optional objects only the \(words[0]) has `!`."
    default: return "/// Forms whose \(words[0]) and \(words[1]) optional objects have `!`."
    }
  }

  private func defaultImplementation(_ method: DelegateMethod, _ form: DelegateMethod.Form) -> [String] {
    var answer = Self.nothing(method)
    if let result = method.result, result.isObject, method.mark(of: result, in: form) == .plain {
      answer = result.type == "RunLoop" ? ".current" : ".main"
    }
    let body = answer == ".main" ? " { missQueue() }" : " { miss(\(answer)) }"
    let whole = method.declaration(form, before: "@_disfavoredOverload public ", after: body)
    if whole.count == 1 { return whole }
    return ["  @_disfavoredOverload"] + method.declaration(form, before: "public ", after: body)
  }

  /// The answer of a delegate without the method.
  private static func nothing(_ method: DelegateMethod) -> String {
    guard let result = method.result else { return "" }
    return result.isObject ? "nil" : result.type == "Bool" ? "true" : "0"
  }

  // MARK: Calls

  var calls: String {
    var lines = [
      Self.head, "", "import Foundation", "",
      "/// Each function calls the form with marks that the class has of a method. Those that take nil come first, and",
      "/// others are not called without socket or data.", "extension \(socketClass)Delegate {",
    ]
    for method in methods { lines += calls(method) + [""] }
    lines += (0..<7).map { "  private var forms\($0): any \(protocols)\($0) { self }" } + ["}"]
    return lines.joined(separator: "\n") + "\n"
  }

  private func calls(_ method: DelegateMethod) -> [String] {
    let list = method.parameters.enumerated().map { index, parameter in
      var label = parameter.label
      if index == 0 { label = label == "_" ? "marked" : "marked" + label.prefix(1).uppercased() + label.dropFirst() }
      let type = parameter.type.hasPrefix("any ") ? "(\(parameter.type))" : parameter.type
      return "\(label == parameter.name ? "" : label + " ")\(parameter.name): \(type)\(parameter.isObject ? "?" : "")"
    }
    let nothing = Self.nothing(method)
    let result = method.result.map { $0.type + ($0.isObject ? "?" : "") }
    var lines = DelegateMethod.wrapped(
      "  func \(method.base)(", list.joined(separator: ", "), ")\(result.map { " -> " + $0 } ?? "") {")
    if let result { lines.append("    var answer: \(result)\(method.result?.isObject == true ? "" : " = \(nothing)")") }
    if let type = method.result?.type, method.result?.isObject == true {
      lines.append("    var known = \(type).\(type == "RunLoop" ? "current" : "main")")
    }
    let end = method.isAboutTrust ? "abandon(trust, completionHandler)" : nothing
    // An error may be nil in any form.
    let needed = method.objects.filter { $0.mark == .plain }
    var isGuarded = false
    for (form, number) in [(method.unwrapped, nil)] + method.others.map({ ($0, $0.number) }) {
      if !isGuarded, needed.contains(where: { method.mark(of: $0, in: form) == .plain }) {
        isGuarded = true
        let conditions = needed.map { $0.name + " != nil" }.joined(separator: ", ")
        lines.append("    guard \(conditions) else { return\(end.isEmpty ? "" : " " + end) }")
      }
      lines += question(method, form, number)
    }
    // The last form has no handler, but returns what the peer is to be told.
    let last = method.isAboutTrust ? "askInTask(self, sock!, trust!, completionHandler!)" : "return \(end)"
    if !end.isEmpty { lines.append("    " + last) }
    return lines + ["  }"]
  }

  private func question(_ method: DelegateMethod, _ form: DelegateMethod.Form, _ number: Int?) -> [String] {
    let arguments = method.parameters.map { parameter in
      var value = parameter.name
      if parameter.isObject, method.mark(of: parameter, in: form) == .plain {
        value = parameter.mark == .optional ? "known(\(value))" : value + "!"
      }
      if parameter.isError, form.hasNSError { value += value == parameter.name ? " as NSError?" : " as NSError" }
      return parameter.label == "_" ? value : "\(parameter.label): \(value)"
    }
    var call = "\(number.map { "forms\($0)." } ?? "")\(method.base)(\(arguments.joined(separator: ", ")))"
    if form.isUnwrapped { call = ".\(method.name), " + call }
    var answer = ""
    if let result = method.result {
      answer = result.isObject && method.mark(of: result, in: form) == .plain ? "known" : "answer"
      call += ", &" + answer
    }
    let leave = answer.isEmpty ? "return" : "return " + answer
    let line = "    if answers(\(call)) { \(leave) }"
    return line.count <= 120 ? [line] : ["    if answers(", "      \(call))", "    {", "      \(leave)", "    }"]
  }

  // MARK: Delegates for the tests

  /// Of as many classes as a method may have forms, each has another form of every method.
  var delegates: String {
    let count = methods.map(\.forms.count).max() ?? 0
    var lines = [Self.head, "", "import CocoaAsyncSocket", "import Foundation", ""]
    lines += ["enum Mixed\(socketClass)Delegates {"]
    lines += ["  static var all: [MixedDelegate & \(socketClass)Delegate] {", "    ["]
    lines += (0..<count).map { "      Mixed\(socketClass)Delegate\($0)()," } + ["    ]", "  }", "}"]
    for index in 0..<count {
      lines += ["", "private final class Mixed\(socketClass)Delegate\(index): MixedDelegate, \(socketClass)Delegate {"]
      lines += methods.filter { index < $0.forms.count }.flatMap { implementation($0, index) } + ["}"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func implementation(_ method: DelegateMethod, _ index: Int) -> [String] {
    let form = method.forms[index]
    let names = (["\"\(method.name)\""] + method.parameters.map(\.name)).joined(separator: ", ")
    let answers = ["DispatchQueue": "queue", "RunLoop": "runLoop", "Bool": "false", "TimeInterval": "7"]
    let answer = method.result.flatMap { answers[$0.type] }
    let note = answer.map { "note(\(names), answer: \($0))" } ?? "note(\(names))"
    let handler = "\(index % 2 == 0 ? "" : "@Sendable ")(Bool) -> Void"
    let list = method.declaration(
      form, before: "", named: true, after: " {",
      handler: form.marks.last == .plain ? handler : "(\(handler))")
    if list.count == 1, !method.isAboutTrust, list[0].count + note.count + 3 <= 120 {
      return [list[0] + " \(note) }"]
    }
    let trust = form.marks.last == .optional ? "completionHandler?(true)" : "completionHandler(true)"
    return list + ["    \(note)"] + (method.isAboutTrust ? ["    " + trust] : []) + ["  }"]
  }
}
