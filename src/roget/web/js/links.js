// Links: the address of every page follows the # sign.
/** @import { Word } from "./types" */

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
// Draw the current page again.
export const redraw = () => dispatchEvent(new HashChangeEvent("hashchange"));
/** @type {(link: string) => void} */
export const go = (link) => {
  if (location.hash === link) redraw();
  else location.hash = link;
};

/** Parse a number of an address. @type {(text: string | undefined) => number | null} */
export const parseNumber = (text) => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : null);

/** The tabs of a word's page. */
export const TABS = ["about", "sketch", "lines"];
