// The explorer: from address to view.
/** @import { Route } from "./types" */

import { Failure, source } from "./api.js";
import { changesView } from "./changes.js";
import { compareView } from "./compare.js";
import { $, clear, el, short } from "./dom.js";
import { load, redo, undo } from "./edit.js";
import { stay } from "./frame.js";
import { historyView } from "./history.js";
import { icicle } from "./icicle.js";
import { help, startKeys } from "./keys.js";
import { closeDrawer } from "./kwic.js";
import { levelView } from "./level.js";
import { go, parsed } from "./links.js";
import { classPanel, fillPanel, wordPanel } from "./panels.js";
import { crumbs } from "./parts.js";
import { startSearch } from "./search.js";
import { openLink } from "./session.js";
import { state } from "./state.js";
import { startTerms } from "./terms.js";
import { theme } from "./theme.js";

// What the view in sight is called.
const title = () =>
  /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main h1")]).find((one) =>
    one.checkVisibility(),
  );

/** @type {Record<string, (wanted: Partial<Route>, alive: () => boolean) => Promise<void>>} */
const DRAWN = {
  level: levelView,
  compare: compareView,
  class: classView,
  word: wordView,
  history: (_, alive) => historyView(alive),
  changes: (_, alive) => changesView(alive),
};

// What keys do in every view.
const everywhere = () => ({
  "/": () => $("search").focus(),
  "?": help,
  u: undo,
  r: redo,
  Escape: closeDrawer,
  t: () => go("#/"),
  l: () => go("#/level"),
  ...(state.about.compare ? { c: () => go("#/compare") } : {}),
  ...(state.about.live ? { h: () => go("#/history"), g: () => go("#/changes") } : {}),
});

async function route() {
  const wanted = parsed(location.hash),
    mine = ++state.drawn,
    alive = () => mine === state.drawn;
  const inTree =
    $("tree").contains(document.activeElement) || document.activeElement?.id === "slider";
  const before = state.route,
    first = before === null,
    same =
      before?.view === wanted.view && before?.node === wanted.node && before?.key === wanted.key;
  state.route = wanted;
  state.resized = null;
  state.actions = everywhere();
  if (!same) state.chosen.clear();
  closeDrawer();
  const { view } = wanted,
    wide =
      view === "word"
        ? wanted.tab !== "about"
        : ["level", "compare", "history", "changes"].includes(String(view));
  $("main").classList.toggle("wide", wide);
  $("cutter").hidden = view !== "level";
  if (view !== "level") clear($("cutter"));
  $("map").hidden = wide && view !== "level";
  $("crumbs").hidden = wide && view !== "level";
  const current = view === "class" || view === "word" ? "tree" : view;
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".bar nav a")
  ))
    if (link.dataset.view === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  $("main").setAttribute("aria-busy", "true");
  try {
    if (!Object.hasOwn(DRAWN, view)) throw new Failure("There is nothing at this address.");
    await DRAWN[view](wanted, alive);
  } catch (error) {
    if (!alive()) return;
    if (!(error instanceof Failure)) console.error(error);
    if (isShut(error)) shut();
    else
      clear($("panel")).append(
        el("h1", {
          tabindex: -1,
          text: error instanceof Failure && error.status >= 500 ? "No answer" : "Not found",
        }),
        el("p", { class: "place", text: short(/** @type {Error} */ (error).message, 400) }),
        el("p", { class: "place" }, el("a", { href: "#/", text: "To the whole thesaurus" })),
      );
  }
  if (!alive()) return;
  $("main").removeAttribute("aria-busy");
  if (!first && !inTree && !$("dialog").open) {
    title()?.focus({ preventScroll: true });
    if (!same && (innerWidth > 960 || wide)) scrollTo(0, 0);
  }
}

/** @param {Partial<Route>} wanted @param {() => boolean} alive */
async function classView({ node = 0 }, alive) {
  const leaf = !state.tree.children[node].length;
  icicle.show({
    focus: leaf ? icicle.focusFor(node) : node,
    selected: node,
    way: state.tree.path(node),
  });
  crumbs(node);
  const data = await source.wordClass(node);
  if (!alive()) return;
  fillPanel(classPanel(data));
  document.title = `${short(state.tree.name(node), 60)} · ${state.about.name}`;
}

/** @param {Partial<Route>} wanted @param {() => boolean} alive */
async function wordView({ key = "", tab = "about", first, second }, alive) {
  const data = await source.word(key);
  if (!alive()) return;
  const leaf = data.path[data.path.length - 1].node;
  if (tab === "about") {
    icicle.show({ focus: icicle.focusFor(leaf), selected: leaf, way: state.tree.path(leaf) });
    crumbs(leaf);
  }
  const panel = await wordPanel(data, tab, first, second);
  if (!alive()) return;
  fillPanel(panel);
  document.title = `${short(data.word, 60)} · ${state.about.name}`;
}

/** @param {unknown} error */
const isShut = (error) => error instanceof Failure && error.status === 401;

// Nobody gets in without a link: the page says how to get one.
function shut() {
  document.body.classList.add("shut");
  document.title = "roget";
  $("main").removeAttribute("aria-busy");
  clear($("panel")).append(
    el("h1", { tabindex: -1, text: "Open this page by a link" }),
    el(
      "p",
      {},
      "Other users of this machine can reach this address too, so it shows nothing to a browser that it does not know. ",
      el("b", { text: "A link works once" }),
      "; afterwards the browser is known for as long as roget runs.",
    ),
    el(
      "p",
      {},
      "For a new link, press ",
      el("kbd", { text: "Enter" }),
      " in the window where ",
      el("code", { text: "roget explore" }),
      " runs and open what it prints; or start it again.",
    ),
  );
}

async function begin() {
  theme();
  stay();
  try {
    await openLink();
    await load();
  } catch (error) {
    const failed = /** @type {Error} */ (error);
    if (isShut(failed)) shut();
    else $("loading").textContent = `The thesaurus cannot be opened: ${failed.message}`;
    return;
  }
  $("brand").textContent = state.about.name;
  /** @type {HTMLElement | null} */ const compared =
    document.querySelector('[data-view="compare"]');
  if (compared) compared.hidden = !state.about.compare;
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll("[data-live]")
  ))
    link.hidden = !state.about.live || (link.dataset.view === "changes" && !state.about.changes);
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("help").addEventListener("click", help);
  $("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    (title() || $("panel")).focus();
  });
  startSearch();
  startTerms();
  startKeys();
  addEventListener("hashchange", route);
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => state.resized?.());
  });
  await route();
}

begin();
