/// Texts that try to break out of whatever format they are written into.
package enum HostileText {
  package static let all: [String] = [
    "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\"\u{0301} onload=alert(1) x=\"",
    "<\u{0338}script>",
    "]]><failure message=\"x\"/>",
    "&lt;&amp;&#0;&bogus;",
    "NUL\u{0} BEL\u{7} ESC\u{1B}[31m CR\r LF\n TAB\t DEL\u{7F} C1\u{85}",
    "reordered \u{202E}txet\u{202C} \u{2066}x\u{2069} \u{2028}",
    "invalid \u{FFFD} noncharacters \u{FFFE}\u{FFFF}\u{1FFFE}",
    "`code` ``` | *bold* [link](javascript:alert(1)) <b> # \\",
    "{{{style}}} {{#groups}} {{> page}} {{=<% %>=}}",
    "'; rm -rf ~; echo '$(id)`id`",
    "a" + String(repeating: "\u{0300}", count: 5_000),
    "",
  ]
}
