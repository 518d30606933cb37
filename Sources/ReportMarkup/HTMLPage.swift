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

  /// What a folded `details` element holds. Where there are scripts it is text, which `deferralScript` makes elements
  /// of when the fold is opened, so that a long page opens at once; where there are none it is there from the
  /// beginning. Deferrals do not nest.
  package static func deferred(_ content: Markup) -> Markup { "<noscript>\(content)</noscript>" }

  /// Makes `button` one that copies the text before it; where there are no scripts it is hidden.
  package static let copyScript: Markup = #"""
        button.hidden = false;
        button.addEventListener("click", async () => {
          const code = button.previousElementSibling;
          try {
            await navigator.clipboard.writeText(code.textContent);
          } catch {
            const range = document.createRange();
            range.selectNodeContents(code);
            const selection = getSelection();
            selection.removeAllRanges();
            selection.addRange(range);
            document.execCommand("copy");
          }
          button.textContent = "Copied";
          setTimeout(() => { button.textContent = "Copy"; }, 1500);
        });
    """#

  /// Defines `unfold(root)`, which makes elements of all that is deferred below an element, and `whenUnfolded`, a list
  /// of functions to be called with each place whose content has become elements.
  package static let deferralScript: Markup = #"""
    const whenUnfolded = [];
    const unfold = root => {
      for (const held of root.querySelectorAll("noscript")) {
        const place = held.parentElement;
        const template = document.createElement("template");
        template.innerHTML = held.textContent;
        held.replaceWith(template.content);
        for (const tell of whenUnfolded) tell(place);
      }
    };
    const unfoldAround = id => {
      for (const held of document.querySelectorAll("noscript")) {
        if (held.textContent.includes(`id="${id}"`)) unfold(held.parentElement);
      }
    };
    document.addEventListener("toggle", event => { if (event.target.open) unfold(event.target); }, true);

    """#

  /// A line in a quiet colour.
  package static func note(_ text: String) -> Markup { "<p class=\"quiet\">\(text)</p>" }
}
