import Mustache
import ReportMarkup

/// The campaign page's template. It inserts `Markup` and nothing else, so every variable has three braces.
enum CampaignTemplate {
  /// Parsed once.
  private static let library = Result {
    var library = MustacheLibrary()
    try library.register(page, named: "page")
    return library
  }

  static func render(_ view: CampaignView) throws -> Markup {
    Markup(built: try library.get().render(view, withTemplate: "page") ?? "")
  }

  static let page = """
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
    <body class="campaign">
    <header class="top">
    <div class="verdict {{#isGood}}good{{/isGood}}{{^isGood}}look{{/isGood}}">
    <p class="number"><b>{{{number}}}</b><span>{{{unit}}}</span></p>
    <div><p class="eyebrow">SocketLab fuzz campaign {{{id}}}</p><h1>{{{headline}}}</h1>\
    <p class="state">{{{outcome}}}</p></div>
    </div>
    <ul class="gates">
    {{#gates}}
    <li class="{{{tone}}}"><b aria-hidden="true">{{{glyph}}}</b><div><strong>{{{title}}}</strong> \
    <span class="word">{{{state}}}</span><p>{{{actual}}}</p><p class="quiet">{{{threshold}}}</p></div></li>
    {{/gates}}
    </ul>
    {{#reasons}}
    <details class="fold why"><summary>Why {{{title}}} failed <span class="pill">{{{count}}}</span></summary>\
    {{{list}}}</details>
    {{/reasons}}
    <dl class="facts">{{#facts}}<div><dt>{{{name}}}</dt><dd>{{{value}}}</dd></div>{{/facts}}</dl>
    <nav>{{#links}}<a href="#{{{anchor}}}">{{{title}}}</a>{{/links}}</nav>
    </header>
    <main>
    {{#missing}}
    <section id="missing"><h2>Missing from this report</h2><div class="block">{{{.}}}</div></section>
    {{/missing}}
    {{#hasFindings}}
    <section id="findings" class="cases"><h2>Findings</h2>
    {{#findings}}
    <article class="group" id="{{{anchor}}}">
    <header><h3><b class="badge {{{tone}}}">{{{kind}}}</b> {{{title}}}</h3>\
    <p><code>{{{target}}}</code> <span class="pill">{{{status}}}</span> <span class="pill">{{{severity}}}</span>\
    {{#chips}} <span class="pill tag">{{{.}}}</span>{{/chips}}</p></header>
    <div class="inside {{{tone}}}">
    <p class="reason detail">{{{detail}}}</p>
    <div class="command"><code>{{{reproduce}}}</code><button type="button" class="copy" hidden>Copy</button></div>
    {{#scenario}}<div class="told"><h4>As a scenario</h4>{{{.}}}</div>{{/scenario}}
    {{#stack}}<div class="told"><h4>Where</h4>{{{.}}}</div>{{/stack}}
    {{#bytes}}<div class="told"><h4>Input</h4>{{{.}}}</div>{{/bytes}}
    <dl class="facts">{{#facts}}<div><dt>{{{name}}}</dt><dd>{{{value}}}</dd></div>{{/facts}}</dl>
    </div>
    </article>
    {{/findings}}
    {{#moreFindings}}<p class="quiet">{{{.}}}</p>{{/moreFindings}}
    </section>
    {{/hasFindings}}
    {{#comparison}}
    <section id="comparison"><h2>Against {{{base}}}</h2><div class="block">{{{body}}}</div></section>
    {{/comparison}}
    {{#growth}}
    <section id="growth"><h2>Growth</h2>
    <p class="quiet">Edges passed, for each lane: over time, and over executions (logarithmic). Thin: each trial; \
    thick: their median; band: lowest to highest.</p>
    <div class="charts">
    {{#charts}}
    <figure class="chart"><figcaption><strong>{{{title}}}</strong> <span class="quiet">{{{facts}}}</span></figcaption>\
    <div class="pair">{{{time}}}{{{executions}}}</div></figure>
    {{/charts}}
    </div></section>
    {{/growth}}
    {{#runs}}
    <section id="runs"><h2>Throughput and health</h2><div class="block scroll">{{{.}}}</div></section>
    {{/runs}}
    {{#hasCoverage}}
    <section id="coverage"><h2>Coverage</h2>
    {{#coverage}}
    <div class="block"><h3>{{{title}}} <span class="quiet">{{{facts}}}</span></h3>{{{body}}}</div>
    {{/coverage}}
    </section>
    {{/hasCoverage}}
    {{#hasStates}}
    <section id="states"><h2>States of the machine</h2>
    {{#states}}
    <div class="block"><h3>{{{title}}}</h3>{{{body}}}</div>
    {{/states}}
    </section>
    {{/hasStates}}
    {{#zoo}}
    <section id="zoo"><h2>Bug zoo</h2><div class="block">{{{.}}}</div></section>
    {{/zoo}}
    <section id="targets"><h2>Targets</h2><div class="block scroll">{{{targets}}}</div></section>
    <section id="provenance"><h2>Provenance</h2><div class="block scroll">{{{provenance}}}</div></section>
    </main>
    <script>{{{script}}}</script>
    </body>
    </html>

    """

  static let script = #"""
    (() => {
      const all = (selector, root = document) => [...root.querySelectorAll(selector)];
      document.documentElement.classList.add("js");
      for (const button of all(".copy")) {
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
      }
    })();
    """#

  static let style = """

