// The history of edits, the latest first; any earlier state can be restored.
/** @import { Page, Route } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi } from "./dom.js";
import { edit, redo } from "./edit.js";
import { count, many } from "./format.js";
import { heading, links } from "./parts.js";
import { state } from "./state.js";

/** @param {Partial<Route>} _ @param {() => boolean} alive */
async function drawHistory(_, alive) {
  const data = await source.get("history");
  if (!alive()) return;
  const { editable } = state.about,
    done = data.edits.filter((one) => one.state === "done").reverse();
  const undone = data.edits.filter((one) => one.state === "undone").reverse(),
    waiting = data.edits.filter((one) => one.state === "waiting");
  /** @type {(what: string, ...rest: (HTMLElement | null)[]) => HTMLElement} */
  const off = (what, ...rest) =>
    el("li", { class: "off" }, el("span", { class: "item" }, bdi(what)), rest);
  clear($("panel")).append(
    el("p", { class: "eyebrow", text: "edits" }),
    el("h1", { tabindex: -1, text: done.length ? many(done.length, "edit") : "No edits yet" }),
    el("p", {
      class: "place quiet",
      text: "The latest edit comes first. Edits are saved immediately, and are kept when the thesaurus is rebuilt or grown.",
    }),
    undone.length
      ? el(
          "section",
          {},
          heading("Undone", "can be redone until the next edit"),
          el(
            "ol",
            { class: "rows log" },
            undone.map((one, at) =>
              off(
                one.what,
                editable && at === undone.length - 1
                  ? el("button", {
                      type: "button",
                      class: "button",
                      text: "Redo",
                      on: { click: redo },
                    })
                  : null,
              ),
            ),
          ),
        )
      : "",
    el(
      "ol",
      { class: "rows log done" },
      done.map((one, at) =>
        el(
          "li",
          {},
          el("span", { class: "number", text: count(one.number ?? 0) }),
          el("span", { class: "item" }, bdi(one.what)),
          editable
            ? el("button", {
                type: "button",
                class: "button",
                text: at ? "Undo from here" : "Undo",
                "aria-label": `${at ? `Undo ${many(at + 1, "edit")}, this one and all later ones` : "Undo"}: ${one.what}`,
                on: {
                  click: () =>
                    edit(
                      { action: "undo_to", n: (one.number ?? 1) - 1 },
                      at ? `${many(at + 1, "edit")} undone` : `Undone: ${one.what}`,
                    ),
                },
              })
            : null,
        ),
      ),
    ),
    waiting.length
      ? el(
          "section",
          {},
          heading("Waiting", "could not be applied to this thesaurus; the next build tries again"),
          el(
            "ol",
            { class: "rows log" },
            waiting.map((one) => off(one.what)),
          ),
        )
      : "",
    links({
      view: "history",
      data,
      sheet: () => [
        ["number", "what", "kind", "state"],
        ...data.edits.map((one) => [one.number, one.what, one.kind, one.state]),
      ],
    }),
  );
  document.title = `History · ${state.about.name}`;
}

/** @type {Page} */
export const historyPage = {
  names: ["history"],
  place: 5,
  title: "History",
  key: "h",
  isAvailable: () => state.about.live,
  parse: () => ({}),
  isWide: () => true,
  draw: drawHistory,
};
