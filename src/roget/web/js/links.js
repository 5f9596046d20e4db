// Links: the address of every view stands after the # sign.
/** @import { Route, Word } from "./types" */

import { LONG } from "./dom.js";
import { state } from "./state.js";

/** @type {(node: number) => string} */
export const classLink = (node) => (node === 0 ? "#/" : `#/class/${node}`);
/** @type {(one: Word) => string} */
export const wordLink = (one) => (one.word.length <= LONG && /^\S/.test(one.word) ? `#/word/${encodeURIComponent(one.word)}` : `#/row/${one.id}`);
/** @type {(k: number, node: number) => string} */
export const cutLink = (k, node) => (node === 0 ? `#/cut/${k}` : `#/cut/${k}/${node}`);
// The same place once more is drawn anew.
export const again = () => dispatchEvent(new HashChangeEvent("hashchange"));
/** @type {(link: string) => void} */
export const go = (link) => { if (location.hash === link) again(); else location.hash = link; };

/** @param {string} hash @returns {Partial<Route> & { view: string }} */
export function parsed(hash) {
  const [, view = "", rest = ""] = /^#?\/?([^/]*)\/?(.*)$/s.exec(hash) || [];
  const number = /^\d{1,9}$/.test(rest) ? Number(rest) : null;
  if (view === "class" && number !== null && number < state.tree.n) return { view: "class", node: number };
  if (view === "word" && rest) { try { return { view: "word", key: decodeURIComponent(rest) }; } catch { return { view: "lost" }; } }
  if (view === "row" && number !== null) return { view: "word", key: number };
  if (view === "cut") {
    const [k, node] = rest.split("/").map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : null));
    return { view: "cut", k: Math.min(Math.max(k ?? Math.min(8, state.tree.classes), 1), state.tree.classes), node: node !== null && node < state.tree.n ? node : 0 };
  }
  if (view === "compare" && state.about.compare) {
    const { ks, k } = state.about.compare;
    return { view: "compare", k: number !== null && ks.includes(number) ? number : k };
  }
  return view === "" ? { view: "class", node: 0 } : { view: "lost" };
}
