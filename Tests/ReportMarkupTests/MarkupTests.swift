import ReportMarkup
import ReportTestSupport
import Testing

@Suite struct MarkupTests {
  @Test func literalsStandAndTextIsEscaped() {
    let text = "<b class=\"x\">'&'</b>"
    let markup: Markup = "<p title=\"\(text)\">\(text.dropFirst())</p>"
    #expect(
      markup.html == """
        <p title="&lt;b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;">\
        b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;</p>
        """)
    #expect(Markup(text: text).html == ("\(text)" as Markup).html)
  }

  /// Also not by a quote that carries a combining mark, which is another character and the same byte.
  @Test func noTextEndsAnAttributeOrBeginsAnElement() {
    for text in HostileText.all {
      let tags = StartTag.all(in: ("<p title=\"\(text)\" class='\(text)'>\(text, clipped: 300)</p>" as Markup).html)
      #expect(tags.map(\.name) == ["p"])
      #expect(tags.first?.fields.map(\.name) == ["title", "class"])
    }
  }

  @Test func markupInMarkupIsNotEscapedAgain() {
    let part: Markup = "<i>\("a&b")</i>"
    let none: Markup? = nil
    let thrice = String(repeating: "<i>a&amp;b</i>", count: 3)
    #expect(("<p>\(part)\(none)\([part, part])</p>" as Markup).html == "<p>\(thrice)</p>")
    #expect([part, part].joined(separator: "; ").html == "<i>a&amp;b</i>; <i>a&amp;b</i>")
    #expect((part + "<br>").html == "<i>a&amp;b</i><br>")
  }

  @Test func conditionsAndNumbers() {
    let markup: Markup = "\(-3)\(UInt64.max)\("<br>", if: true)\("<hr>", if: false)"
    #expect(markup.html == "-318446744073709551615<br>")
    #expect(markup.size == markup.html.utf8.count)
  }

  @Test func clippingComesBeforeEscaping() {
    #expect(("\("<<<<", clipped: 3)" as Markup).html == "&lt;&lt;…")
  }

  @Test func controlCharactersAreShown() { #expect(Markup(text: "a\u{0}\n").html == "a\u{2400}\n") }

  @Test func aPageHasItsPartsOnce() {
    let page = HTMLPage.make(title: "<T>", bodyClass: "c", style: "s{}", script: "f()", body: "<p>b</p>\n").html
    #expect(page.hasPrefix("<!DOCTYPE html>\n") && page.hasSuffix("</html>\n"))
    let body = "<body class=\"c\">\n<p>b</p>\n<script>f()</script>"
    for part in ["<title>&lt;T&gt;</title>", "<style>s{}</style>", body] {
      #expect(page.ranges(of: part).count == 1, "\(part)")
    }
    let facts = HTMLPage.facts([("a", "<b>")], clipped: 9).html
    #expect(facts == "<dl class=\"facts\"><div><dt>a</dt><dd>&lt;b&gt;</dd></div></dl>")
    #expect(HTMLPage.command("x '&'").html.contains("<code>x &#39;&amp;&#39;</code><button"))
  }
}
