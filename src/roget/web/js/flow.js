// A flow chart: ribbons from gold classes to the clusters of the system.
/** @import { Cells, Child } from "./types" */

import { canvas, distinct, hint, text, widthOf } from "./charts.js";
import { el, svg } from "./dom.js";
import { number, percent, whole } from "./format.js";

// Isolate the writing direction of a name from the surrounding text.
/** @type {(name: string) => HTMLElement} */
export const named = (name) => el("bdi", {}, name);

const OTHER = "other",
  THICK = 10,
  SLOT = 18,
  ALL = 320,
  DESCRIBED = 12;

/** @type {(values: number[]) => number} */
const sum = (values) => values.reduce((one, two) => one + two, 0);

// Return classes, clusters and the flows between them; the rest is “other”.
/** @param {Cells} cells */
function gather({ classes, clusters, counts, sizes, totals, n }) {
  const flows = counts.map((row, at) => [...row, sizes[at] - sum(row)]);
  const rest = totals.map((total, at) => total - sum(counts.map((row) => row[at])));
  flows.push([...rest, n - sum(sizes) - sum(rest)]);
  // Counts are rounded; treat rounding errors as zero.
  const clean = flows.map((row) => row.map((count) => (count > (1e-3 * n) / 1000 ? count : 0)));
  return { classes: [...classes, OTHER], clusters: [...clusters, OTHER], flows: clean };
}

/** @param {Cells} cells */
function drawFlow(/** @type {HTMLElement} */ holder, cells) {
  const { classes, clusters, flows } = gather(cells);
  const width = holder.clientWidth,
    high = Math.max(ALL, SLOT * Math.max(classes.length, clusters.length) * 0.8);
  const scale = high / cells.n;
  const room = Math.min(width * 0.3, 14 + Math.max(...[...classes, ...clusters].map(widthOf)));
  const out = flows.map(sum),
    into = clusters.map((_, at) => sum(flows.map((row) => row[at])));
  const left = place(out, scale),
    right = place(into, scale);
  const height = Math.max(left.height, right.height);
  const x = [room + THICK, width - room - THICK];
  const largest = clusters.map((_, at) => {
    const column = flows.map((row) => row[at]);
    return column.indexOf(Math.max(...column));
  });
  /** @type {SVGElement[]} */ const parts = [];
  const from = [...left.tops],
    to = [...right.tops];
  const described = /** @type {[number, string][]} */ ([]);
  flows.forEach((row, one) =>
    row.forEach((count, two) => {
      if (!count) return;
      const shares = `${percent(count / out[one])} of the class, ${percent(count / into[two])} of the cluster`;
      const text = `${classes[one]} → ${clusters[two]}: ${whole(count)} items, ${shares}`;
      const kind =
        one === classes.length - 1 || two === clusters.length - 1
          ? "rest"
          : largest[two] === one
            ? "main"
            : "stray";
      const [top, bottom] = [
        from[one] + (height - left.height) / 2,
        to[two] + (height - right.height) / 2,
      ];
      const thick = count * scale,
        middle = (x[0] + x[1]) / 2;
      parts.push(
        svg(
          "path",
          {
            class: `ribbon ${kind}`,
            d: `M${x[0]} ${top}C${middle} ${top} ${middle} ${bottom} ${x[1]} ${bottom}v${thick}C${middle} ${bottom + thick} ${middle} ${top + thick} ${x[0]} ${top + thick}z`,
          },
          hint(text),
        ),
      );
      described.push([count, text]);
      from[one] += thick;
      to[two] += thick;
    }),
  );
  const short = [distinct(classes, room - 8), distinct(clusters, room - 8)];
  [
    { names: classes, sizes: out, at: left, side: 0 },
    { names: clusters, sizes: into, at: right, side: 1 },
  ].forEach(({ names, sizes, at, side }) => {
    names.forEach((name, one) => {
      if (!sizes[one]) return;
      const y = at.tops[one] + (height - at.height) / 2,
        thick = Math.max(1, sizes[one] * scale);
      parts.push(
        svg(
          "g",
          { class: "end" },
          hint(`${side ? "cluster" : "class"} ${name}: ${whole(sizes[one])} items`),
          svg("rect", { x: side ? x[1] : x[0] - THICK, y, width: THICK, height: thick }),
          text(
            side ? x[1] + THICK + 6 : x[0] - THICK - 6,
            y + thick / 2 + 4,
            short[side].get(name) ?? name,
            { "text-anchor": side ? "start" : "end" },
          ),
        ),
      );
    });
  });
  const most = described
    .sort((a, b) => b[0] - a[0])
    .slice(0, DESCRIBED)
    .map(([, text]) => text)
    .join("; ");
  canvas(
    holder,
    height + 4,
    `Items of ${cells.all[0]} classes in ${cells.all[1]} clusters. The largest flows: ${most}`,
    ...parts,
  );
}

