/// The page's template and looks: those of the lab's other reports.
enum PageTemplate {
  static let text = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>SocketLab benchmarks: {{reached}} of {{judged}} bars</title>
    <style>{{{style}}}</style>
    </head>
    <body>
    <header class="top">
    <div class="verdict {{#isGood}}good{{/isGood}}{{^isGood}}look{{/isGood}}">
    {{#hasBars}}<p class="number"><b>{{reached}}</b><span>/ {{judged}}</span></p>{{/hasBars}}
    <div><p class="eyebrow">SocketLab benchmarks: bars reached</p><h1>GCDAsyncSocket and its rivals, in the same rounds\
    </h1><p class="state">{{state}}</p></div>
    </div>
    <dl class="facts">{{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/facts}}</dl>
    {{#notes}}<p class="note">{{.}}</p>{{/notes}}
    </header>
    <main>
    {{#hasWorkloads}}
    <section><h2>Workloads</h2>
    <p class="key">Left: the subject's rate divided by the rival's, round by round; the median as a bar, the quartiles \
    as a whisker. <svg viewBox="0 0 12 14"><path class="asked" d="M6 0V14"/></svg> asked \
    <svg viewBox="0 0 12 14"><path class="hoped" d="M6 0V14"/></svg> aim. Right: the medians themselves.</p>
    {{#workloads}}
    <article id="{{id}}"><header><h3>{{title}}</h3><p class="quiet">{{reason}}\
    {{#isLower}} Lower is better.{{/isLower}}</p></header>
    {{#hasFailure}}<p class="note">{{failure}}</p>{{/hasFailure}}
    <div class="pair"><div>{{{ratios}}}</div><div>{{{rates}}}</div></div></article>
    {{/workloads}}
    </section>
    {{/hasWorkloads}}
    {{#hasGrowth}}
    <section><h2>Growth</h2>
    <p class="key">Cost against size, both logarithmic: a straight line is a power law, its slope the exponent, fitted \
    over the upper half. The dashed line is linear growth; what is steeper is a defect.</p>
    <div class="plots">
    {{#growth}}
    <article id="{{id}}"><header><h3>{{title}}</h3><p class="quiet">{{reason}} Cost of {{cost}}.</p></header>
    {{#hasFailure}}<p class="note">{{failure}}</p>{{/hasFailure}}
    {{{plot}}}
    <ul>{{#lines}}<li class="{{tone}}"><i></i>{{title}} <b{{#isDefect}} class="bad"{{/isDefect}}>{{slope}}</b></li>\
    {{/lines}}</ul>
    <details><summary>Table</summary><table><thead><tr><th>{{size}}</th>{{#lines}}<th>{{title}}</th>{{/lines}}</tr>\
    </thead><tbody>{{#rows}}<tr><th>{{size}}</th>{{#cells}}<td>{{.}}</td>{{/cells}}</tr>{{/rows}}</tbody></table>\
    </details></article>
    {{/growth}}
    </div></section>
    {{/hasGrowth}}
    {{#hasIdle}}
    <section><h2>Idle servers</h2>
    <article><table><thead><tr><th>Server</th><th>Connections</th><th>Memory for each</th><th>Wake-ups a second</th>\
    <th>Threads</th></tr></thead><tbody>
    {{#idle}}
    <tr class="{{tone}}"><th>{{title}}</th><td>{{connections}}</td><td>{{memory}}</td><td>{{wakeUps}}</td>\
    <td>{{threads}}</td></tr>
    {{/idle}}
    </tbody></table></article></section>
    {{/hasIdle}}
    {{#hasComplaints}}
    <section><h2>Not reached</h2><article><ul class="plain">{{#complaints}}<li>{{.}}</li>{{/complaints}}</ul></article>\
    </section>
    {{/hasComplaints}}
    </main>
    </body>
    </html>

    """

  static let style = colours + frame + charts

  private static let colours = """

    :root {
      --paper: #f7f7f4; --card: #ffffff; --ink: #1c2126; --soft: #59636e; --rule: #e3e4df; --well: #f3f4f1;
      --passed: #1d7044; --mild: #5c6b1a; --failed: #b42318; --late: #a04100; --none: #566270; --call: #1f5fae;
      --peer: #52606d; --tls: #0b6b74; --canary: #7f5900; --lab: #6b3fa0;
      --shadow: 0 1px 2px rgb(28 33 38 / .05), 0 4px 16px rgb(28 33 38 / .04);
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171a; --card: #1b1f23; --ink: #e4e7ea; --soft: #9aa5b1; --rule: #2e343a; --well: #24292e;
        --passed: #6fcf97; --mild: #b9cc66; --failed: #ff8a80; --late: #ffab6b; --none: #9fabb7; --call: #82b4f5;
        --peer: #a9b4bf; --tls: #6fd0d8; --canary: #e8c468; --lab: #c3a2f5; --shadow: none;
      }
    }
    .passed { --c: var(--passed); } .passedNonStrict { --c: var(--mild); } .failed { --c: var(--failed); }
    .timeout { --c: var(--late); } .skipped { --c: var(--none); } .own { --c: var(--call); }
    .other { --c: var(--peer); } .line0 { --c: var(--call); } .line1 { --c: var(--canary); }
    .line2 { --c: var(--tls); } .line3 { --c: var(--lab); }
    """

  private static let frame = """

    * { box-sizing: border-box; margin: 0; }
    html { -webkit-text-size-adjust: 100%; }
    body { background: var(--paper); color: var(--ink); padding: 2.5rem 1.25rem 4rem;
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
    .top, main { max-width: 1200px; margin: 0 auto; }
    h1 { font-size: 1.5rem; font-weight: 650; line-height: 1.25; }
    h2 { font-size: 1.05rem; font-weight: 650; margin: 2.75rem 0 .75rem; }
    h3 { font-size: 1rem; font-weight: 620; }
    .quiet, .key, .eyebrow { color: var(--soft); font-size: .88rem; }
    .verdict { display: flex; gap: 1.75rem; align-items: center; flex-wrap: wrap; }
    .number { line-height: 1; letter-spacing: -.03em; white-space: nowrap; }
    .number b { font-size: 4.5rem; font-weight: 680; font-variant-numeric: tabular-nums; }
    .number span { font-size: 1.6rem; color: var(--soft); margin-left: .35rem; letter-spacing: 0; }
    .good b { color: var(--passed); } .state { font-weight: 600; } .look .state { color: var(--failed); }
    .good .state { color: var(--passed); }
    .facts { display: flex; flex-wrap: wrap; gap: .35rem 2rem; margin-top: 1.5rem; font-size: .88rem; }
    .facts dt { color: var(--soft); font-size: .78rem; } .facts dd { font-variant-numeric: tabular-nums; }
    .note { border-left: 3px solid var(--late); padding-left: .8rem; margin-top: .8rem; font-size: .9rem; }
    article { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; box-shadow: var(--shadow);
      padding: .9rem 1.1rem 1rem; margin-top: 1rem; min-width: 0; }
    article header { margin-bottom: .8rem; }
    .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2.5rem; }
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 1rem; }
    .key svg { width: 12px; height: 14px; vertical-align: -2px; }
    table { border-collapse: collapse; width: 100%; font-size: .9rem; }
    th { font-weight: 500; text-align: left; } thead th { color: var(--soft); font-size: .82rem; }
    th, td { padding: .4rem .75rem .4rem 0; font-variant-numeric: tabular-nums; }
    tbody :is(th, td) { border-top: 1px solid var(--rule); } tr.failed { color: var(--failed); }
    article ul { list-style: none; padding: .5rem 0 0; font-size: .88rem; display: flex; flex-wrap: wrap;
      gap: .2rem 1.25rem; }
    details { margin-top: .6rem; font-size: .88rem; } summary { cursor: pointer; color: var(--soft); }
    article ul.plain { display: block; padding: 0; }
    li i { display: inline-block; width: .7rem; height: .7rem; border-radius: 50%; background: var(--c);
      margin-right: .4rem; }
    li b { font-weight: 650; font-variant-numeric: tabular-nums; } li .bad { color: var(--failed); }
    """

  private static let charts = """

    svg.bars, svg.growth { display: block; width: 100%; max-width: 680px; height: auto; font-size: 12px; }
    svg text { fill: var(--ink); } svg .value { text-anchor: end; fill: var(--soft); }
    svg .well { fill: var(--well); } svg .amount { fill: var(--c); fill-opacity: .75; }
    svg :is(.whisker, .asked, .hoped, .grid, .course, .linear) { fill: none; }
    svg .whisker { stroke: var(--ink); stroke-width: 1.2; stroke-opacity: .7; }
    svg .asked { stroke: var(--ink); stroke-width: 2; }
    svg .hoped { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 3 2.5; }
    svg .grid { stroke: var(--rule); } svg.growth .y { text-anchor: end; fill: var(--soft); font-size: 11px; }
    svg.growth .x { text-anchor: middle; fill: var(--soft); font-size: 11px; }
    svg .course { stroke: var(--c); stroke-width: 1.8; } svg circle { fill: var(--c); }
    svg .linear { stroke: var(--c); stroke-dasharray: 5 4; stroke-opacity: .7; }
    @media print { body { padding: 0; } article { break-inside: avoid; box-shadow: none; } }

    """
}
