// Proposed changes after new text, to be accepted or refused one by one or all at once.
/** @import { Change, Page, Route } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi, short } from "./dom.js";
import { edit } from "./edit.js";
import { amount, count, decimal, many, shellName } from "./format.js";
import { contextLink, openLines } from "./kwic.js";
import { classLink, wordLink } from "./links.js";
import { dot, heading, links } from "./parts.js";
import { state } from "./state.js";
import { term } from "./terms.js";

const FIRST_CHANGES = 100;
/** @type {number | null} the change that gets the focus next */
let nextChange = null;

/** @type {Record<string, string>} */
const CALLED = { new: "new word", moved: "moved", split: "split in two", class: "new class" };

/** @param {number | null} id @param {string | null} label */
function namedClass(id, label) {
  const node = id === null ? -1 : state.tree.node(id);
  if (node >= 0)
    return el(
      "span",
      { class: "item" },
      dot(node),
      el("a", { href: classLink(node) }, bdi(state.tree.name(node))),
    );
  return label ? el("span", { class: "item quiet" }, bdi(label)) : null;
}

/** @param {Change} one @param {(action: string, one: Change) => void} settle */
function changeRow(one, settle) {
  const open = one.state === "open" && state.about.editable,
    from = namedClass(one.from, one.from_label),
    to = namedClass(one.to, one.to_label);
  const label = `${CALLED[one.kind] ?? one.kind}: ${short(one.words.slice(0, 4).join(", "), 80)}`;
  return el(
    "li",
    { class: open ? "change" : "change off", "data-number": one.number },
    el(
      "div",
      { class: "what" },
      el("span", { class: "kind", text: CALLED[one.kind] ?? one.kind }),
      el(
        "span",
        { class: "words" },
        one.words
          .slice(0, 12)
          .flatMap((word, at) => [
            at ? ", " : "",
            el("a", { href: wordLink({ word, id: -1 }) }, bdi(word)),
          ]),
        one.words.length > 12 ? ` and ${many(one.words.length - 12, "other")}` : null,
      ),
      one.state === "open" ? null : el("span", { class: "state", text: one.state }),
    ),
    el(
      "div",
      { class: "way" },
      from,
      from && to ? el("span", { "aria-hidden": "true", text: "→" }) : null,
      to,
    ),
    one.reasons.length
      ? el(
          "p",
          { class: "quiet" },
          "because of ",
          one.reasons.flatMap((reason, at) => [
            at ? " · " : "",
            contextLink({ ...reason, amount: 0, lift: 0 }, { word: one.words[0] }),
          ]),
        )
      : null,
    el(
      "div",
      { class: "actions" },
      el(
        "span",
        { class: "number" },
        one.score === null
          ? null
          : [
              one.kind === "split" || one.kind === "class"
                ? term("apart", "separation")
                : term("score", "better fit"),
              ` ${decimal(one.score)} · `,
            ],
        `${amount(one.tokens)} occurrences in the new text`,
      ),
      el("button", {
        type: "button",
        class: "button",
        text: "Sentences",
        "aria-label": `Sentences of ${short(one.words[0], 60)}`,
        on: { click: () => openLines({ word: one.words[0] }) },
      }),
      open
        ? [
            el("button", {
              type: "button",
              class: "button",
              "data-settle": "refuse",
              text: "Refuse",
              "aria-label": `Refuse: ${label}`,
              on: { click: () => settle("refuse", one) },
            }),
            el("button", {
              type: "button",
              class: "button main",
              "data-settle": "accept",
              text: "Accept",
              "aria-label": `Accept: ${label}`,
              on: { click: () => settle("accept", one) },
            }),
          ]
        : null,
    ),
  );
}

/** @param {Partial<Route>} _ @param {() => boolean} alive */
async function drawChanges(_, alive) {
  const data = await source.get("changes");
  if (!alive()) return;
  const open = data.changes.filter((one) => one.state === "open"),
    settled = data.changes.filter((one) => one.state !== "open");
  // The focus moves to the next open change.
  /** @param {string} action @param {Change} one */
  const settle = (action, one) =>
    edit({ action, numbers: [one.number] }, null, () => {
      nextChange = open[open.indexOf(one) + 1]?.number ?? null;
      return null;
    });
  /** @type {(list: Change[]) => HTMLElement[]} */
  const listed = (list) => {
    const rows = el(
      "ol",
      { class: "rows changes" },
      list.slice(0, FIRST_CHANGES).map((one) => changeRow(one, settle)),
    );
    const more = el("button", {
      type: "button",
      class: "button",
      text: `Show all ${many(list.length, "change")}`,
      on: {
        click: () => {
          rows.append(...list.slice(FIRST_CHANGES).map((one) => changeRow(one, settle)));
          more.hidden = true;
        },
      },
    });
    more.hidden = list.length <= FIRST_CHANGES;
    return [rows, more];
  };
  /** @param {string} action */
  const all = (action) => edit({ action, numbers: open.map((one) => one.number) });
  clear($("panel")).append(
    el("p", { class: "eyebrow" }, "from new text"),
    el("h1", {
      tabindex: -1,
      text: open.length
        ? `${many(open.length, "change")} to review`
        : data.changes.length
          ? "All changes are settled"
          : "No changes",
    }),
    el(
      "p",
      { class: "place quiet" },
      data.changes.length
        ? [
            "Each line is a ",
            term("change", "proposed change"),
            ": accept it (y) or refuse it (n); both can be undone.",
          ]
        : [
            "Words and classes that are new, moved or split are listed here after you add text: ",
            el("code", { text: `roget grow ${shellName(state.about.name)} NEWTEXT` }),
          ],
    ),
    open.length > 1 && state.about.editable
      ? el(
          "div",
          { class: "actions" },
          el("button", {
            type: "button",
            class: "button",
            text: `Accept all ${count(open.length)}`,
            on: { click: () => all("accept") },
          }),
          el("button", {
            type: "button",
            class: "button",
            text: `Refuse all ${count(open.length)}`,
            on: { click: () => all("refuse") },
          }),
        )
      : "",
    ...listed(open),
    ...(settled.length ? [heading("Settled"), ...listed(settled)] : []),
    links({
      view: "changes",
      data,
      sheet: () => [
        ["number", "kind", "words", "from", "to", "state"],
        ...data.changes.map((one) => [
          one.number,
          one.kind,
          one.words.join(", "),
          one.from_label,
          one.to_label,
          one.state,
        ]),
      ],
    }),
  );
  /** @param {string} action */
  const settleFocused = (action) =>
    /** @type {HTMLElement | null | undefined} */ (
      (
        document.activeElement?.closest("[data-number]") ??
        document.querySelector(".changes [data-number]")
      )?.querySelector(`[data-settle=${action}]`)
    )?.click();
  Object.assign(state.actions, {
    y: () => settleFocused("accept"),
    n: () => settleFocused("refuse"),
  });
  document.title = `Changes · ${state.about.name}`;
  // Every view focuses its heading first.
  if (nextChange !== null)
    setTimeout(
      () =>
        /** @type {HTMLElement | null} */ (
          document.querySelector(`[data-number="${nextChange}"] [data-settle=accept]`)
        )?.focus(),
      0,
    );
}

/** @type {Page} */
export const changesPage = {
  names: ["changes"],
  place: 4,
  title: "Changes",
  key: "g",
  isAvailable: () => state.about.live,
  isListed: () => state.about.live && state.about.changes > 0,
  parse: () => ({}),
  isWide: () => true,
  draw: drawChanges,
};
