// What the program proposes after new text: accepted or refused one by one, or all at once.
/** @import { Change } from "./types" */

import { source } from "./api.js";
import { $, clear, el, said } from "./dom.js";
import { edit } from "./edit.js";
import { decimal, many } from "./format.js";
import { openLines } from "./kwic.js";
import { classLink, wordLink } from "./links.js";
import { dot, heading, links } from "./parts.js";
import { state } from "./state.js";
import { term } from "./terms.js";

const FIRST_CHANGES = 100;

/** @param {number | null} id */
function namedClass(id) {
  const node = id === null ? -1 : state.tree.node(id);
  return node < 0 ? null : el("span", { class: "item" }, dot(node), el("a", { href: classLink(node) }, said(state.tree.name(node))));
}

/** @param {Change} one */
function changeRow(one) {
  const open = one.state === "open" && state.about.editable;
  /** @param {string} action */
  const settle = (action) => {
    const next = document.activeElement?.closest("li")?.nextElementSibling?.getAttribute("data-number");
    edit({ action, number: one.number }, null, () => { state.chosen = new Set(next ? [next] : []); return null; });
  };
  const from = namedClass(one.from), to = namedClass(one.to);
  return el("li", { class: one.state === "open" ? "change" : "change off", "data-number": one.number, tabindex: -1 },
    el("div", { class: "what" }, el("span", { class: "kind", text: one.kind }), el("span", { class: "words" }, one.words.slice(0, 12).flatMap((word, at) => [at ? ", " : "", el("a", { href: wordLink({ word, id: -1 }) }, said(word))]), one.words.length > 12 ? ` and ${many(one.words.length - 12, "other")}` : null),
      one.state === "open" ? null : el("span", { class: "quiet", text: one.state })),
    el("div", { class: "way" }, from, from && to ? el("span", { "aria-hidden": "true", text: "→" }) : null, to),
    one.reasons.length ? el("p", { class: "quiet", text: one.reasons.join(" · ") }) : null,
    el("div", { class: "actions" }, one.score === null ? null : el("span", { class: "number" }, term("score", "sure"), ` ${decimal(one.score)}`),
      one.words.length ? el("button", { type: "button", class: "button", text: "Sentences", on: { click: () => openLines({ word: one.words[0] }) } }) : null,
      open ? [el("button", { type: "button", class: "button", "data-settle": "refuse", text: "Refuse", "aria-label": `Refuse: ${one.said}`, on: { click: () => settle("refuse") } }),
        el("button", { type: "button", class: "button main", "data-settle": "accept", text: "Accept", "aria-label": `Accept: ${one.said}`, on: { click: () => settle("accept") } })] : null));
}

/** @param {() => boolean} alive */
export async function changesView(alive) {
  const data = await source.changes();
  if (!alive()) return;
  const open = data.changes.filter((one) => one.state === "open"), settled = data.changes.filter((one) => one.state !== "open");
  /** @type {(list: Change[]) => HTMLElement[]} */
  const listed = (list) => {
    const rows = el("ol", { class: "rows changes" }, list.slice(0, FIRST_CHANGES).map(changeRow));
    const more = el("button", { type: "button", class: "button", text: `Show all ${many(list.length, "change")}`, on: { click: () => { rows.append(...list.slice(FIRST_CHANGES).map(changeRow)); more.hidden = true; } } });
    more.hidden = list.length <= FIRST_CHANGES;
    return [rows, more];
  };
  /** @param {string} action */
  const all = (action) => edit({ action: "bulk", edits: open.map((one) => ({ action, number: one.number })) }, `${many(open.length, "change")} ${action === "accept" ? "accepted" : "refused"}`);
  clear($("panel")).append(
    el("p", { class: "eyebrow" }, "from new text"), el("h1", { tabindex: -1, text: open.length ? `${many(open.length, "change")} to look at` : data.changes.length ? "All changes are settled" : "No changes" }),
    el("p", { class: "place quiet" }, data.changes.length ? ["Each is a ", term("change", "candidate"), ". Accept it with y, refuse it with n; undo takes that back."]
      : ["Add new text to this thesaurus, and what moves, splits or is new is listed here: ", el("code", { text: `roget grow ${state.about.name} NEWTEXT` })]),
    open.length > 1 && state.about.editable ? el("div", { class: "actions" }, el("button", { type: "button", class: "button", text: `Accept all ${open.length}`, on: { click: () => all("accept") } }),
      el("button", { type: "button", class: "button", text: `Refuse all ${open.length}`, on: { click: () => all("refuse") } })) : el("span"),
    ...listed(open), ...(settled.length ? [heading("Settled"), ...listed(settled)] : []),
    links({ name: "changes", place: "/api/changes", data, sheet: () => [["number", "kind", "words", "state"], ...data.changes.map((one) => [one.number, one.kind, one.words.join(" "), one.state])] }));
  /** @param {string} action */
  const settleFocused = (action) => /** @type {HTMLElement | null | undefined} */ ((document.activeElement?.closest("[data-number]") ?? document.querySelector(".changes [data-number]"))?.querySelector(`[data-settle=${action}]`))?.click();
  Object.assign(state.actions, { y: () => settleFocused("accept"), n: () => settleFocused("refuse") });
  document.title = `Changes · ${state.about.name}`;
  const [next] = state.chosen;
  state.chosen.clear();
  if (next) setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector(`[data-number="${next}"] [data-settle=accept]`))?.focus(), 0);
}
