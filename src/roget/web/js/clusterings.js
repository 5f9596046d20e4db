// The matrix, the tree and the map of several clusterings.
/** @import { Agreed, Links, Places, Matrix } from "./types" */

import { canvas, hint, line, NARROW, scale, shortened, text, ticks, widthOf } from "./charts.js";
import { el, bdi, svg } from "./dom.js";
import { number } from "./format.js";

// Large matrices are drawn without numbers.
const READABLE = 60;
const ROOMY = 10;

/** @param {number | null} value @param {Matrix} matrix @param {boolean} higher */
function shareOf(value, matrix, higher) {
  if (value === null) return 0;
  const [low, high] = matrix.ends;
  const at = high > low ? (value - low) / (high - low) : 1;
  return Math.min(1, Math.max(0, higher ? at : 1 - at));
}

/** @param {HTMLElement} holder @param {string[]} names @param {number[]} order @param {Matrix} matrix @param {Agreed} score */
export function showMatrix(holder, names, order, matrix, score) {
  const higher = score.better === "higher";
  if (order.length > READABLE) return paintMatrix(holder, order, matrix, score);
  /** @param {number} i @param {number} j */
  const cell = (i, j) => {
    const value = matrix.values[i][j],
      low = matrix.low?.[i][j] ?? null,
      high = matrix.high?.[i][j] ?? null;
    const ends = low === null || high === null ? "" : `[${number(low)}, ${number(high)}]`;
    const described = `${names[i]}, ${names[j]}: ${number(value)} ${ends}`.trim();
    return el(
      "td",
      {
        class: i === j ? "self" : "heat",
        title: described,
        style: { "--share": String(shareOf(value, matrix, higher)) },
      },
      number(value),
      ends && i !== j && order.length <= ROOMY ? el("small", { text: ends }) : null,
    );
  };
  const head = el(
    "tr",
    {},
    el("th", { scope: "col", class: "name", text: "clustering" }),
    order.map((j, at) =>
      el(
        "th",
        { scope: "col", class: "number", title: names[j] },
        el("span", { "aria-hidden": "true", text: String(at + 1) }),
        el("span", { class: "unseen", text: names[j] }),
      ),
    ),
  );
  const rows = order.map((i, at) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row", class: "name" },
        el("span", { class: "muted", "aria-hidden": "true", text: `${at + 1} ` }),
        bdi(names[i]),
      ),
      order.map((j) => cell(i, j)),
    ),
  );
  holder.replaceChildren(
    el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows)),
  );
}

/** @param {HTMLElement} holder @param {number[]} order @param {Matrix} matrix @param {Agreed} score */
function paintMatrix(holder, order, matrix, score) {
  const side = Math.max(1, Math.floor(Math.min(holder.clientWidth, 720) / order.length));
  const label = `Matrix of ${order.length} clusterings under ${score.title}; the stronger the colour, the more similar`;
  const paper = /** @type {HTMLCanvasElement} */ (
    el("canvas", {
      width: side * order.length,
      height: side * order.length,
      role: "img",
      "aria-label": label,
      class: "painted",
    })
  );
  const brush = paper.getContext("2d");
  if (brush !== null) {
    brush.fillStyle = getComputedStyle(document.body).getPropertyValue("--accent");
    order.forEach((i, y) =>
      order.forEach((j, x) => {
        brush.globalAlpha = shareOf(matrix.values[i][j], matrix, score.better === "higher");
        brush.fillRect(x * side, y * side, side, side);
      }),
    );
  }
  holder.replaceChildren(paper);
}

