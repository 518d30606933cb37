import ReportMarkup

/// The page's script. The page can be read without it: it only filters, copies, makes elements of what is folded when
/// it is unfolded, and opens what a link leads to.
enum RunPageScript {
  static let js: Markup = HTMLPage.deferralScript + script

  private static let script: Markup = #"""
    (() => {
      const all = (selector, root = document) => [...root.querySelectorAll(selector)];
      const input = document.getElementById("filter");
      const output = document.querySelector(".search output");
      const chips = all("[data-chip]");
      const chosen = new Set();
      input.closest("label").hidden = false;
      document.documentElement.classList.add("js");

      const apply = () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        const active = words.length > 0 || chosen.size > 0;
        // What is to be searched must be there.
        if (active) unfold(document);
        let shown = 0;
        for (const row of all("[data-s]")) {
          const fits = words.every(word => row.dataset.s.includes(word));
          let any = false;
          for (const item of row.dataset.v ? [row] : all("[data-v]", row)) {
            const ok = fits && (chosen.size === 0 || chosen.has(item.dataset.v));
            item.hidden = !ok;
            if (ok) any = true;
          }
          row.hidden = active && !any;
          if (row.matches(".group, .brief li") && !row.hidden) shown += 1;
          for (const lines of all(".lines", row)) {
            lines.hidden = active && !lines.querySelector("li:not([hidden])");
            if (chosen.size > 0 && !lines.hidden) lines.open = true;
          }
        }
        for (const folder of all(".folder")) {
          folder.hidden = active && !folder.querySelector("[data-s]:not([hidden])");
          if (active && !folder.hidden) folder.open = true;
        }
        output.value = active ? shown + (shown === 1 ? " scenario" : " scenarios") : "";
      };

      for (const chip of chips) {
        chip.addEventListener("click", () => {
          const name = chip.dataset.chip;
          if (!chosen.delete(name)) chosen.add(name);
          chip.setAttribute("aria-pressed", chosen.has(name));
          apply();
        });
      }
      input.addEventListener("input", apply);
      document.addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
        if (event.key === "Escape" && document.activeElement === input) { input.value = ""; apply(); input.blur(); }
      });

      const armCopies = root => { for (const button of all(".copy", root)) armCopy(button); };
      const armCopy = button => {
    \#(HTMLPage.copyScript)
      };
      armCopies(document);
      whenUnfolded.push(armCopies);

      const reveal = () => {
        const id = decodeURIComponent(location.hash.slice(1));
        if (!id) return;
        if (!document.getElementById(id)) unfoldAround(id);
        const target = document.getElementById(id);
        if (!target) return;
        for (let place = target; place; place = place.parentElement) {
          if (place.tagName === "DETAILS") place.open = true;
          if (place.hidden) place.hidden = false;
        }
        target.scrollIntoView();
      };
      addEventListener("hashchange", reveal);
      reveal();
    })();
    """#
}
