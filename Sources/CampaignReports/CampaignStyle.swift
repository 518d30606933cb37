import ReportMarkup

/// The looks and the script of the campaign page, beside those of all pages.
enum CampaignStyle {
  static let script: Markup = #"""
    (() => {
      const all = (selector, root = document) => [...root.querySelectorAll(selector)];
      document.documentElement.classList.add("js");
      for (const button of all(".copy")) {
    \#(HTMLPage.copyScript)
      }
    })();
    """#

  static let css: Markup = """

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