/** @param {HTMLElement} holder @param {string[]} names @param {Links | null} tree @param {Agreed} score */
export function drawTree(holder, names, tree, score) {
  if (tree === null) return holder.replaceChildren(score.why ?? "");
  const size = names.length,
    step = 24,
    width = holder.clientWidth;
  const longest = Math.max(...names.map(widthOf));
  const left = Math.min(longest + 14, width * 0.42),
    bottom = 10 + size * step;
  const heights = tree.links.map(([, , height]) => height);
  const x = scale([0, ...heights], left + 6, width - 14);
  /** @type {{ x: number, y: number, leaves: number }[]} */
  const nodes = [];
  tree.order.forEach((leaf, at) => {
    nodes[leaf] = { x: x(0), y: 18 + at * step, leaves: 1 };
  });
  const parts = ticks(0, x.high, width < NARROW ? 3 : 7).flatMap(([value, label]) => [
    line(x(value), 4, x(value), bottom, { class: "grid" }),
    text(x(value), bottom + 16, label, { class: "tick", "text-anchor": "middle" }),
  ]);
  tree.order.forEach((leaf) =>
    parts.push(
      text(left - 6, nodes[leaf].y + 4, shortened(names[leaf], left - 10), {
        "text-anchor": "end",
      }),
    ),
  );
  tree.links.forEach(([one, two, height], at) => {
    const a = nodes[one],
      b = nodes[two],
      right = x(height);
    nodes[size + at] = { x: right, y: (a.y + b.y) / 2, leaves: a.leaves + b.leaves };
    parts.push(
      svg(
        "path",
        { class: "branch", d: `M${a.x} ${a.y}H${right}V${b.y}H${b.x}` },
        hint(`${a.leaves + b.leaves} clusterings, merged at ${number(height)}`),
      ),
    );
  });
  parts.push(
    text(width - 10, bottom + 34, score.distance, { class: "axis", "text-anchor": "end" }),
  );
  const [one, two, least] = tree.links[0];
  canvas(
    holder,
    bottom + 42,
    `Dendrogram of ${size} clusterings by average linkage of ${score.distance}; nearest are ${names[one]} and ${names[two]}, at ${number(least)}`,
    ...parts,
  );
}

/** @param {{ x: number, y: number }} point @param {number} wide @param {number} room @returns {[number, number, string][]} */
function besides(point, wide, room) {
  /** @type {[number, number, string][]} */
  const ways = [
    [point.x + 8, point.y + 4, "start"],
    [point.x - 8, point.y + 4, "end"],
    [point.x, point.y - 9, "middle"],
    [point.x, point.y + 18, "middle"],
  ];
  return ways.filter(([x, , anchor]) => {
    const from = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
    return from >= 2 && from + wide <= room - 2;
  });
}

/** @param {HTMLElement} holder @param {string[]} names @param {Places | null} map @param {Agreed} score */
export function drawPlaces(holder, names, map, score) {
  if (map === null) return holder.replaceChildren(score.why ?? "");
  const width = holder.clientWidth,
    height = Math.round(Math.min(width * 0.75, 460));
  const xs = map.places.map(([x]) => x),
    ys = map.places.map(([, y]) => y);
  const spanX = Math.max(...xs) - Math.min(...xs),
    spanY = Math.max(...ys) - Math.min(...ys);
  // Both axes have the same unit, so distances are comparable.
  const unit = Math.min((width - 60) / (spanX || 1e-9), (height - 70) / (spanY || 1e-9));
  const middle = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
  const points = map.places.map(([x, y]) => ({
    x: width / 2 + (x - middle[0]) * unit,
    y: (height - 30) / 2 + 6 - (y - middle[1]) * unit,
  }));
  /** @type {[number, number, number, number][]} */
  const taken = points.map(({ x, y }) => [x - 5, y - 5, x + 5, y + 5]);
  const parts = [
    svg("rect", { class: "frame", x: 0.5, y: 0.5, width: width - 1, height: height - 31 }),
  ];
  points.forEach((point, at) => {
    const kind = at === score.typical ? " typical" : at === score.odd ? " odd" : "";
    parts.push(
      svg(
        "g",
        { class: `spot${kind}` },
        hint(names[at]),
        svg("circle", { cx: point.x, cy: point.y, r: 5 }),
      ),
    );
  });
  points.forEach((point, at) => {
    const shown = shortened(names[at], Math.min(160, width * 0.4)),
      wide = widthOf(shown);
    for (const [x, y, anchor] of besides(point, wide, width)) {
      const from = anchor === "start" ? x : anchor === "end" ? x - wide : x - wide / 2;
      /** @type {[number, number, number, number]} */
      const box = [from, y - 11, from + wide, y + 3];
      if (
        taken.some(
          ([a, b, c, d], other) =>
            other !== at && box[0] < c && a < box[2] && box[1] < d && b < box[3],
        )
      )
        continue;
      taken.push(box);
      parts.push(text(x, y, shown, { "text-anchor": anchor }));
      break;
    }
  });
  // A scale bar shows the unit of distance.
  const [reach, label] = ticks(0, Math.max(spanX, spanY) / 2, 2).at(-1) ?? [0, ""];
  if (reach > 0) {
    parts.push(
      line(1, height - 12, 1 + reach * unit, height - 12, { class: "rule" }),
      text(8 + reach * unit, height - 8, `${label} of ${score.distance}`, { class: "tick" }),
    );
  }
  canvas(
    holder,
    height,
    `Map of ${names.length} clusterings: the nearer, the more similar under ${score.title}; the distances are in the matrix`,
    ...parts,
  );
}
