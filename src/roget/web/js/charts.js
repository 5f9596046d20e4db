// The charts of a comparison, drawn at their actual width so that text keeps its size.
/** @import { Child, Dot, Drop, Given, Shift, Shown } from "./types" */

import { data } from "./data.js";
import { el, svg } from "./dom.js";
import { number, signed } from "./format.js";

const ruler = /** @type {CanvasRenderingContext2D} */ (
  document.createElement("canvas").getContext("2d")
);
ruler.font = `12.5px ${getComputedStyle(document.body).fontFamily}`;
/** @param {string} content */
export const widthOf = (content) => ruler.measureText(content).width;

// Names often differ in the middle or at the end, so both ends are kept.
/** @param {string} name @param {number} pixels @param {number} share of the kept characters at the beginning */
export function shortened(name, pixels, share = 0.4) {
  const signs = [...name];
  let cut = name;
  for (let room = signs.length - 1; room > 3 && widthOf(cut) > pixels; room -= 1) {
    const head = Math.ceil(room * share);
    cut = `${signs.slice(0, head).join("")}…${signs.slice(signs.length - (room - head)).join("")}`;
  }
  return cut;
}

// Shorten names; distinct names stay distinct.
/** @param {string[]} names @param {number} pixels @returns {Map<string, string>} */
export function distinct(names, pixels) {
  const different = new Set(names).size;
  for (const share of [0.4, 0.6, 0.8, 0.2]) {
    const cut = names.map((name) => shortened(name, pixels, share));
    if (new Set(cut).size === different) return new Map(names.map((name, at) => [name, cut[at]]));
  }
  return new Map(
    names.map((name, at) => [
      name,
      widthOf(name) > pixels ? `${shortened(name, pixels - 24)} ${at + 1}` : name,
    ]),
  );
}

export const NARROW = 560;

/** @param {HTMLElement} holder @param {number} height @param {string} label @param {Node[]} children */
export function canvas(holder, height, label, ...children) {
  const width = holder.clientWidth;
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": label,
  });
  drawing.append(...children);
  holder.replaceChildren(drawing);
}

/** @param {number} low @param {number} high @param {number} most @returns {[number, string][]} */
export function ticks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((by) => by * power >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1)
    found.push(at * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (step / power === 2.5 ? 1 : 0));
  return found.map((value) => /** @type {[number, string]} */ ([value, number(value, digits)]));
}

/** @param {number[]} values @param {number} from @param {number} to */
export function scale(values, from, to, zero = false) {
  let low = Math.min(...values, ...(zero ? [0] : []));
  let high = Math.max(...values, ...(zero ? [0] : []));
  if (high - low < 1e-12) [low, high] = [low - 0.5, high + 0.5];
  const room = 0.04 * (high - low);
  [low, high] = [low - room, high + room];
  /** @param {number} value */
  const place = (value) => from + ((to - from) * (value - low)) / (high - low);
  return Object.assign(place, { low, high });
}

/** @type {(x: number, y: number, content: Child, attributes?: Given) => SVGElement} */
export const text = (x, y, content, attributes = {}) =>
  svg("text", { x, y, ...attributes }, content);
/** @type {(x1: number, y1: number, x2: number, y2: number, attributes?: Given) => SVGElement} */
export const line = (x1, y1, x2, y2, attributes = {}) =>
  svg("line", { x1, y1, x2, y2, ...attributes });
/** @type {(content: string) => SVGElement} */
export const hint = (content) => svg("title", {}, content);

