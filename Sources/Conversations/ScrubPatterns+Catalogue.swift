/// The patterns, each with words in small letters of which one stands wherever it fits. In their first group is what
/// they find.
///
/// Of two that find something in one place the earlier one counts: what has quotation marks around it comes before what
/// has none, and secrets come before names.
///
/// A pattern that may begin anywhere in a word, or in a row of blanks, has a bound for how far it looks from there:
/// without one the time grows with the square of the length.
extension ScrubPatterns {
  typealias Pattern = (kind: Scrubber.Kind, words: String, regex: Regex<(Substring, Substring)>)

  static var secretPatterns: [Pattern] { headers + fields + lines + redis }
  static var namePatterns: [Pattern] { addresses + names }

  /// Of HTTP and of mail.
  private static var headers: [Pattern] {
    [
      (.user, "digest", /(?i)\busername="([^"\r\n]+)"/),
      (.name, "digest", /(?i)\brealm="([^"\r\n]+)"/),
      (.credential, "digest", /(?i)\b(?:response|c?nonce|opaque)="([^"\r\n]+)"/),
      (.credential, "authorization", /(?mi)^(?:proxy-)?authorization:[ \t]*(?!Digest\b)(?:\w+[ \t]+)?([^\r\n]+)/),
      (.credential, "cookie", /(?mi)^(?:set-)?cookie:[ \t]*([^\r\n]+)/),
      (.credential, "://", /:\/\/([^\s\/:@"<>]+:[^\s\/@"<>]+)@/),
      // Before an address in brackets, also of several on one line; or alone.
      (.user, "@", /[:,][ \t]*"?([^<>"\r\n@,;:\s][^<>"\r\n@,;:]*?)"?[ \t]{0,8}<[^<>@\s]+@/),
      (.user, ":", /(?mi)^(?:from|to|cc|bcc|sender|reply-to):[ \t]*([^<>@:\s][^<>@:\r\n]*)(?=\r?\n)/),
    ]
  }

  /// `password=…`, `"user": "…"`.
  private static var fields: [Pattern] {
    let secrets: [Regex<(Substring, Substring)>] = [
      /(?i)(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key)["']?[ \t]*[=:][ \t]*"((?:[^"\\\r\n]|\\.)+)"/,
      /(?i)(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key)["']?[ \t]*[=:][ \t]*'((?:[^'\\\r\n]|\\.)+)'/,
      /(?i)(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key)["']?[ \t]*[=:][ \t]*["']?([^\s"'&;,]+)/,
    ]
    return secrets.map { (.credential, "pass pwd secret token key", $0) } + [
      (.user, "user", /(?i)\buser(?:[-_]?(?:name|id))?["']?[ \t]*[=:][ \t]*"((?:[^"\\\r\n]|\\.)+)"/),
      (.user, "user", /(?i)\buser(?:[-_]?(?:name|id))?["']?[ \t]*[=:][ \t]*([^\s"'&;,]+)/),
      (.user, "login", /(?i)\blogin["']?[ \t]*[=:][ \t]*"((?:[^"\\\r\n]|\\.)+)"/),
      (.user, "login", /(?i)\blogin["']?[ \t]*[=:][ \t]*([^\s"'&;,]+)/),
    ]
  }

  /// SMTP, POP3, IMAP, FTP, IRC: by command; SMTP's LOGIN asks twice.
  private static var lines: [Pattern] {
    [
      (.user, "user", /(?mi)^USER[ ]+([^\s]+)/),
      (.credential, "pass", /(?mi)^PASS[ ]+([^\r\n]+)/),
      (
        .credential, "auth",
        #/
        (?mi)^AUTH\x20+
        (?:PLAIN|LOGIN|CRAM-MD5|DIGEST-MD5|NTLM|GSSAPI|XOAUTH2|OAUTHBEARER|SCRAM-[A-Z0-9-]+)
        \x20+([^\s]+)
        /#
      ),
      (
        .credential, "auth",
        #/
        (?mi)^AUTH\x20+
        (?:PLAIN|LOGIN|CRAM-MD5|DIGEST-MD5|NTLM|GSSAPI|XOAUTH2|OAUTHBEARER|SCRAM-[A-Z0-9-]+)
        \r?\n([^\s]+)
        /#
      ),
      (.credential, "auth", /(?mi)^AUTH[ ]+LOGIN(?:\r?\n|[ ]+)[^\s]+\r?\n([^\s]+)/),
      // Redis, on one line: with a user, and without.
      (.credential, "auth", /(?mi)^AUTH[ ]+[^\s]+[ ]+([^\s]+)/),
      (
        .credential, "auth",
        #/
        (?mi)^AUTH\x20+(?!
        (?:PLAIN|LOGIN|CRAM-MD5|DIGEST-MD5|NTLM|GSSAPI|XOAUTH2|OAUTHBEARER|SCRAM-[A-Z0-9-]+)
        \s)([^\s]+)
        /#
      ),
      (.credential, "login", /(?mi)^[A-Z0-9.]+[ ]+LOGIN[ ]+(?:"[^"\r\n]*"|[^\s"]+)[ ]+"((?:[^"\\\r\n]|\\.)+)"/),
      (.credential, "login", /(?mi)^[A-Z0-9.]+[ ]+LOGIN[ ]+(?:"[^"\r\n]*"|[^\s"]+)[ ]+([^\s"]+)/),
      (.user, "login", /(?mi)^[A-Z0-9.]+[ ]+LOGIN[ ]+"?([^\s"]+)"?[ ]/),
      (.credential, "authenticate", /(?mi)^[A-Z0-9.]+[ ]+AUTHENTICATE[ ]+[A-Z0-9-]+(?:[ ]+|\r?\n)([^\s]+)/),
    ]
  }

  private static var redis: [Pattern] {
    [
      (.credential, "auth", /(?i)\*3\r\n\$4\r\nAUTH\r\n\$[0-9]+\r\n[^\r\n]+\r\n\$[0-9]+\r\n([^\r\n]+)/),
      (.credential, "hello", /(?i)\r\n\$4\r\nAUTH\r\n\$[0-9]+\r\n[^\r\n]+\r\n\$[0-9]+\r\n([^\r\n]+)/),
      (.user, "auth", /(?i)\*3\r\n\$4\r\nAUTH\r\n\$[0-9]+\r\n([^\r\n]+)/),
      (.user, "hello", /(?i)\$5\r\nHELLO\r\n\$[0-9]+\r\n[0-9]+\r\n\$4\r\nAUTH\r\n\$[0-9]+\r\n([^\r\n]+)/),
      (.credential, "auth", /(?i)\$4\r\nAUTH\r\n\$[0-9]+\r\n([^\r\n]+)/),
      (.credential, "hello", /(?mi)^HELLO[ ]+[0-9]+[ ]+AUTH[ ]+[^\s]+[ ]+([^\s]+)/),
      (.user, "hello", /(?mi)^HELLO[ ]+[0-9]+[ ]+AUTH[ ]+([^\s]+)/),
    ]
  }

  private static var addresses: [Pattern] {
    [
      (.address, ".", /\b((?:[0-9]{1,3}\.){3}[0-9]{1,3})\b/),
      // IPv6, all eight groups or with a gap.
      (.address, ":", /(?i)(?:^|[^\w:.])((?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4})(?![\w:.])/),
      (.address, "::", /(?i)(?:^|[^\w:.])((?:[0-9a-f]{1,4}:)+(?::[0-9a-f]{1,4})+)(?![\w:.])/),
    ]
  }

  /// A name has a dot, and letters behind the last one, unless nothing else can stand in its place.
  private static var names: [Pattern] {
    [
      (.name, "host:", /(?mi)^(?:x-forwarded-)?host:[ \t]*([A-Za-z0-9._-]+)/),
      (.name, "lo", /(?mi)^(?:EHLO|HELO)[ ]+([A-Za-z0-9._-]+)/),
      (.name, "2", /(?mi)^(?:220|221|250)[ -]((?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*)/),
      (.name, "received", /(?mi)^received:[ \t]*from[ ]+([A-Za-z0-9._-]+)/),
      (.name, "received", /(?mi)^received:[^\r\n]*[ ]by[ ]+([A-Za-z0-9._-]+)/),
      (.name, "received", /(?mi)^[ \t]+by[ ]+([A-Za-z0-9._-]+)/),
      (
        .name, "-id", /(?mi)^(?:message-id|references|in-reply-to):[ \t]*<[^<>@\s]+@([A-Za-z0-9._-]+)>/
      ),
      (.name, "server:", /(?mi)^(?:x-)?server:[ \t]*((?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*)(?![\w\/.])/),
      (.name, "via", /(?mi)^via:[ \t]*[0-9.]+[ ]+((?:[A-Za-z0-9-]+\.)*[A-Za-z0-9-]+)/),
      (.name, "x-", /(?mi)^x-(?:served-by|backend|upstream|cache|host|node)[\w-]*:[ \t]*([A-Za-z][A-Za-z0-9._-]+)/),
      (.name, "host", /(?i)\bhost(?:[-_]?name)?["']?[ \t]*[=:][ \t]*["']?((?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*)/),
      (.name, "://", /(?i)\b[a-z][a-z0-9+]{1,30}:\/\/(?:[^\s\/@]+@)?((?:[A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*)/),
    ]
  }
}
