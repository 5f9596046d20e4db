// The comparison with another thesaurus or a gold standard.
/** @import { CompareView, Page, Route, SideClass } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi, short, svg } from "./dom.js";
import { count, decimal, many, percent } from "./format.js";
import { classLink, go, parseNumber } from "./links.js";
import { heading, links } from "./parts.js";
import { state } from "./state.js";

/** @typedef {{ y: number, tall: number, unit: number, used: number }} Box */

/** @param {CompareView} data @param {HTMLElement} place */
function flow(data, place) {
  const tree = state.tree,
    width = Math.max(place.clientWidth, 320),
    gap = 6,
    edge = Math.min(width * 0.34, 270),
    thick = 10;
  const rows = Math.max(data.ours.length, data.theirs.length),
    height = Math.max(320, rows * 27);
  const drawing = svg("svg", {
    class: "flow",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label":
      "Overlap of the classes in both classifications; the table below contains the same numbers",
  });
  /** @param {SideClass[]} sides */
  const stacked = (sides) => {
    const room = height - gap * (sides.length - 1),
      least = Math.min(16, room / sides.length);
    const spare = room - least * sides.length;
    let at = 0;
    return sides.map((one) => {
      const tall = least + (spare * one.words) / data.shared,
        found = { y: at, tall, unit: tall / (one.words || 1), used: 0 };
      at += tall + gap;
      return found;
    });
  };
  const order = data.theirs.map((_, at) => at);
  const middle = order.map((at) => {
    let sum = 0,
      n = 0;
    for (const [a, b, words] of data.cells)
      if (b === at) {
        sum += a * words;
        n += words;
      }
    return sum / (n || 1);
  });
  order.sort((a, b) => middle[a] - middle[b]);
  const ours = stacked(data.ours),
    placed = stacked(order.map((at) => data.theirs[at])),
    theirs = /** @type {Box[]} */ ([]);
  const rank = /** @type {number[]} */ ([]),
    bands = /** @type {[number, number, SVGElement][]} */ ([]);
  order.forEach((at, n) => {
    theirs[at] = placed[n];
    rank[at] = n;
  });
  for (const [a, b, words] of [...data.cells].sort(
    (one, two) => one[0] - two[0] || rank[one[1]] - rank[two[1]],
  )) {
    const from = ours[a],
      to = theirs[b],
      x1 = edge + thick,
      x2 = width - edge - thick,
      bend = (x1 + x2) / 2;
    const y1 = from.y + from.used,
      h1 = words * from.unit,
      y2 = to.y + to.used,
      h2 = words * to.unit;
    from.used += h1;
    to.used += h2;
    const band = svg(
      "path",
      {
        style: { "--h": tree.hue(data.ours[a].node).toFixed(1) },
        d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}V${y2 + h2}C${bend} ${y2 + h2} ${bend} ${y1 + h1} ${x1} ${y1 + h1}Z`,
      },
      svg("title", {
        text: `${many(words, "word")}: ${short(data.ours[a].label, 60)} – ${short(data.theirs[b].label, 60)}`,
      }),
    );
    bands.push([a, b, band]);
    drawing.append(band);
  }
  /** @param {(a: number, b: number) => boolean} test */
  const light = (test) => {
    bands.forEach(([a, b, band]) => band.classList.toggle("on", test(a, b)));
    drawing.classList.toggle(
      "some",
      bands.some(([a, b]) => test(a, b)),
    );
  };
  const signs = Math.floor((edge - 46) / 6.6);
  /** @type {(one: SideClass & { node?: number }, box: Box, at: number, left: boolean) => void} */
  const side = (one, { y, tall }, at, left) => {
    const group = svg(
      "g",
      {
        on: {
          pointerenter: () => light((a, b) => (left ? a : b) === at),
          pointerleave: () => light(() => false),
        },
      },
      svg("rect", {
        class: left ? "side" : "other",
        x: left ? edge : width - edge - thick,
        y,
        width: thick,
        height: Math.max(tall, 1),
        rx: 2,
        style: one.node === undefined ? {} : { "--h": tree.hue(one.node).toFixed(1) },
      }),
    );
    if (tall >= 11)
      group.append(
        svg(
          "text",
          {
            x: left ? edge - 10 : width - edge + 10,
            y: y + tall / 2 + 4.5,
            "text-anchor": left ? "end" : "start",
          },
          svg("tspan", { text: short(one.label, signs) }),
          svg("tspan", { class: "count", dx: 6, text: count(one.words) }),
        ),
      );
    drawing.append(
      one.node === undefined
        ? group
        : svg("a", { href: classLink(one.node), "aria-label": short(one.label) }, group),
    );
  };
  data.ours.forEach((one, at) => side(one, ours[at], at, true));
  data.theirs.forEach((one, at) => side(one, theirs[at], at, false));
  return drawing;
}

/** @type {(name: string) => Record<string, string | number>} */
const scrolled = (name) => ({ tabindex: 0, role: "region", "aria-label": name });

// The overlap of both sides: classes with common words, and words found.
/** @param {CompareView} data @param {boolean} gold */
function overlap(data, gold) {
  /** @param {number} n */
  const b = (n) => el("b", { text: count(n) }),
    met = data.ours.length,
    all = met === data.k;
  const classes = el(
    "span",
    {},
    b(data.k),
    data.k === 1 ? " class" : " classes",
    ", ",
    all
      ? data.k === 1
        ? "which has"
        : "all of which have"
      : [b(met), met === 1 ? " of which has" : " of which have"],
    gold ? " words of the gold standard" : " words of the other thesaurus",
  );
  const words = el(
    "span",
    {},
    b(data.shared),
    " of ",
    b(data.their_words),
    gold ? " gold words found" : " words of the other thesaurus found",
    ", in ",
    b(data.theirs.length),
    " of its ",
    b(data.their_classes),
    data.their_classes === 1 ? " class" : " classes",
  );
  return [classes, words];
}

/** @param {Partial<Route>} route @param {() => boolean} alive */
async function drawComparison({ k = 1 }, alive) {
  const data = await source.get("compare", { k });
  if (!alive()) return;
  const about = state.about,
    hold = el("div"),
    gold = data.kind === "gold";
  const choose = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      { id: "cut-to", on: { change: () => go(`#/compare/${choose.value}`) } },
      about.compare?.ks.map((one) =>
        el("option", { value: one, selected: one === k, text: String(one) }),
      ),
    )
  );
  const best = data.ours.map((one, a) => {
    const [, b, words] = data.cells
      .filter((found) => found[0] === a)
      .sort((x, y) => y[2] - x[2])[0];
    return { one, other: data.theirs[b], words };
  });
  const against = Object.keys(data.scores.rows[0]?.baselines || {});
  clear($("panel")).append(
    el("p", {
      class: "eyebrow",
      text: gold ? "compared with a gold standard" : "compared with another thesaurus",
    }),
    el("h1", { tabindex: -1 }, bdi(about.name), " and ", bdi(data.name)),
    el("p", { class: "facts" }, overlap(data, gold)),
    el(
      "p",
      { class: "choose" },
      el("label", { for: "cut-to", text: gold ? "Cut the thesaurus into" : "Cut both into" }),
      choose,
      "classes",
    ),
    heading("Overlap of classes"),
    el("p", { class: "heads" }, bdi(about.name), bdi(data.name)),
    hold,
    el(
      "div",
      { class: "columns wide-columns" },
      el(
        "section",
        {},
        heading(
          "Scores",
          gold ? "against the gold standard" : "with the other thesaurus as the standard",
        ),
        el(
          "div",
          { class: "scroll scores", ...scrolled("Scores") },
          el(
            "table",
            {},
            el(
              "thead",
              {},
              el(
                "tr",
                {},
                ["measure", "score", ...against].map((name, at) =>
                  el("th", { scope: "col", class: at ? "number" : null, text: name }),
                ),
              ),
            ),
            el(
              "tbody",
              {},
              data.scores.rows.map((row) =>
                el(
                  "tr",
                  {},
                  el("th", {
                    scope: "row",
                    text: `${row.measure} ${row.better === "higher" ? "↑" : "↓"}`,
                    title: `${row.better} is better`,
                  }),
                  el(
                    "td",
                    { class: "number" },
                    el("b", { text: decimal(row.value, 3), title: row.reason }),
                  ),
                  against.map((name) =>
                    el("td", { class: "number", text: decimal(row.baselines[name], 3) }),
                  ),
                ),
              ),
            ),
          ),
        ),
        data.scores.warnings.length
          ? el("p", { class: "warn", text: data.scores.warnings.join(" · ") })
          : el("span"),
        el("p", { class: "signature", text: data.scores.signature }),
      ),
      el(
        "section",
        {},
        heading("Best match of each class"),
        el(
          "div",
          { class: "scroll matches", ...scrolled("Best match of each class") },
          el(
            "table",
            {},
            el(
              "thead",
              {},
              el(
                "tr",
                {},
                el("th", { scope: "col", text: "class" }),
                el("th", { scope: "col", class: "number", text: "words" }),
                el("th", { scope: "col" }, bdi(data.name)),
                el("th", { scope: "col", class: "number", text: "in common" }),
              ),
            ),
            el(
              "tbody",
              {},
              best.map(({ one, other, words }) =>
                el(
                  "tr",
                  {},
                  el(
                    "th",
                    { scope: "row" },
                    el("a", { href: classLink(one.node) }, bdi(one.label)),
                  ),
                  el("td", { class: "number", text: count(one.words) }),
                  el("td", {}, bdi(other.label)),
                  el("td", {
                    class: "number",
                    text: `${count(words)} (${percent(words / one.words)})`,
                  }),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
    links({
      view: "compare",
      params: { k },
      name: `compare-${k}`,
      data,
      sheet: () => [
        ["measure", "entropy", "value", "better", ...against, "signature"],
        ...data.scores.rows.map((row) => [
          row.measure,
          row.entropy,
          row.value,
          row.better,
          ...against.map((name) => row.baselines[name]),
          data.scores.signature,
        ]),
      ],
    }),
  );
  const fit = () => clear(hold).append(flow(data, hold));
  state.resized = fit;
  fit();
  document.title = `${about.name} and ${data.name} · roget`;
}

/** @type {Page} */
export const comparePage = {
  names: ["compare"],
  place: 3,
  title: "Compare",
  key: "c",
  isAvailable: () => state.about.compare !== null,
  parse: ([text]) => {
    const about = state.about.compare,
      k = parseNumber(text);
    return about && { k: k !== null && about.ks.includes(k) ? k : about.k };
  },
  isWide: () => true,
  draw: drawComparison,
};
