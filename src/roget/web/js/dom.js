// Elements. Text from the data enters a page only as text, never as markup.
/** @import { Child, Given } from "./types" */

/** @type {(id: string) => any} the element with an id; pages contain all ids of their scripts */
export const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
export const LONG = 120;

/** @template {HTMLElement | SVGElement} E @param {E} node @param {Given | undefined} given @param {any[]} children @returns {E} */
function put(node, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name === "on")
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style")
      for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}
/** @type {(tag: string, given?: Given, ...children: Child[]) => HTMLElement} */
export const el = (tag, given, ...children) => put(document.createElement(tag), given, children);
/** @type {(tag: string, given?: Given, ...children: Child[]) => SVGElement} */
export const svg = (tag, given, ...children) =>
  put(document.createElementNS(SVG, tag), given, children);
/** @type {(text: string, most?: number) => string} */
export const short = (text, most = LONG) => {
  const signs = text.length > most ? Array.from(text.slice(0, most * 2)) : null;
  return signs && signs.length > most ? signs.slice(0, most - 1).join("") + "…" : text;
};
/** @type {(text: string, given?: Given) => HTMLElement} */
export const bdi = (text, given) =>
  el("bdi", { title: text.length > LONG ? short(text, 600) : null, ...given, text: short(text) });
// Call a function whenever the width of an element changes.
/** @param {HTMLElement} place @param {() => void} act */
export function onResize(place, act) {
  let before = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth === before) return;
    before = place.clientWidth;
    act();
  }).observe(place);
}
/** @type {<E extends Element>(node: E) => E} */
export const clear = (node) => {
  node.replaceChildren();
  return node;
};
