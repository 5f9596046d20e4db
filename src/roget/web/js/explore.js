// The explorer: from address to view.
/** @import { Route } from "./types" */

import { Failure, source } from "./api.js";
import { compareView } from "./compare.js";
import { cutView } from "./cut.js";
import { $, clear, el, short } from "./dom.js";
import { edit, offerUndo } from "./edit.js";
import { stay } from "./frame.js";
import { icicle } from "./icicle.js";
import { parsed } from "./links.js";
import { classPanel, wordPanel } from "./panels.js";
import { crumbs } from "./parts.js";
import { startSearch } from "./search.js";
import { state } from "./state.js";
import { theme } from "./theme.js";
import { Tree } from "./tree.js";

// What the view in sight is called.
const title = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main h1")]).find((one) => one.checkVisibility());

async function route() {
  const wanted = parsed(location.hash), mine = ++state.drawn, alive = () => mine === state.drawn;
  const inTree = $("tree").contains(document.activeElement) || document.activeElement?.id === "slider";
  const first = state.route === null;
  state.route = wanted;
  state.resized = null;
  const wide = wanted.view === "cut" || wanted.view === "compare";
  $("main").classList.toggle("wide", wide);
  $("cutter").hidden = wanted.view !== "cut";
  if (wanted.view !== "cut") clear($("cutter"));
  $("map").hidden = wanted.view === "compare";
  $("crumbs").hidden = wanted.view === "compare";
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".bar nav a")))
    if (link.dataset.view === (wide ? wanted.view : "tree")) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  $("main").setAttribute("aria-busy", "true");
  try {
    if (wanted.view === "lost") throw new Failure("There is nothing at this address.");
    if (wanted.view === "cut") await cutView(wanted, alive);
    else if (wanted.view === "compare") await compareView(wanted, alive);
    else await treeView(wanted, alive);
  } catch (error) {
    if (!alive()) return;
    if (!(error instanceof Failure)) console.error(error);
    clear($("panel")).append(el("h1", { tabindex: -1, text: "Not found" }), el("p", { class: "place", text: short(/** @type {Error} */ (error).message, 400) }), el("p", { class: "place" }, el("a", { href: "#/", text: "To the whole thesaurus" })));
  }
  if (!alive()) return;
  $("main").removeAttribute("aria-busy");
  if (!first && !inTree) {
    title()?.focus({ preventScroll: true });
    if (innerWidth > 960 || wide) scrollTo(0, 0);
  }
}

/** @param {Partial<Route>} wanted @param {() => boolean} alive */
async function treeView(wanted, alive) {
  if (wanted.view === "class") {
    const { node = 0 } = wanted, leaf = !state.tree.children[node].length;
    icicle.show({ focus: leaf ? icicle.focusFor(node) : node, selected: node, way: state.tree.path(node) });
    crumbs(node);
    const data = await source.wordClass(node);
    if (!alive()) return;
    clear($("panel")).append(...classPanel(data).filter(Boolean));
    document.title = `${short(state.tree.name(node), 60)} · ${state.about.name}`;
    return;
  }
  const data = await source.word(wanted.key ?? "");
  if (!alive()) return;
  const leaf = data.path[data.path.length - 1].node;
  icicle.show({ focus: icicle.focusFor(leaf), selected: leaf, way: state.tree.path(leaf) });
  crumbs(leaf);
  clear($("panel")).append(...wordPanel(data).filter(Boolean));
  document.title = `${short(data.word, 60)} · ${state.about.name}`;
}

async function begin() {
  theme();
  stay();
  try {
    const [about, tree] = await Promise.all([source.overview(), source.tree()]);
    state.about = about;
    state.tree = new Tree(tree);
  } catch (error) {
    $("loading").textContent = `The thesaurus cannot be opened: ${/** @type {Error} */ (error).message}`;
    return;
  }
  /** @type {HTMLElement | null} */ const compared = document.querySelector('[data-view="compare"]');
  if (compared) compared.hidden = !state.about.compare;
  offerUndo();
  $("undo").addEventListener("click", () => edit({ action: "undo" }, "Undone"));
  $("skip").addEventListener("click", (/** @type {Event} */ event) => { event.preventDefault(); (title() || $("panel")).focus(); });
  startSearch();
  addEventListener("hashchange", route);
  let waiting = 0;
  addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => state.resized?.()); });
  await route();
}

begin();