/** @param {HTMLElement} holder @param {Dot[]} dots @param {Shown} score */
export function drawIntervals(holder, dots, score) {
  if (!dots.length) return holder.replaceChildren("No system has a value.");
  const width = holder.clientWidth;
  const narrow = width < NARROW;
  const longest = Math.max(...dots.map(([name]) => widthOf(name)));
  const left = narrow ? 4 : Math.min(longest + 14, width * 0.38);
  const step = narrow ? 40 : 26;
  const split = dots.findIndex(([, isBaseline]) => isBaseline);
  const gap = split > 0 ? 14 : 0;
  /** @param {number} at */
  const rowAt = (at) => 14 + at * step + (split > 0 && at >= split ? gap : 0) + (narrow ? 12 : 0);
  const bottom = 14 + dots.length * step + gap;
  const ends = dots.flatMap(([, , value, low, high]) => [value, low ?? value, high ?? value]);
  const x = scale(ends, left + 4, width - 10);
  const short = distinct(
    dots.map(([name]) => name),
    narrow ? width - 16 : left - 14,
  );
  const parts = ticks(x.low, x.high, narrow ? 4 : 8).flatMap(([value, label]) => [
    line(x(value), 2, x(value), bottom, { class: "grid" }),
    text(x(value), bottom + 16, label, { class: "tick", "text-anchor": "middle" }),
  ]);
  if (gap)
    parts.push(
      line(
        0,
        rowAt(split) - step / 2 - gap / 2 - (narrow ? 8 : 0),
        width,
        rowAt(split) - step / 2 - gap / 2 - (narrow ? 8 : 0),
        { class: "split" },
      ),
    );
  dots.forEach(([name, isBaseline, value, low, high], at) => {
    const y = rowAt(at);
    const described =
      low === null
        ? `${name}: ${number(value)}`
        : `${name}: ${number(value)} [${number(low)}, ${number(high)}]`;
    parts.push(
      svg(
        "g",
        { class: isBaseline ? "dot baselines" : "dot" },
        hint(described),
        narrow
          ? text(left, y - 11, short.get(name))
          : text(left - 10, y + 4, short.get(name), { "text-anchor": "end" }),
        low === null || high === null
          ? null
          : [
              line(x(low), y, x(high), y, { class: "whisker" }),
              ...[low, high].map((end) => line(x(end), y - 4, x(end), y + 4, { class: "cap" })),
            ],
        svg("circle", { cx: x(value), cy: y, r: 4.5 }),
      ),
    );
  });
  parts.push(
    text(width - 10, bottom + 34, `${score.title} ${score.arrow} ${score.better} is better`, {
      class: "axis",
      "text-anchor": "end",
    }),
  );
  canvas(
    holder,
    bottom + 42,
    `Scores of ${dots.length} systems and baselines under ${score.title}, as in the leaderboard`,
    ...parts,
  );
}

/** @param {HTMLElement} holder @param {string} first @param {Record<string, Shift[]>} shifts */
export function drawRanks(holder, first, shifts) {
  const panels = Object.keys(shifts).map(() => el("div", { class: "chart" }));
  holder.replaceChildren(...panels);
  Object.entries(shifts).forEach(([other, moves], at) => slope(panels[at], first, other, moves));
}

/** @param {HTMLElement} holder @param {string} first @param {string} other @param {Shift[]} moves */
function slope(holder, first, other, moves) {
  const width = holder.clientWidth;
  const both = width >= 480;
  const longest = Math.max(...moves.map(([name]) => widthOf(name))) + 42;
  const left = Math.min(longest, width * (both ? 0.37 : 0.62));
  const right = both ? width - left : width - 40;
  /** @param {number} at */
  const rowAt = (at) => 44 + at * 24;
  const short = distinct(
    moves.map(([name]) => name),
    left - 38,
  );
  const after = [...moves].sort((a, b) => a[2] - b[2] || moves.indexOf(a) - moves.indexOf(b));
  const parts = [
    text(left - 8, 18, first, { class: "axis", "text-anchor": "end" }),
    text(right + 8, 18, other, { class: "axis" }),
  ];
  moves.forEach((move, at) => {
    const [name, before, now] = move;
    const kind = now < before ? "rise" : now > before ? "fall" : "same";
    const y = [rowAt(at), rowAt(after.indexOf(move))];
    parts.push(
      svg(
        "g",
        { class: `move ${kind}` },
        hint(`${name}: rank ${before} under ${first}, ${now} under ${other}`),
        line(left, y[0], right, y[1]),
        svg("circle", { cx: left, cy: y[0], r: 3.5 }),
        svg("circle", { cx: right, cy: y[1], r: 3.5 }),
        text(left - 34, y[0] + 4, short.get(name), { "text-anchor": "end" }),
        text(left - 10, y[0] + 4, before, { class: "place", "text-anchor": "end" }),
        text(right + 10, y[1] + 4, now, { class: "place" }),
        both ? text(right + 34, y[1] + 4, short.get(name)) : null,
      ),
    );
  });
  canvas(
    holder,
    rowAt(moves.length),
    `Ranks of the systems under ${first} and under ${other}`,
    ...parts,
  );
}

