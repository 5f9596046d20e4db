// The state of the page: thesaurus, tree, current view and its keyboard actions.

/** @import { Overview, Route } from "./types" */
/** @import { Tree } from "./tree.js" */

/** @type {{ about: Overview, tree: Tree, route: Partial<Route> | null, drawn: number, resized: (() => void) | null, actions: Record<string, () => unknown>, chosen: Set<string> }} */
export const state = /** @type {any} */ ({
  about: null,
  tree: null,
  route: null,
  drawn: 0,
  resized: null,
  actions: {},
  chosen: new Set(),
});
