import Mustache
import ReportMarkup

/// The page's templates. They insert `Markup` and nothing else, so every variable has three braces.
struct PageTemplates {
  enum Name: String, CaseIterable {
    case page, concern, matrix, group, panel
  }

  /// Parsed once: that takes as long as a page of some dozen cases.
  static let shared = Result { try PageTemplates() }

  private let library: MustacheLibrary

  init() throws {
    var library = MustacheLibrary()
    for name in Name.allCases { try library.register(Self.text(of: name), named: name.rawValue) }
    self.library = library
  }

  /// A name that is not registered would be our own bug; it renders as nothing.
  func render(_ name: Name, _ view: Any) -> Markup {
    Markup(built: library.render(view, withTemplate: name.rawValue) ?? "")
  }

  static func text(of name: Name) -> String {
    switch name {
    case .page: page
    case .concern: concern
    case .matrix: matrix
    case .group: group
    case .panel: panel
    }
  }

  // Partials stand in the first column: the engine would indent what they render, and with it preformatted text.
  private static let page = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'">
    <title>{{{headline}}}</title>
    <style>{{{style}}}</style>
    </head>
    <body>
    <header class="top">
    <div class="verdict {{{mood}}}">
    <p class="number"><b>{{{good}}}</b><span>/ {{{total}}}</span></p>
    <div><p class="eyebrow">SocketLab run report</p><h1>{{{subject}}}</h1><p class="state">{{{state}}}</p></div>
    </div>
    <div class="bar" aria-hidden="true">\
    {{#tones}}<i class="{{{name}}}" style="flex-grow:{{{count}}}"></i>{{/tones}}</div>
    <div class="filter">
    <div class="chips" role="group" aria-label="Show only these verdicts">
    {{#tones}}
    <button type="button" class="chip {{{name}}}" data-chip="{{{name}}}" aria-pressed="false">\
    <b aria-hidden="true">{{{glyph}}}</b> {{{label}}} <span>{{{count}}}</span></button>
    {{/tones}}
    </div>
    <label class="search" hidden><span>Filter</span><input id="filter" type="search" autocomplete="off" \
    placeholder="scenario, requirement or tag ( / )"><output></output></label>
    </div>
    {{#banner}}<p class="banner">{{{.}}}</p>{{/banner}}
    <dl class="facts">{{#facts}}<div><dt>{{{name}}}</dt><dd>{{{value}}}</dd></div>{{/facts}}</dl>
    </header>
    <main>
    {{#hasConcerns}}
    <section class="concerns"><h2>Needs a look</h2><ol>
    {{#folds}}
    {{#concerns}}
    {{> concern}}
    {{/concerns}}
    <li class="fold error" data-v="error" data-s="{{{search}}}"><details><summary><strong>{{{cost}}}</strong>\
    {{#remainder}}<span>{{{.}}}</span>{{/remainder}} <i>control <code>{{{control}}}</code>\
    {{#absent}} {{{.}}}{{/absent}}</i></summary><ul>
    {{#scenarios}}
    <li><a href="#{{{anchor}}}">{{{name}}}</a> {{{count}}}{{#deviating}}, <em>{{{.}}}</em>{{/deviating}}</li>
    {{/scenarios}}
    </ul>{{#more}}<p class="quiet">{{{.}}}</p>{{/more}}</details></li>
    {{/folds}}
    {{#concerns}}
    {{> concern}}
    {{/concerns}}
    </ol>
    {{#moreConcerns}}<p class="quiet">{{{.}}}</p>{{/moreConcerns}}
    </section>
    {{/hasConcerns}}
    {{#hasDivergences}}
    <section class="divergences"><h2>The worlds disagree</h2>
    <p class="quiet">The same scenario, variant and seed, judged differently on the real kernel and in virtual time.</p>
    <div class="scroll"><table>
    <thead><tr><th>Scenario</th><th>Variant</th><th>loopback</th><th>simulated</th></tr></thead><tbody>
    {{#divergences}}
    <tr><th><code>{{{scenario}}}</code></th><td>{{{variant}}}</td>\
    <td>{{#loopback}}<b class="badge {{{name}}}">{{{glyph}}} {{{label}}}</b>{{/loopback}}</td>\
    <td>{{#simulated}}<b class="badge {{{name}}}">{{{glyph}}} {{{label}}}</b>{{/simulated}}</td></tr>
    {{/divergences}}
    </tbody></table></div>
    {{#moreDivergences}}<p class="quiet">{{{.}}}</p>{{/moreDivergences}}
    </section>
    {{/hasDivergences}}
    {{#matrix}}
    {{> matrix}}
    {{/matrix}}
    <section class="cases"><h2>Cases</h2>
    <p class="key"><span class="action"><svg viewBox="-8 -8 16 16"><path class="mark" d="M-5 -5h10v10h-10z"/></svg> \
    peer acts</span><span class="sight"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M-4 -4h8v8h-8z"/></svg> \
    peer sees</span><span class="call"><svg viewBox="-8 -8 16 16"><path class="mark" d="M5 -6v12l-10 -6z"/></svg> \
    call</span><span class="callback"><svg viewBox="-8 -8 16 16"><circle class="mark" r="5"/></svg> callback</span>\
    <span class="check"><svg viewBox="-8 -8 16 16"><path class="mark open" d="M0 -6l6 6l-6 6l-6 -6z"/></svg> \
    property</span><span class="tls"><svg viewBox="-8 -8 16 16"><path class="mark shackle" \
    d="M-3 -1v-2.5a3 3 0 0 1 6 0v2.5"/><path class="mark" d="M-5 -2h10v7h-10z"/></svg> TLS of the peer</span>\
    <span class="met">✓ 12 meets line 12</span></p>
    {{#groups}}
    {{> group}}
    {{/groups}}
    </section>
    <section class="meanings"><h2>What the verdicts mean</h2><dl>
    {{#meanings}}
    <div><dt><b class="badge {{{tone}}}">{{{glyph}}} {{{label}}}</b></dt><dd>{{{text}}}</dd></div>
    {{/meanings}}
    </dl></section>
    </main>
    <script>{{{script}}}</script>
    </body>
    </html>

    """

  private static let concern = """
    <li data-v="{{{tone}}}" data-s="{{{search}}}"><a href="#{{{anchor}}}"><b class="badge {{{tone}}}">{{{glyph}}}</b>\
    <span><strong>{{{title}}}</strong> <i>{{{place}}}</i>{{#company}} <i class="pill">{{{.}}}</i>{{/company}}\
    <br>{{{headline}}}</span></a></li>

    """

  private static let matrix = """
    <section class="matrix"><h2>Matrix</h2>
    <div class="scroll"><table>
    <thead>
    <tr><th></th>{{#worlds}}<th colspan="{{{span}}}" class="first">{{{name}}}</th>{{/worlds}}</tr>
    <tr><th></th>{{#families}}<th class="{{#isFirst}}first{{/isFirst}}">{{{name}}}</th>{{/families}}</tr>
    </thead>
    {{#areas}}
    <tbody>
    <tr class="area"><th colspan="{{{width}}}" scope="rowgroup">{{{name}}}</th></tr>
    {{#rows}}
    <tr data-s="{{{search}}}"><th scope="row"><a href="#{{{anchor}}}" title="{{{title}}}">{{{scenario}}}</a></th>\
    {{#cells}}<td class="{{#isFirst}}first{{/isFirst}}">{{{tiles}}}</td>{{/cells}}</tr>
    {{/rows}}
    </tbody>
    {{/areas}}
    </table></div>
    </section>

    """

  private static let group = """
    <article class="group" id="{{{anchor}}}" data-s="{{{search}}}">
    <header><h3>{{{title}}}</h3><p><code><span>{{{area}}}/</span>{{{scenario}}}</code>\
    {{#chips}} <span class="pill">{{{.}}}</span>{{/chips}}\
    {{#tags}} <span class="pill tag">{{{.}}}</span>{{/tags}}</p></header>
    {{#panels}}
    {{{.}}}
    {{/panels}}
    {{#hasLines}}
    <details class="lines"><summary>{{{lineCount}}}</summary><ul>
    {{#lines}}
    {{{.}}}
    {{/lines}}
    </ul>{{#omitted}}<p class="quiet">{{{.}}}</p>{{/omitted}}</details>
    {{/hasLines}}
    </article>

    """

  private static let panel = """
    <details class="panel {{{tone}}}" id="{{{anchor}}}" data-v="{{{tone}}}"{{#isOpen}} open{{/isOpen}}>
    <summary><b class="badge {{{tone}}}">{{{glyph}}} {{{verdict}}}</b><span class="place">{{{place}}}\
    {{#company}} <span class="pill">{{{.}}}</span>{{/company}}</span>\
    {{#headline}}<span class="headline">{{{.}}}</span>{{/headline}}<i>{{{duration}}}</i></summary>
    <div class="inside">
    {{#alike}}<p class="quiet">{{{.}}}</p>{{/alike}}
    {{#reason}}<p class="reason">{{{.}}}</p>{{/reason}}
    {{#lastWords}}
    <div class="words">{{#messages}}<p>{{{.}}}</p>{{/messages}}
    {{#hasFrames}}<ol>{{#frames}}<li>{{{.}}}</li>{{/frames}}</ol>{{/hasFrames}}
    {{#text}}
    <details{{#isOpen}} open{{/isOpen}}><summary>{{{title}}}</summary><pre>{{{text}}}</pre></details>
    {{/text}}
    </div>
    {{/lastWords}}
    {{#deviations}}
    <div class="delta"><p><b>{{{kind}}}</b>{{#requirement}} <span class="pill">{{{.}}}</span>{{/requirement}}\
    {{#line}} <span class="quiet">{{{.}}}</span>{{/line}}</p>
    <dl><dt>expected</dt><dd class="expected">{{{expected}}}</dd>\
    <dt>actual</dt><dd class="actual">{{{actual}}}</dd></dl></div>
    {{/deviations}}
    {{#moreDeviations}}<p class="quiet">{{{.}}}</p>{{/moreDeviations}}
    <div class="command"><code>{{{command}}}</code><button type="button" class="copy" hidden>Copy</button></div>
    {{#isShort}}<p class="quiet">The page is full: run the command, or see report.json, for the trace.</p>{{/isShort}}
    {{#stories}}
    <div class="secured"><h4>{{{title}}}</h4><dl>
    {{#facts}}
    <dt>{{{name}}}</dt><dd class="{{{tone}}}">{{{value}}}</dd>
    {{/facts}}
    </dl></div>
    {{/stories}}
    {{#diagram}}<div class="scroll">{{{.}}}</div>{{/diagram}}
    {{#bytes}}{{{.}}}{{/bytes}}
    {{#capture}}<p class="quiet">Packets: <a href="{{{.}}}">{{{.}}}</a></p>{{/capture}}
    {{#source}}<details class="script" open><summary>{{{path}}}</summary>{{{source}}}</details>{{/source}}
    {{#traceHash}}<p class="hash">trace {{{.}}}</p>{{/traceHash}}
    </div>
    </details>

    """
}
