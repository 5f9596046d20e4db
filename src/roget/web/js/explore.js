// The explorer: from the address to the page.
/** @import { Page, Route } from "./types" */

import { classPage } from "./browse.js";
import { changesPage } from "./changes.js";
import { $, clear, el, short } from "./dom.js";
import { load, offerUndo, redo, undo } from "./edit.js";
import { Failure } from "./failure.js";
import { stay } from "./frame.js";
import { help, startKeys } from "./keys.js";
import { closeDrawer } from "./kwic.js";
import { levelPage } from "./level.js";
import { go } from "./links.js";
import { PAGES } from "./pages.js";
import { startSearch } from "./search.js";
import { openLink } from "./session.js";
import { state } from "./state.js";
import { startTerms } from "./terms.js";
import { theme } from "./theme.js";

/** @type {(page: Page) => string} */
const pageLink = (page) => (page === classPage ? "#/" : `#/${page.names[0]}`);

/** The heading of the visible page. */
const findTitle = () =>
  /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main h1")]).find((one) =>
    one.checkVisibility(),
  );

/** Return the page of an address and its parsed parameters. @param {string} hash */
function parseAddress(hash) {
  try {
    const [name, ...parts] = hash
      .replace(/^#?\/?/, "")
      .split("/")
      .map(decodeURIComponent);
    const page = PAGES.find((one) => one.names.includes(name) && one.isAvailable());
    const found = page?.parse(parts);
    return page && found ? { page, route: { view: page.names[0], ...found } } : null;
  } catch {
    return null;
  }
}

/** The keys that work on every page. */
const commonKeys = () => ({
  "/": () => $("search").focus(),
  "?": help,
  u: undo,
  r: redo,
  Escape: closeDrawer,
  ...Object.fromEntries(
    PAGES.filter((page) => page.key && page.isAvailable()).map((page) => [
      page.key,
      () => go(pageLink(page)),
    ]),
  ),
});

/** Show or hide the tree and the slider, and mark the page in the navigation bar. @param {Page | undefined} page @param {Partial<Route>} route */
function arrange(page, route) {
  const isWide = page?.isWide(route) ?? false,
    isLevel = page === levelPage;
  $("main").classList.toggle("wide", isWide);
  $("cutter").hidden = !isLevel;
  if (!isLevel) clear($("cutter"));
  $("map").hidden = isWide && !isLevel;
  $("crumbs").hidden = isWide && !isLevel;
  const current = page && !page.title ? classPage : page;
  for (const link of document.querySelectorAll(".bar nav a"))
    if (link.getAttribute("data-view") === current?.names[0])
      link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  return isWide;
}

/** Draw the page at the current address. */
async function draw() {
  const found = parseAddress(location.hash),
    number = ++state.drawn,
    alive = () => number === state.drawn;
  const inTree =
    $("tree").contains(document.activeElement) || document.activeElement?.id === "slider";
  const route = found?.route ?? { view: "lost" },
    before = state.route;
  const isFirst = before === null,
    isSame =
      before?.view === route.view && before?.node === route.node && before?.key === route.key;
  state.route = route;
  state.resized = null;
  state.actions = commonKeys();
  if (!isSame) state.chosen.clear();
  closeDrawer();
  const isWide = arrange(found?.page, route);
  $("main").setAttribute("aria-busy", "true");
  try {
    if (!found) throw new Failure("No page has this address.");
    await found.page.draw(route, alive);
  } catch (error) {
    if (!alive()) return;
    if (!(error instanceof Failure)) console.error(error);
    if (isShut(error)) shut();
    else showError(/** @type {Error} */ (error));
  }
  if (!alive()) return;
  $("main").removeAttribute("aria-busy");
  if (!isFirst && !inTree && !$("dialog").open) {
    findTitle()?.focus({ preventScroll: true });
    if (!isSame && (innerWidth > 960 || isWide)) scrollTo(0, 0);
  }
}

/** @param {Error} error */
function showError(error) {
  const unreachable = error instanceof Failure && error.status >= 500;
  clear($("panel")).append(
    el("h1", { tabindex: -1, text: unreachable ? "No answer" : "Not found" }),
    el("p", { class: "place", text: short(error.message, 400) }),
    el("p", { class: "place" }, el("a", { href: "#/", text: "Back to the whole thesaurus" })),
  );
}

/** @param {unknown} error */
const isShut = (error) => error instanceof Failure && error.status === 401;

// Explain how to get access.
function shut() {
  document.body.classList.add("shut");
  document.title = "roget";
  $("main").removeAttribute("aria-busy");
  clear($("panel")).append(
    el("h1", { tabindex: -1, text: "Open this page by a link" }),
    el(
      "p",
      {},
      "Other users of this machine can also reach this address, so access requires a link. ",
      el("b", { text: "A link works once" }),
      "; this browser then has access until roget explore ends.",
    ),
    el(
      "p",
      {},
      "For a new link, press ",
      el("kbd", { text: "Enter" }),
      " in the window where ",
      el("code", { text: "roget explore" }),
      " runs and open the link that it prints, or start it again.",
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
  $("pages").append(
    ...PAGES.filter((page) => page.title && (page.isListed ?? page.isAvailable)()).map((page) =>
      el(
        "a",
        { href: pageLink(page), "data-view": page.names[0], text: page.title },
        page === changesPage ? el("span", { class: "badge", hidden: true }) : null,
      ),
    ),
  );
  offerUndo();
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  $("help").addEventListener("click", help);
  $("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    (findTitle() || $("panel")).focus();
  });
  startSearch();
  startTerms();
  startKeys();
  addEventListener("hashchange", draw);
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => state.resized?.());
  });
  await draw();
}

begin();
