// Elements that several views share.
/** @import { Child, Context, Download, Named, Word } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi } from "./dom.js";
import { percent, times } from "./format.js";
import { classLink, wordLink } from "./links.js";
import { state } from "./state.js";

/** @type {(node: number) => HTMLElement} */
export const dot = (node) =>
  el("span", {
    class: "dot",
    "aria-hidden": "true",
    style: { "--h": state.tree.hue(node).toFixed(1) },
  });
/** @type {(share: number, node?: number) => HTMLElement} */
export const meter = (share, node) =>
  el(
    "span",
    { class: node === undefined ? "meter" : "meter hue", "aria-hidden": "true" },
    el("i", {
      style: {
        width: `${Math.max(0, Math.min(1, share)) * 100}%`,
        ...(node === undefined ? {} : { "--h": state.tree.hue(node).toFixed(1) }),
      },
    }),
  );
/** @type {(text: string, ...note: Child[]) => HTMLElement} */
export const heading = (text, ...note) =>
  el("h2", { text }, note.some(Boolean) ? el("small", {}, ...note) : null);
/** @type {(one: Named) => HTMLElement} */
export const classItem = (one) =>
  el(
    "span",
    { class: "item" },
    dot(one.node),
    el("a", { href: classLink(one.node) }, bdi(state.tree.name(one.node))),
    state.tree.unsorted.has(one.node) ? el("small", { class: "mark", text: "unsorted" }) : null,
  );
// The trust as text: at most "≥ 95 %", and null for classes with subclasses. Their mean only orders
// them, because it does not show whether the subclasses belong together.
/** @type {(node: number) => string | null} */
export const trustText = (node) => {
  const value = state.tree.trust[node];
  if (value === null || state.tree.children[node].length) return null;
  return value >= 0.95 ? `≥ ${percent(0.95)}` : percent(value);
};
/** The figure of trust in a class, or nothing. @type {(node: number) => HTMLElement | null} */
export const trustFigure = (node) => {
  const text = trustText(node);
  return text === null ? null : figure(text, "trust: probability that it is coherent");
};
/** @type {(one: Word) => HTMLElement} */
export const wordItem = (one) =>
  el("span", { class: "item" }, el("a", { href: wordLink(one) }, bdi(one.word)));
// The relative length of a bar, 1 for the nearest word; 0.01 bit is added to avoid division by 0.
/** @type {(bits: number | null, nearest: number) => number} */
export const nearness = (bits, nearest) => (bits === null ? 0 : (nearest + 0.01) / (bits + 0.01));
/** @type {(text: string, title?: string) => HTMLElement} */
export const figure = (text, title) => el("span", { class: "number", text, title });

// A message for missing data, with the command that provides them.
/** @type {(text: string, cure?: string) => HTMLElement} */
export const absent = (text, cure) =>
  el("p", { class: "quiet none" }, text, cure ? el("code", { text: cure }) : null);

/** @param {number} node */
export function crumbs(node, link = classLink) {
  const way = state.tree.shownPath(node),
    most = innerWidth < 600 ? 3 : 6,
    kept = way.length > most ? [way[0], null, ...way.slice(2 - most)] : way;
  const parts = kept.map((one, at) => {
    if (one === null) return el("span", { class: "dots", text: "…" });
    const last = at === kept.length - 1;
    return last
      ? el("span", { "aria-current": "page" }, bdi(state.tree.name(one)))
      : el("a", { href: link(one) }, bdi(state.tree.name(one)));
  });
  clear($("crumbs")).append(
    ...parts.flatMap((part, at) =>
      at ? [el("span", { class: "sep", "aria-hidden": "true", text: "›" }), part] : [part],
    ),
  );
}

/** @type {(...views: Download[]) => HTMLElement} */
export const links = (...views) =>
  el(
    "p",
    { class: "links" },
    views.map((view) => [el("span", { text: view.label || "This view as" }), source.links(view)]),
  );

/** @param {Context[]} contexts @param {(amount: number) => string} format @param {string} what @param {(one: Context) => HTMLElement} shown */
export function contextRows(contexts, format, what, shown, usual = false) {
  const most = Math.max(...contexts.map((one) => one.amount), 1e-9);
  // Contexts that differ only in their relation have the same phrase: name the relation.
  const seen = new Set();
  /** @param {Context} one */
  const distinct = (one) => {
    const again = seen.has(one.phrase);
    seen.add(one.phrase);
    const relation = one.context.split(":")[0].replace("~", "");
    return again ? { ...one, phrase: [one.phrase, `(${relation})`].join(" ") } : one;
  };
  return el(
    "ol",
    { class: "rows" },
    contexts
      .map(distinct)
      .map((one) =>
        el(
          "li",
          { class: usual ? null : "two" },
          el("span", { class: "item" }, shown(one)),
          meter(one.amount / most),
          figure(format(one.amount), what),
          usual ? null : figure(times(one.lift), "times as often as with all words"),
        ),
      ),
  );
}
