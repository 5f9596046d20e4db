// The pages of a class and of a word, next to the tree.
/** @import { Page, Route } from "./types" */

import { source } from "./api.js";
import { short } from "./dom.js";
import { icicle } from "./icicle.js";
import { parseNumber, TABS } from "./links.js";
import { classPanel, fillPanel, WORDS, wordPanel } from "./panels.js";
import { crumbs } from "./parts.js";
import { state } from "./state.js";

/** @param {Partial<Route>} route @param {() => boolean} alive */
async function drawClass({ node = 0 }, alive) {
  const { outline } = state.tree,
    shown = state.tree.visible(node),
    isLeaf = !outline.children[shown].length;
  icicle.show({
    focus: isLeaf ? icicle.focusFor(shown) : shown,
    selected: shown,
    way: outline.path(shown),
  });
  crumbs(node);
  const data = await source.get("class", { node, n: WORDS });
  if (!alive()) return;
  fillPanel(classPanel(data));
  document.title = `${short(state.tree.name(node), 60)} · ${state.about.name}`;
}

/** @type {Page} */
export const classPage = {
  names: ["class", ""],
  place: 1,
  title: "Tree",
  key: "t",
  isAvailable: () => true,
  parse: ([id]) => {
    const node = id === undefined ? 0 : state.tree.node(parseNumber(id) ?? -1);
    return node < 0 ? null : { node };
  },
  isWide: () => false,
  draw: drawClass,
};

/** @param {Partial<Route>} route @param {() => boolean} alive */
async function drawWord({ key = "", tab = "about", first, second }, alive) {
  const data = await source.get("word", typeof key === "number" ? { row: key } : { word: key });
  if (!alive()) return;
  const leaf = data.path[data.path.length - 1].node;
  if (tab === "about") {
    icicle.show({
      focus: icicle.focusFor(leaf),
      selected: leaf,
      way: state.tree.outline.path(leaf),
    });
    crumbs(leaf);
  }
  const panel = await wordPanel(data, tab, first, second);
  if (!alive()) return;
  fillPanel(panel);
  document.title = `${short(data.word, 60)} · ${state.about.name}`;
}

/** @type {Page} */
export const wordPage = {
  names: ["word"],
  place: 6,
  isAvailable: () => true,
  parse: ([key, tab = "about", first, second]) =>
    key && TABS.includes(tab) ? { key, tab, first, second } : null,
  isWide: ({ tab }) => tab !== "about",
  draw: drawWord,
};

/** The page of a word by its row: for words that cannot be part of an address. @type {Page} */
export const rowPage = {
  ...wordPage,
  names: ["row"],
  place: 7,
  parse: ([row, ...rest]) => {
    const key = parseNumber(row),
      route = wordPage.parse(["word", ...rest]);
    return key === null || route === null ? null : { ...route, view: "word", key };
  },
};