    .campaign { --median: var(--call); }
    .campaign .number span { display: block; margin: .3rem 0 0; font-size: .95rem; }
    .campaign .number b { font-size: 3.6rem; } .look .number b { color: var(--failed); }
    .gates { list-style: none; padding: 0; margin: 1.5rem 0 .75rem; display: grid; gap: .6rem;
      grid-template-columns: repeat(auto-fill, minmax(14.2rem, 1fr)); }
    .gates li { display: flex; gap: .7rem; background: var(--card); border: 1px solid var(--rule);
      border-left: 3px solid var(--c); border-radius: 10px; padding: .55rem .8rem; font-size: .88rem;
      box-shadow: var(--shadow); min-width: 0; }
    .gates b { color: var(--c); font-size: 1.05rem; line-height: 1.3; } .gates div { min-width: 0; }
    .gates strong { font-weight: 620; text-transform: capitalize; } .gates .word { color: var(--c); font-size: .8rem; }
    .gates p { overflow-wrap: anywhere; } .gates .quiet { font-size: .8rem; }
    nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin-top: 1.2rem; font-size: .9rem; }
    .fold { margin-top: .6rem; font-size: .9rem; } .fold > summary { color: var(--soft); }
    .fold ul, .why ul { padding: .3rem 0 .3rem 1.2rem; overflow-wrap: anywhere; }
    .why > summary { color: var(--failed); }
    .block { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: .9rem 1.1rem;
      margin-bottom: 1rem; box-shadow: var(--shadow); }
    .block h3 { margin-bottom: .4rem; } .block h3 .quiet { font-weight: 400; font-size: .88rem; }
    .block > p + div { margin-top: .6rem; }
    .campaign table { width: 100%; font-size: .88rem; }
    .campaign :is(th, td) { padding: .3rem .8rem .3rem 0; vertical-align: baseline; text-align: left; }
    .campaign thead th { color: var(--soft); font-size: .8rem; white-space: nowrap; }
    .campaign tbody tr + tr > * { border-top: 1px solid var(--rule); }
    .campaign .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    .campaign td code, .campaign th code { font-size: .82rem; overflow-wrap: anywhere; }
    .cover td:nth-child(2) { min-width: 11rem; white-space: nowrap; }
    .meter { display: inline-block; width: 6.5rem; height: .5rem; border-radius: 4px; background: var(--rule);
      overflow: hidden; margin-right: .5rem; }
    .meter i { display: block; height: 100%; background: var(--passed); }
    .share { font-variant-numeric: tabular-nums; font-size: .82rem; }
    .never { margin-top: .4rem; font-size: .84rem; } .never dt { margin-top: .5rem; }
    .never dd { padding-left: 1rem; overflow-wrap: anywhere; }
    .never span { color: var(--soft); display: inline-block; min-width: 2.4rem; text-align: right; }
    .states { width: auto !important; } .states td { min-width: 3rem; text-align: center; padding: .25rem .4rem; }
    .states thead th, .states tbody th { padding: .25rem .5rem; white-space: nowrap; }
    .states .hit { background: color-mix(in srgb, var(--passed) var(--h), var(--card)); border-radius: 4px;
      font-variant-numeric: tabular-nums; color: var(--ink); text-shadow: 0 0 3px var(--card), 0 0 3px var(--card); }
    .states .open { color: var(--failed); box-shadow: inset 0 0 0 1px var(--failed); border-radius: 4px; }
    .states .unreached { color: var(--failed); }
    .charts { display: grid; gap: 1rem; margin-top: .6rem; }
    .chart { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: .8rem 1rem;
      box-shadow: var(--shadow); }
    .chart figcaption { font-size: .9rem; } .chart figcaption strong { font-weight: 620; }
    .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
    .growth { width: 100%; height: auto; display: block; font-size: 10px; }
    .growth text { fill: var(--soft); } .growth .y { text-anchor: end; } .growth .x { text-anchor: middle; }
    .growth .grid { stroke: var(--rule); fill: none; }
    .growth .trial { stroke: var(--median); stroke-opacity: .45; fill: none; stroke-width: 1; }
    .growth .trial:last-child { stroke-opacity: 1; stroke-width: 2; }
    .growth .median { stroke: var(--median); fill: none; stroke-width: 2.4; stroke-linejoin: round; }
    .growth .band { fill: color-mix(in srgb, var(--median) 14%, transparent); stroke: none; }
    .told h4 { font-size: .88rem; font-weight: 620; margin-bottom: .25rem; }
    .told pre { background: var(--well); border-radius: 8px; padding: .6rem .8rem; overflow-x: auto; font-size: .8rem; }
    .told ol { padding-left: 1.4rem; font-size: .84rem; overflow-wrap: anywhere; }
    .told p { overflow-wrap: anywhere; font-size: .84rem; }
    .inside .facts { margin-top: 0; } .detail { white-space: pre-wrap; overflow-wrap: anywhere; }
    .plain { list-style: none; padding: 0 0 .6rem; overflow-wrap: anywhere; } .plain li { padding: .15rem 0; }
    .campaign .reason { margin-bottom: .4rem; } .compare td .quiet { font-size: .82rem; }
    .zoo .badge { display: inline-block; margin-bottom: .15rem; } .zoo tbody th { min-width: 16rem; }
    .whole { white-space: nowrap; } .hints { color: var(--late); font-size: .82rem; }
    @media (max-width: 760px) { .pair { grid-template-columns: 1fr; } .campaign .number b { font-size: 2.8rem; }
      .gates { grid-template-columns: 1fr; } }
    @media print { .gates li, .chart, .block tr { break-inside: avoid; } nav { display: none; }
      .fold:not([open]) { display: none; } }

    """
}