// Return the top of each bar. Its height is its number of items.
// Every bar has space for a text line.
/** @param {number[]} sizes @param {number} scale */
function place(sizes, scale) {
  let y = 2;
  const tops = sizes.map((size) => {
    const thick = size * scale,
      slot = size ? Math.max(SLOT, thick + 5) : 0;
    const top = y + (slot - Math.max(thick, 1)) / 2;
    y += slot;
    return top;
  });
  return { tops, height: y + 2 };
}

// Show the flow chart of one group, and the contingency table.
/** @param {HTMLElement} holder @param {string[]} names @param {Record<string, Cells>} tables @param {number} first */
export function showFlow(holder, names, tables, first) {
  const groups = Object.keys(tables).map(Number);
  if (!groups.length) return holder.replaceChildren(el("p", { class: "note" }, "None."));
  const chart = el("div", { class: "chart flow" }),
    below = el("div");
  const choice = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      { "aria-label": "Group" },
      ...groups.map((group) => el("option", { value: group, text: names[group] })),
    )
  );
  choice.value = String(groups.includes(first) ? first : groups[0]);
  const draw = () => {
    const cells = tables[choice.value];
    drawFlow(chart, cells);
    below.replaceChildren(
      el(
        "details",
        { class: "note" },
        el("summary", {}, "Show as table"),
        confusion(cells, names[Number(choice.value)]),
      ),
    );
  };
  choice.addEventListener("change", draw);
  const key = el(
    "p",
    { class: "note" },
    "Gold classes at the left, clusters at the right; ribbon width = number of items.",
    el("span", { class: "key main" }, "the largest class of its cluster"),
    el("span", { class: "key stray" }, "another class"),
    el("span", { class: "key rest" }, "too small to be shown separately"),
  );
  holder.replaceChildren(
    key,
    groups.length > 1 ? el("p", { class: "choose" }, el("label", {}, "Group "), choice) : "",
    chart,
    below,
  );
  draw();
}

/** @param {Cells} shown @param {string} name */
export function confusion(shown, name) {
  const most = Math.max(...shown.counts.flat());
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "class \\ cluster"),
    ...shown.clusters.map((cluster) => el("th", { scope: "col", class: "number" }, named(cluster))),
    el("th", { scope: "col", class: "number muted" }, "all"),
  );
  const body = shown.classes.map((label, at) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, named(label)),
      ...shown.counts[at].map((count) => {
        const cell = el("td", { class: "number heat" }, count ? whole(count) : "");
        cell.style.setProperty("--share", (count / most).toFixed(3));
        return cell;
      }),
      el("td", { class: "number muted" }, whole(shown.sizes[at])),
    ),
  );
  const totals = el(
    "tr",
    {},
    el("th", { scope: "row", class: "muted" }, "all"),
    ...shown.totals.map((total) => el("td", { class: "number muted" }, whole(total))),
    el("td"),
  );
  const [classes, clusters] = shown.all;
  const cut = classes > shown.classes.length || clusters > shown.clusters.length;
  return el(
    "div",
    {
      class: "scroll confusion",
      role: "region",
      "aria-label": `Classes and clusters of ${name}`,
      tabindex: 0,
    },
    el("table", {}, el("thead", {}, head), el("tbody", {}, ...body, totals)),
    cut
      ? el(
          "p",
          { class: "note" },
          `The largest ${shown.classes.length} of ${classes} classes and ${shown.clusters.length} of ${clusters} clusters; “all” includes the hidden ones.`,
        )
      : null,
  );
}
