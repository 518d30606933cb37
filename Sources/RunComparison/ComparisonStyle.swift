import ReportMarkup

/// The looks and the script of a comparison's page, behind those that all pages share.
enum ComparisonStyle {
  /// Where the page is narrow, old and new stand below each other.
  static let css: Markup = """

    .sides { width: 100%; min-width: 52rem; font-size: .82rem; border-collapse: collapse; }
    .sides caption { text-align: left; font-size: .88rem; padding: .3rem 0; }
    .sides :is(td, th) { padding: .12rem .5rem; vertical-align: top; text-align: left; overflow-wrap: anywhere; }
    .sides thead tr:first-child th { font-weight: 650; } .sides thead th { color: var(--soft); }
    .sides td { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; min-width: 3rem; }
    .sides :is(td, th):nth-child(4), .sides thead tr:first-child th:nth-child(2) { border-left: 1px solid var(--rule); }
    .sides .ms { color: var(--soft); text-align: right; white-space: nowrap; } .sides .gap { color: var(--soft); }
    .sides :is(.lost, .gained, .changed) { background: color-mix(in srgb, var(--failed) var(--tint), transparent); }
    .sides .first { box-shadow: inset 0 2px var(--failed), inset 0 -2px var(--failed); }
    .sides .first td:first-child::before { content: "▶ "; color: var(--failed); }
    .sides .action { color: var(--peer); } .sides :is(td, th):is(:nth-child(2), :nth-child(5)) { min-width: 6.5rem; }
    .sides :is(.moved, .beyond) { color: var(--soft); } .sides .badge { font-size: .75rem; padding: 0 .35rem; }
    .change { overflow-wrap: anywhere; }
    .concerns .inside { padding: .25rem 1.1rem 1.1rem 3.6rem; gap: .4rem; }
    .causes .inside .quiet { padding: 0; margin: 0; } .change { border-top: 1px solid var(--rule); }
    .causes .change > summary { padding: .6rem 0; } .causes .change > :is(p, .command, .scroll) { margin: 0 0 .6rem; }
    .causes .change .lines { padding: .3rem 0; } .causes .lines ul { padding: .3rem 0; columns: 20rem; }
    @media (max-width: 700px) { .concerns .inside { padding-left: 1rem; } }
    @media screen and (max-width: 900px) {
      .sides { min-width: 0; } .sides, .sides :is(caption, tbody) { display: block; } .sides thead { display: none; }
      .sides tr { display: grid; grid-template-columns: 7.5rem 1fr; border-top: 1px solid var(--rule); }
      .sides :is(td, td:nth-child(4)) { min-width: 0; border: 0; }
      .sides :is(td:empty:not(.ms), .gap + .gap, .same td:nth-child(n + 4)) { display: none; }
      .sides .ms { grid-column: 1; } .sides td:not(.ms) { grid-column: 2; }
      .sides .ms:first-child::before { content: "old "; } .sides .ms:nth-child(4)::before { content: "new "; }
      .sides .same .ms:first-child::before { content: "both "; }
      .sides .first .ms:first-child::before { content: "▶ old "; }
      .sides td:is(:nth-child(2), :nth-child(5)):not(.gap)::before { content: "peer "; color: var(--soft); }
    }
    @media print {
      .concerns li { break-inside: auto; } .concerns ol { overflow: visible; } .concerns .inside { display: block; }
      .concerns .inside { padding: 0 .5rem; } .causes summary, .sides tr { break-inside: avoid; }
      .causes summary { break-after: avoid; } .causes summary::after { content: none; }
      .sides { min-width: 0; font-size: 7.5pt; } .sides :is(td, th):nth-child(n) { min-width: 0; padding: .1rem .2rem; }
    }

    """

  /// Copies commands, and unfolds regressions for the printer.
  static let script: Markup = #"""
    const armCopies = root => {
      for (const button of root.querySelectorAll(".copy")) {
        button.hidden = false;
        button.addEventListener("click", () => {
          navigator.clipboard.writeText(button.previousElementSibling.textContent);
          button.textContent = "Copied";
        });
      }
    };
    armCopies(document);
    whenUnfolded.push(armCopies);
    // On paper nothing can be unfolded.
    let unfoldedForPrint = [];
    addEventListener("beforeprint", () => {
      unfold(document);
      unfoldedForPrint = [...document.querySelectorAll(".cause.failed details:not([open], .lines)")];
      for (const fold of unfoldedForPrint) fold.open = true;
    });
    addEventListener("afterprint", () => {
      for (const fold of unfoldedForPrint) fold.open = false;
      unfoldedForPrint = [];
    });

    """#
}
