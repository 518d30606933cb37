import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element as an XML parser of somebody else's reads it.
package final class XMLNode: NSObject, XMLParserDelegate {
  package private(set) var name = ""
  package private(set) var fields: [String: String] = [:]
  package private(set) var text = ""
  package private(set) var children: [XMLNode] = []
  private var open: [XMLNode] = []

  /// The document's root; throws the parser's own error.
  package static func parse(_ bytes: [UInt8]) throws -> XMLNode {
    let reader = XMLNode()
    reader.open = [reader]
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = reader
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    guard let root = reader.children.first else { throw CocoaError(.fileReadCorruptFile) }
    return root
  }

  package func all(_ name: String) -> [XMLNode] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
  }

  package func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let node = XMLNode()
    (node.name, node.fields) = (element, attributes)
    open.last?.children.append(node)
    open.append(node)
  }

  package func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
  ) {
    open.removeLast()
  }

  package func parser(_ parser: XMLParser, foundCharacters characters: String) { open.last?.text += characters }
}
