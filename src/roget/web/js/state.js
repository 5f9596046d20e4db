// What is open: the thesaurus, its tree, and the view in sight.

/** @import { Overview, Route } from "./types" */
/** @import { Tree } from "./tree.js" */

/** @type {{ about: Overview, tree: Tree, route: Partial<Route> | null, drawn: number, resized: (() => void) | null }} */
export const state = /** @type {any} */ ({ about: null, tree: null, route: null, drawn: 0, resized: null });
