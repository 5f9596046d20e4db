// What is open: the thesaurus, its tree, the view in sight and what its keys do.

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
