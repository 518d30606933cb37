/// The page's looks. Colours are variables by verdict, so that light, dark and print differ in one place; every text
/// colour has a contrast of at least 4.5 to 1 on the grounds it is used on.
package enum PageStyle {
  /// The rules that all pages share, to stand in a `style` element.
  package static let css: Markup = colours + frame + sections + panels + diagram + print

  private static let colours: Markup = """

    :root {
      --paper: #f7f7f4; --card: #ffffff; --ink: #1c2126; --soft: #59636e; --rule: #e3e4df; --well: #f3f4f1;
      --passed: #1d7044; --mild: #5c6b1a; --failed: #b42318; --late: #a04100; --hang: #8f3d0e; --crash: #9c1c5b;
      --unsure: #7d5700; --lab: #6b3fa0; --none: #566270; --canary: #7f5900; --call: #1f5fae; --peer: #52606d;
      --tls: #0b6b74; --on: #ffffff; --tint: 11%;
      --shadow: 0 1px 2px rgb(28 33 38 / .05), 0 4px 16px rgb(28 33 38 / .04);
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171a; --card: #1b1f23; --ink: #e4e7ea; --soft: #9aa5b1; --rule: #2e343a; --well: #16191d;
        --passed: #6fcf97; --mild: #b9cc66; --failed: #ff8a80; --late: #ffab6b; --hang: #f59a6a; --crash: #f48fc0;
        --unsure: #e6c15c; --lab: #c3a2f5; --none: #9fabb7; --canary: #e8c468; --call: #82b4f5; --peer: #a9b4bf;
        --tls: #6fd0d8; --on: #14171a; --tint: 15%; --shadow: none;
      }
    }
    .passed { --c: var(--passed); } .passedNonStrict { --c: var(--mild); } .failed, .alarm { --c: var(--failed); }
    .timeout { --c: var(--late); } .hang { --c: var(--hang); } .crash, .violation { --c: var(--crash); }
    .inconclusive { --c: var(--unsure); } .error { --c: var(--lab); } .canary { --c: var(--canary); }
    .unsupported, .skipped { --c: var(--none); } .known { --c: var(--late); }
    """

  private static let frame: Markup = """

    * { box-sizing: border-box; margin: 0; }
    html { scroll-padding-top: 5.5rem; -webkit-text-size-adjust: 100%; }
    body { background: var(--paper); color: var(--ink); padding: 2.5rem 1.25rem 4rem;
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
    .top, main { max-width: 1200px; margin: 0 auto; }
    code, pre, .source, svg.lanes text, .delta dd, .hash {
      font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    a { color: inherit; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent);
      text-underline-offset: 2px; }
    :focus-visible { outline: 2px solid var(--call); outline-offset: 2px; border-radius: 4px; }
    [hidden] { display: none !important; }
    h2 { font-size: 1.05rem; font-weight: 650; margin: 2.75rem 0 .75rem; }
    i { font-style: normal; } .quiet { color: var(--soft); }
    .badge { color: var(--c); background: color-mix(in srgb, var(--c) var(--tint), transparent); padding: .1rem .5rem;
      border-radius: 99px; font-weight: 600; font-size: .82rem; white-space: nowrap; }
    .pill { border: 1px solid var(--rule); border-radius: 99px; padding: 0 .5rem; font-size: .78rem; color: var(--soft);
      white-space: nowrap; } .pill.tag { border-style: dashed; }
    .scroll { overflow-x: auto; }
    .verdict { display: flex; gap: 1.75rem; align-items: center; flex-wrap: wrap; }
    .number { line-height: 1; letter-spacing: -.03em; white-space: nowrap; }
    .number b { font-size: 4.5rem; font-weight: 680; font-variant-numeric: tabular-nums; }
    .number span { font-size: 1.6rem; color: var(--soft); margin-left: .35rem; letter-spacing: 0; }
    .good b { color: var(--passed); } .eyebrow { color: var(--soft); font-size: .85rem; }
    h1 { font-size: 1.5rem; font-weight: 650; line-height: 1.25; }
    .state { font-weight: 600; } .look .state { color: var(--failed); } .good .state { color: var(--passed); }
    .cut .state { color: var(--unsure); }
    .bar { display: flex; gap: 2px; height: 12px; margin: 1.5rem 0 1rem; border-radius: 6px; overflow: hidden; }
    .bar i { background: var(--c); min-width: 4px; flex-basis: 0; }
    .filter { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; }
    .chips { display: flex; flex-wrap: wrap; gap: .4rem; }
    .chip { font: inherit; font-size: .85rem; color: var(--ink); background: var(--card); border: 1px solid var(--rule);
      border-radius: 99px; padding: .2rem .7rem; pointer-events: none; }
    .js .chip { cursor: pointer; pointer-events: auto; } .js .chip:hover { border-color: var(--c); }
    .chip b { color: var(--c); } .chip span { color: var(--soft); font-variant-numeric: tabular-nums; }
    .chip[aria-pressed=true] { background: var(--c); border-color: var(--c); color: var(--on); }
    .chip[aria-pressed=true] :is(b, span) { color: inherit; }
    .search { display: flex; gap: .6rem; align-items: center; flex: 1 1 20rem; font-size: .85rem; color: var(--soft); }
    .search input { flex: 1; font: inherit; font-size: .95rem; color: var(--ink); background: var(--card);
      border: 1px solid var(--rule); border-radius: 8px; padding: .35rem .7rem; min-width: 8rem; }
    .banner { margin-top: 1.25rem; padding: .55rem 1rem; border-radius: 8px; font-weight: 600; color: var(--unsure);
      background: color-mix(in srgb, var(--unsure) var(--tint), transparent); }
    .facts { display: flex; flex-wrap: wrap; gap: .35rem 2rem; margin-top: 1.5rem; font-size: .88rem; }
    .facts dt { color: var(--soft); font-size: .78rem; } .facts dd { font-variant-numeric: tabular-nums; }
    """

  private static let sections: Markup = """

    .concerns ol { list-style: none; padding: 0; background: var(--card); border: 1px solid var(--rule);
      border-radius: 12px; box-shadow: var(--shadow); overflow: hidden; }
    .concerns li + li { border-top: 1px solid var(--rule); }
    .concerns a { display: flex; gap: .8rem; padding: .6rem 1rem; text-decoration: none; align-items: baseline; }
    .concerns a:hover { background: var(--well); } .concerns strong { font-weight: 600; }
    .concerns .badge { min-width: 1.8rem; text-align: center; }
    .concerns a > span { color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; min-width: 0; }
    .concerns strong { color: var(--ink); font-size: .95rem; } .concerns i { margin-left: .4rem; }
    .concerns .pill { font-size: .78rem; }
    .ledger li { padding: .6rem 1rem; overflow-wrap: anywhere; } .ledger p { font-size: .9rem; margin-top: .2rem; }
    .fold details { padding: .6rem 1rem .6rem 3.6rem; } .fold summary { font-size: .9rem; color: var(--soft); }
    .fold summary strong { color: var(--c); } .fold summary strong + span::before { content: "; "; }
    .fold code { overflow-wrap: anywhere; } .fold em { font-style: normal; color: var(--failed); }
    .fold ul { list-style: none; padding: .5rem 0 0; columns: 24rem; column-gap: 2rem; font-size: .85rem;
      color: var(--soft); } .fold ul li { border: 0; break-inside: avoid; overflow-wrap: anywhere; }
    .concerns .fold a { display: inline; padding: 0; color: var(--ink); }
    table { border-collapse: collapse; } th { font-weight: 500; text-align: left; }
    .divergences .scroll { background: var(--card); border: 1px solid var(--rule); border-radius: 12px;
      box-shadow: var(--shadow); }
    .divergences table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .9rem; }
    .divergences .scroll { margin-top: .5rem; }
    .divergences :is(th, td) { padding: .45rem 1rem; } .divergences thead th { color: var(--soft); font-size: .82rem; }
    .divergences tbody :is(th, td) { border-top: 1px solid var(--rule); }
    .causes summary { display: flex; gap: .8rem; padding: .6rem 1rem; align-items: baseline; }
    .causes summary > span { color: var(--soft); font-size: .9rem; min-width: 0; overflow-wrap: anywhere; }
    .causes summary::after { content: "›"; color: var(--soft); margin-left: auto; transition: transform .12s; }
    .causes details[open] > summary::after { transform: rotate(90deg); }
    .causes summary:hover { background: var(--well); } .causes ul { list-style: none; padding: 0 0 .5rem 2.8rem; }
    .concerns .causes li li + li { border: 0; } .causes a { display: block; font-size: .9rem; color: var(--soft);
      overflow-wrap: anywhere; } .causes a i { margin: 0; font-size: .85rem; }
    .causes strong { overflow-wrap: anywhere; } .causes .quiet { padding: 0 1rem .6rem 3.8rem; }
    .concerns > .quiet { margin-bottom: .75rem; } .concerns ol + .quiet { margin-top: 1.25rem; }
    .folder { border: 1px solid var(--rule); border-radius: 12px; margin-bottom: .5rem; background: var(--card); }
    .folder > summary { padding: .5rem 1.1rem; } .folder > summary:hover { background: var(--well); }
    .folder > summary, .heads { display: grid; gap: .2rem 1rem; align-items: baseline;
      grid-template-columns: minmax(8rem, 1fr) repeat(var(--columns), minmax(6.5rem, 8.5rem)) 7rem; }
    .folder > summary > strong::before { content: "›"; display: inline-block; width: 1rem; color: var(--soft);
      font-weight: 400; transition: transform .12s; transform-origin: 30% 55%; }
    .folder[open] > summary > strong::before { transform: rotate(90deg); }
    .folder > summary b { color: var(--c); font-weight: 600; font-size: .88rem; text-align: right;
      font-variant-numeric: tabular-nums; }
    .folder > summary i { color: var(--soft); font-size: .88rem; text-align: right; }
    .folder > summary strong { font-weight: 600; overflow-wrap: anywhere; }
    .heads { padding: 0 1.1rem .35rem; font-size: .82rem; color: var(--soft); }
    .heads b { font-weight: 500; text-align: right; } .heads b i { display: block; }
    .classes { margin-top: 1.25rem; font-size: .95rem; } .classes :is(th, td) { padding: .15rem 2rem .15rem 0; }
    .classes thead th { color: var(--soft); font-size: .82rem; }
    .classes b { color: var(--c); font-weight: 600; margin-right: .6rem; white-space: nowrap;
      font-variant-numeric: tabular-nums; }
    .folder .group { border-width: 1px 0 0; border-radius: 0; margin: 0; box-shadow: none; }
    .brief { list-style: none; padding: .4rem 1.1rem .8rem; columns: 24rem; column-gap: 2rem; font-size: .88rem; }
    .brief li { break-inside: avoid; overflow-wrap: anywhere; } .brief b { color: var(--c); }
    .brief i { color: var(--soft); } .divergences summary { font-size: .9rem; }
    .key { display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; font-size: .85rem; color: var(--soft);
      margin-bottom: 1rem; }
    .key svg { width: 14px; height: 14px; vertical-align: -2px; } .key .met { color: var(--passed); }
    .meanings dl { font-size: .9rem; display: grid; gap: .35rem; } .meanings dl > div { display: flex; gap: 1rem; }
    .meanings dt { flex: 0 0 12.5rem; } .meanings dd { color: var(--soft); }
    """

  private static let panels: Markup = """

    .group { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; margin-bottom: 1rem;
      box-shadow: var(--shadow); }
    .group > header { padding: .85rem 1.1rem .7rem; position: sticky; top: 0; background: var(--card); z-index: 1;
      border-radius: 12px; }
    h3 { font-size: 1rem; font-weight: 620; overflow-wrap: anywhere; }
    .group > header p { font-size: .85rem; overflow-wrap: anywhere; } .group > header code span { color: var(--soft); }
    .group > header .pill { margin-left: .35rem; }
    .panel, .lines { border-top: 1px solid var(--rule); }
    summary { cursor: pointer; }
    .panel > summary { display: flex; flex-wrap: wrap; gap: .2rem .8rem; align-items: baseline;
      padding: .55rem 1.1rem; }
    .panel > summary::-webkit-details-marker { display: none; } .panel > summary { list-style: none; }
    .panel > summary::before { content: "›"; color: var(--soft); width: .6rem; transition: transform .12s; }
    .panel[open] > summary::before { transform: rotate(90deg); }
    .panel > summary:hover { background: var(--well); } .place { font-size: .9rem; }
    .headline { color: var(--soft); font-size: .88rem; flex: 1; min-width: 12rem; overflow-wrap: anywhere; }
    .panel[open] > summary .headline { display: none; }
    .panel > summary i { margin-left: auto; color: var(--soft); font-size: .88rem; font-variant-numeric: tabular-nums; }
    .inside { padding: .25rem 1.1rem 1.1rem; display: grid; gap: .9rem; } .inside > * { min-width: 0; }
    .reason { border-left: 3px solid var(--c); padding-left: .8rem; }
    .words { border-left: 3px solid var(--c); padding-left: .8rem; display: grid; gap: .3rem; }
    .words > * { min-width: 0; } .words > p { font-weight: 600; overflow-wrap: anywhere; }
    .words ol { font: .82rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      padding-left: 1.6rem; overflow-wrap: anywhere; }
    .words summary { color: var(--soft); font-size: .88rem; }
    .words pre { background: var(--well); border-radius: 8px; padding: .6rem .8rem; margin-top: .4rem; overflow: auto;
      max-height: 32rem; }
    .delta { border-left: 3px solid var(--failed); padding-left: .8rem; overflow-wrap: anywhere; }
    .delta p b { font-weight: 620; color: var(--failed); } .delta p .quiet { font-size: .85rem; margin-left: .3rem; }
    .delta dl { display: grid; grid-template-columns: 5rem 1fr; font-size: .9rem; row-gap: .1rem; margin-top: .2rem; }
    .delta dt { color: var(--soft); }
    .delta dd { font-size: .85rem; }
    .delta .expected { color: var(--passed); } .delta .actual { color: var(--failed); }
    .command { display: flex; gap: .6rem; align-items: center; background: var(--well); border-radius: 8px;
      padding: .4rem .5rem .4rem .8rem; font-size: .85rem; }
    .command code { flex: 1; overflow-wrap: anywhere; } .command code::before { content: "$ "; color: var(--soft); }
    .copy { font: inherit; font-size: .8rem; color: var(--ink); background: var(--card); border: 1px solid var(--rule);
      border-radius: 6px; padding: .15rem .6rem; cursor: pointer; } .copy:hover { border-color: var(--soft); }
    .secured { border-left: 3px solid var(--tls); padding-left: .8rem; overflow-wrap: anywhere; }
    .secured h4 { font-size: .9rem; font-weight: 620; color: var(--tls); }
    .secured dl { display: grid; grid-template-columns: 7.5rem 1fr; font-size: .88rem; row-gap: .1rem; }
    .secured dt { color: var(--soft); } .secured dd span { display: block; }
    .secured dd span + span { color: var(--soft); font-size: .84rem; }
    .secured .alert span { color: inherit; font-size: inherit; } .secured .refusal { color: var(--late); }
    .bytes > summary, .script > summary { color: var(--soft); font-size: .88rem; overflow-wrap: anywhere; }
    .bytes > summary span { background: var(--well); border-radius: 99px; padding: 0 .45rem; }
    .dumps { display: flex; flex-wrap: wrap; gap: .75rem; margin: .6rem 0; }
    figure { background: var(--well); border-radius: 8px; padding: .6rem .8rem; max-width: 100%; overflow-x: auto; }
    figcaption { font-size: .82rem; margin-bottom: .3rem; }
    figcaption :is(i, b) { color: var(--soft); font-weight: 400; }
    pre { font-size: .75rem; line-height: 1.45; }
    .source { padding: .5rem 0; margin-top: .4rem; background: var(--well); border-radius: 8px; font-size: .8rem;
      line-height: 1.6; list-style: none; counter-reset: line; overflow-x: auto; }
    .source li { white-space: pre; padding: 0 1rem 0 4.6rem; position: relative; counter-increment: line;
      min-height: 1.6em; width: max-content; min-width: 100%; }
    .source li::before { content: counter(line); position: absolute; left: 0; width: 2.6rem; text-align: right;
      color: var(--soft); }
    .source li::after { position: absolute; left: 3.2rem; top: 0; }
    .source .met::after { content: "✓"; color: var(--passed); }
    .source .bad::after { content: "✕"; color: var(--failed); }
    .source .bad { background: color-mix(in srgb, var(--failed) var(--tint), transparent); }
    .source li:target { box-shadow: inset 3px 0 var(--call); }
    .source em { display: block; font-style: normal; color: var(--failed); white-space: pre-wrap; max-width: 100ch; }
    .source b { font-weight: 400; color: var(--call); } .source s { text-decoration: none; color: var(--soft); }
    .hash { color: var(--soft); font-size: .75rem; }
    .lines { padding: .5rem 1.1rem .6rem; font-size: .88rem; } .lines > summary { color: var(--soft); }
    .lines ul { list-style: none; padding: .4rem 0 0; columns: 22rem; column-gap: 2rem; }
    .lines li { break-inside: avoid; font-variant-numeric: tabular-nums; } .lines li b { color: var(--c); }
    .lines i { color: var(--soft); float: right; } .lines em { font-style: normal; color: var(--c); }
    """

  private static let diagram: Markup = """

    svg.lanes { display: block; font-size: 11.6px; max-width: 100%; min-width: 900px; height: auto; }
    .lanes text { fill: var(--ink); } .lanes .wire { fill: var(--well); stroke: var(--rule); }
    .lanes .life { stroke: var(--rule); stroke-width: 1.5; fill: none; }
    .lanes .head { text-anchor: middle; font-weight: 600; } .lanes .head.quiet { fill: var(--soft); font-weight: 400; }
    .lanes .headbox { fill: var(--card); stroke: var(--rule); stroke-width: 1.5; }
    .lanes .headbox.peer { stroke: var(--peer); } .lanes .headbox.socket { stroke: var(--call); }
    .lanes :is(.time, .gap) { text-anchor: end; fill: var(--soft); font-size: 10.5px; }
    .lanes .gap { fill: var(--ink); font-weight: 600; }
    .lanes .index { fill: var(--soft); font-size: 9px; }
    .lanes .note { text-anchor: middle; fill: var(--soft); font-style: italic; }
    .call { --k: var(--call); } .callback { --k: var(--passed); } .check { --k: var(--unsure); }
    .action, .sight { --k: var(--peer); } .tls, .sealed { --k: var(--tls); }
    .lanes .odd { --k: var(--late); } .lanes .bad { --k: var(--failed); }
    .mark { fill: var(--k); } .mark.open { fill: var(--card); stroke: var(--k); stroke-width: 2; }
    .lanes .label { font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px;
      stroke-linejoin: round; }
    .lanes :is(.action, .sight, .tls) .label { text-anchor: end; }
    .lanes .tls .label { fill: var(--k); } .mark.shackle { fill: none; stroke: var(--k); stroke-width: 1.6; }
    .lanes .detail { font-weight: 400; } .lanes .count { fill: var(--call); }
    .lanes :is(.odd, .bad) :is(.label, .detail) { fill: var(--k); }
    .lanes .arrow { fill: none; stroke: var(--k); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
    .lanes .sign { stroke-dasharray: 4 3; } .lanes .rst { stroke: var(--late); stroke-width: 2.2; }
    .lanes .cargo { text-anchor: middle; font-size: 10.5px; fill: var(--k); paint-order: stroke; stroke: var(--card);
      stroke-width: 3px; }
    .lanes .rst + .cargo { fill: var(--late); font-weight: 700; }
    .lanes .tick { text-anchor: end; fill: var(--passed); font-size: 10.5px; } .lanes a { text-decoration: none; }
    .lanes a:hover .tick { text-decoration: underline; }
    .lanes .point path { stroke: var(--soft); stroke-dasharray: 2 4; fill: none; }
    .lanes .point text { text-anchor: middle; fill: var(--soft); paint-order: stroke; stroke: var(--card);
      stroke-width: 8px; }
    .lanes .ring { fill: none; stroke: var(--failed); stroke-width: 1.5; }
    .lanes .deviation rect { fill: color-mix(in srgb, var(--failed) var(--tint), var(--card)); stroke: var(--failed); }
    .lanes .what { fill: var(--failed); font-weight: 650; } .lanes .side { fill: var(--soft); }
    .lanes .expected { fill: var(--passed); } .lanes .actual { fill: var(--failed); }
    """

  private static let print: Markup = """

    @media (max-width: 700px) {
      body { padding: 1.25rem .75rem 3rem; } .number b { font-size: 3.2rem; } .meanings dl > div { display: block; }
      .group > header { position: static; } .heads { display: none; } .classes :is(th, td) { padding-right: 1rem; }
      .folder > summary { grid-template-columns: 1fr 1fr; } .folder > summary > b { text-align: left; }
      .folder > summary > i { grid-area: 1 / 2; }
      .folder > summary > b::before { content: attr(data-c); display: block; font-weight: 400; font-size: .78rem;
        color: var(--soft); }
    }
    @media print {
      :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --rule: #bbb; --well: #f4f4f4; --passed: #1d7044;
        --mild: #5c6b1a; --failed: #b42318; --late: #a04100; --hang: #8f3d0e; --crash: #9c1c5b; --unsure: #7d5700;
        --lab: #6b3fa0; --none: #566270; --canary: #7f5900; --call: #1f5fae; --peer: #52606d; --tls: #0b6b74;
        --on: #fff; --tint: 11%; --shadow: none; }
      body { padding: 0; font-size: 10pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
      .search, .copy { display: none !important; } .group > header { position: static; }
      svg.lanes { width: 100%; min-width: 0; } .scroll { overflow: visible; }
      .panel > summary, .delta, .command, svg.lanes, figure, .concerns li { break-inside: avoid; }
    }

    """
}