/** @type {((x: number, y: number) => SVGElement)[]} */
const MARKS = [
  (x, y) => svg("circle", { cx: x, cy: y, r: 4.5 }),
  (x, y) => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8 }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5 9h-10z` }),
  (x, y) => svg("path", { d: `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` }),
];

/** @param {HTMLElement} holder @param {string} first @param {Record<string, Drop[]>} drops */
export function drawDrops(holder, first, drops) {
  const width = holder.clientWidth;
  const height = width < NARROW ? 300 : 380;
  const points = Object.values(drops).flat();
  if (!points.length) return holder.replaceChildren("No system has a value under two estimators.");
  const x = scale(
    points.map(([, clusters]) => clusters),
    56,
    width - 24,
  );
  const y = scale(
    points.map(([, , difference]) => difference),
    height - 44,
    34,
    true,
  );
  const parts = [
    ...ticks(x.low, x.high, width < NARROW ? 5 : 10).flatMap(([value, label]) => [
      line(x(value), height - 44, x(value), height - 39, { class: "grid" }),
      text(x(value), height - 26, label, { class: "tick", "text-anchor": "middle" }),
    ]),
    ...ticks(y.low, y.high, 6).flatMap(([value, label]) => [
      line(52, y(value), width - 10, y(value), {
        class: Math.abs(value) < 1e-12 ? "zero" : "grid",
      }),
      text(46, y(value) + 4, label, { class: "tick", "text-anchor": "end" }),
    ]),
    text(width - 10, height - 6, data.grouped ? "clusters per group" : "clusters", {
      class: "axis",
      "text-anchor": "end",
    }),
  ];
  // A line joins the points of one system: its clusters are the same under every estimator.
  for (const name of new Set(points.map(([owner]) => owner))) {
    const own = points.filter(([owner]) => owner === name);
    const ends = own.map(([, , difference]) => y(difference));
    parts.push(
      line(x(own[0][1]), Math.min(...ends), x(own[0][1]), Math.max(...ends), { class: "join" }),
    );
  }
  let keyAt = 52;
  Object.entries(drops).forEach(([other, some], kind) => {
    const mark = MARKS[kind % MARKS.length];
    const label = `${first} − ${other}`;
    parts.push(
      svg(
        "g",
        { class: `series s${kind % 4}` },
        mark(keyAt + 6, 14),
        text(keyAt + 18, 18, label),
        ...some.map(([name, clusters, difference, rank]) =>
          svg(
            "g",
            {},
            hint(`${name}: ${number(clusters, 1)} clusters, ${label} = ${signed(difference)}`),
            mark(x(clusters), y(difference)),
            kind ? null : text(x(clusters) + 8, y(difference) + 4, rank, { class: "place" }),
          ),
        ),
      ),
    );
    keyAt += 36 + label.length * 7;
  });
  canvas(
    holder,
    height,
    `Difference between estimators by number of clusters, for ${points.length} systems`,
    ...parts,
  );
}
