/// A method of a delegate, as its protocol declares it, and the forms that it may be written in.
struct DelegateMethod {
  /// What an object of a form may have.
  enum Mark: String {
    case plain = ""
    case optional = "?"
    case unwrapped = "!"
  }

  struct Parameter {
    let label: String
    let name: String
    /// Without mark.
    let type: String
    /// Objects may have marks, numbers and Booleans not.
    let isObject: Bool
    /// Of the plain form.
    let mark: Mark

    var isError: Bool { type == "any Error" }
  }

  struct Form: Equatable {
    /// Of the parameters that are objects, and of the result if it is one.
    let marks: [Mark]
    /// Its error is an `NSError`, as in programs from before Swift 3.
    var hasNSError = false

    /// The protocol it stands in: which of the objects with marks have `!`.
    var number: Int {
      marks.filter { $0 != .plain }.enumerated().reduce(0) { $0 + ($1.element == .unwrapped ? 1 << $1.offset : 0) }
    }

    var isUnwrapped: Bool { !hasNSError && marks.allSatisfy { $0 == .unwrapped } }
  }

  let base: String
  let parameters: [Parameter]
  let result: Parameter?

  static let handler = "_Handler"

  /// The case of `DelegateMethod` in the library.
  var name: String {
    let labels = [
      "didReadPartialDataOfLength": "didReadPartial", "didWriteDataWithTag": "didWrite",
      "didWritePartialDataOfLength": "didWritePartial", "shouldTimeoutReadWithTag": "shouldTimeoutRead",
      "shouldTimeoutWriteWithTag": "shouldTimeoutWrite", "didConnectToHost": "didConnect",
      "didConnectTo": "didConnectToPath", "didAcceptNewSocket": "didAccept", "didReceive": "didReceiveTrust",
      "willDisconnectWithError": "willDisconnect", "wantsRunLoopForNewSocket": "wantsRunLoop", "didRead": "didRead",
    ]
    if base.hasPrefix("newSocketQueue") { return "newSocketQueue" }
    if parameters.count > 1, let name = labels[parameters[1].label] { return name }
    let word = base.drop { !$0.isUppercase }.drop { "Socket".contains($0) }
    return word.prefix(1).lowercased() + word.dropFirst()
  }

  // MARK: Reading

  /// The methods that a protocol's file declares before its first MARK, without the library's attributes.
  static func all(in file: Repository.File) -> [DelegateMethod] {
    let lines = file.lines.prefix { !$0.contains("// MARK") }.filter { !$0.contains("//") && !$0.contains("  @") }
    return lines.joined(separator: " ").components(separatedBy: " func ").dropFirst().map { DelegateMethod(text: $0) }
  }

  private init(text: String) {
    let parts = text.components(separatedBy: " -> ")
    // A handler has an arrow, too.
    let hasHandler = text.contains("(Bool) -> Void")
    let open = text.firstIndex(of: "(") ?? text.endIndex
    base = String(text[..<open].filter { $0 != " " })
    let list = (hasHandler ? text : parts[0]).replacingOccurrences(
      of: "@escaping @Sendable (Bool) -> Void", with: Self.handler)
    let close = list.lastIndex(of: ")") ?? list.endIndex
    let inner = list[list.index(after: list.firstIndex(of: "(") ?? list.startIndex)..<close]
    parameters = inner.components(separatedBy: ", ").map(Self.parameter)
    result = hasHandler || parts.count < 2 ? nil : Self.parameter("result: " + parts[1].filter { !" }\n".contains($0) })
  }

  private static func parameter(_ text: String) -> Parameter {
    let halves = text.components(separatedBy: ": ")
    let words = halves[0].split(separator: " ").map(String.init)
    let type = halves[1].filter { !"()?".contains($0) }.trimmingCharacters(in: .whitespaces)
    return Parameter(
      label: words[0], name: words.last ?? "", type: type,
      isObject: !["Int", "UInt", "UInt16", "TimeInterval", "Bool"].contains(type),
      mark: halves[1].contains("?") ? .optional : .plain)
  }

  // MARK: Forms

  var objects: [Parameter] { parameters.filter(\.isObject) + (result.map { $0.isObject ? [$0] : [] } ?? []) }
  var plain: Form { Form(marks: objects.map(\.mark)) }
  var unwrapped: Form { Form(marks: objects.map { _ in .unwrapped }) }
  var isAboutTrust: Bool { parameters.contains { $0.type == Self.handler } }

  /// All forms; those come first that take nil, and of forms with the same objects without mark those whose error is an
  /// `Error`.
  var forms: [Form] {
    let all = objects.reduce([[Mark]]([[]])) { lists, _ in
      lists.flatMap { list in [Mark.optional, .unwrapped, .plain].map { list + [$0] } }
    }
    func order(_ form: Form) -> (Int, String, Int, Int) {
      let plain = form.marks.map { $0 == .plain ? "1" : "0" }.joined()
      return (plain.filter { $0 == "1" }.count, plain, form.hasNSError ? 1 : 0, -form.number)
    }
    let kinds = objects.contains(where: \.isError) ? [false, true] : [false]
    let forms = all.flatMap { marks in kinds.map { Form(marks: marks, hasNSError: $0) } }
    return forms.sorted { order($0) < order($1) }
  }

  /// Those that the delegate's protocol does not declare.
  var others: [Form] { forms.filter { $0 != plain && $0 != unwrapped } }

  /// A parameter's or result's mark in a form.
  func mark(of parameter: Parameter, in form: Form) -> Mark {
    objects.firstIndex { $0.name == parameter.name }.map { form.marks[$0] } ?? .plain
  }

  func type(of parameter: Parameter, in form: Form) -> String {
    let mark = mark(of: parameter, in: form)
    if parameter.type == Self.handler, mark == .plain { return "@escaping " + parameter.type }
    if parameter.isError, form.hasNSError { return "NSError" + mark.rawValue }
    let needsParentheses = mark != .plain && (parameter.type.hasPrefix("any ") || parameter.type.contains("->"))
    return (needsParentheses ? "(\(parameter.type))" : parameter.type) + mark.rawValue
  }

  /// A declaration in one line, or in three if it is too long.
  func declaration(
    _ form: Form, before: String, named: Bool = false, after: String = "", handler: String = Self.handler
  ) -> [String] {
    let list = parameters.map { parameter in
      let name = named ? parameter.name : "_"
      let type = type(of: parameter, in: form).replacingOccurrences(of: Self.handler, with: handler)
      let isOneWord = parameter.label == name
      return "\(isOneWord ? name : parameter.label == "_" && !named ? "_" : "\(parameter.label) \(name)"): \(type)"
    }
    let arrow = result.map { " -> \(type(of: $0, in: form))" } ?? ""
    return Self.wrapped("  \(before)func \(base)(", list.joined(separator: ", "), ")\(arrow)\(after)")
  }

  static func wrapped(_ head: String, _ list: String, _ tail: String) -> [String] {
    let line = head + list + tail
    return line.count <= 120 ? [line] : [head, "    " + list, "  " + tail]
  }
}
