/// What all pages of reports are made of.
package enum HTMLPage {
  /// A whole page that loads nothing. `body` ends with a line feed.
  package static func make(title: String, bodyClass: String? = nil, style: Markup, script: Markup, body: Markup)
    -> Markup
  {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body\(bodyClass.map { " class=\"\($0)\"" })>
    \(body)<script>\(script)</script>
    </body>
    </html>

    """
  }

  /// Names over values; a value has at most `limit` characters.
  package static func facts(_ facts: [(name: String, value: String)], clipped limit: Int) -> Markup {
    """
    <dl class="facts">\
    \(facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value, clipped: limit)</dd></div>" })</dl>
    """
  }

  /// A command in a line of its own, with a button that copies it.
  package static func command(_ command: String) -> Markup {
    """
    <div class="command"><code>\(command)</code><button type="button" class="copy" hidden>Copy</button></div>
    """
  }

  /// A line in a quiet colour.
  package static func note(_ text: String) -> Markup { "<p class=\"quiet\">\(text)</p>" }
}
