// Links: the address of every view stands after the # sign.
/** @import { Route, Word } from "./types" */

import { LONG } from "./dom.js";
import { state } from "./state.js";

/** @type {(node: number) => string} */
export const classLink = (node) => (node === 0 ? "#/" : `#/class/${state.tree.id(node)}`);
/** @type {(one: Word, tab?: string, ...rest: string[]) => string} */
export const wordLink = (one, tab, ...rest) =>
  [
    one.word.length <= LONG && /^\S/.test(one.word)
      ? `#/word/${encodeURIComponent(one.word)}`
      : `#/row/${one.id}`,
    ...(tab ? [tab, ...rest.map((part) => encodeURIComponent(part))] : []),
  ].join("/");
/** @type {(k: number, node: number) => string} */
export const levelLink = (k, node) =>
  node === 0 ? `#/level/${k}` : `#/level/${k}/${state.tree.id(node)}`;
// The same place once more is drawn anew.
export const again = () => dispatchEvent(new HashChangeEvent("hashchange"));
/** @type {(link: string) => void} */
export const go = (link) => {
  if (location.hash === link) again();
  else location.hash = link;
};

/** @type {(text: string | undefined) => number | null} */
const digits = (text) => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : null);

const LOST = { view: "lost" };
/** @type {Record<string, (parts: string[]) => Partial<Route> & { view: string }>} */
const VIEWS = {
  "": () => ({ view: "class", node: 0 }),
  class: ([id]) => {
    const node = state.tree.node(digits(id) ?? -1);
    return node < 0 ? LOST : { view: "class", node };
  },
  word: ([key, tab = "about", first, second]) =>
    key && TABS.includes(tab) ? { view: "word", key, tab, first, second } : LOST,
  row: ([row, tab = "about", first, second]) => {
    const key = digits(row);
    return key !== null && TABS.includes(tab) ? { view: "word", key, tab, first, second } : LOST;
  },
  level: ([k, id]) => ({
    view: "level",
    k: Math.min(Math.max(digits(k) ?? Math.min(8, state.tree.classes), 1), state.tree.classes),
    node: Math.max(state.tree.node(digits(id) ?? 0), 0),
  }),
  compare: ([k]) => {
    const about = state.about.compare,
      wanted = digits(k);
    return about
      ? { view: "compare", k: wanted !== null && about.ks.includes(wanted) ? wanted : about.k }
      : LOST;
  },
  history: () => (state.about.live ? { view: "history" } : LOST),
  changes: () => (state.about.live ? { view: "changes" } : LOST),
};
// As levels were called once, in links that were kept.
VIEWS.cut = VIEWS.level;
export const TABS = ["about", "sketch", "lines"];

/** @param {string} hash @returns {Partial<Route> & { view: string }} */
export function parsed(hash) {
  try {
    const [view, ...parts] = hash
      .replace(/^#?\/?/, "")
      .split("/")
      .map(decodeURIComponent);
    return Object.hasOwn(VIEWS, view) ? VIEWS[view](parts) : LOST;
  } catch {
    return LOST;
  }
}
