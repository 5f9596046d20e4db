// Keyboard shortcuts, active outside of text fields.

import { $, clear, el } from "./dom.js";
import { state } from "./state.js";
import { TERMS } from "./terms.js";

/** @type {[where: string, keys: [key: string, does: string][]][]} */
export const KEYS = [
  [
    "Anywhere",
    [
      ["/", "search"],
      ["?", "this help"],
      ["u", "undo the last edit"],
      ["r", "redo the last undone edit"],
      ["t", "tree"],
      ["l", "level"],
      ["c", "compare"],
      ["g", "changes from new text"],
      ["h", "history of edits"],
      ["Esc", "close the dialog or panel"],
    ],
  ],
  [
    "In the tree",
    [
      ["↑ ↓ ← →", "move"],
      ["Enter", "open the class"],
      ["Home", "back to the first class shown"],
    ],
  ],
  [
    "In a list",
    [
      ["↑ ↓", "up and down"],
      ["Enter", "open"],
      ["x", "tick or untick the word"],
    ],
  ],
  [
    "On a class",
    [
      ["e", "rename"],
      ["d", "definition and note"],
      ["a", "add words"],
      ["m", "merge it, or move the ticked words"],
      ["n", "put it under another class"],
      ["s", "split it, or split off the ticked words"],
      ["Del", "delete the ticked words"],
    ],
  ],
  [
    "On a word",
    [
      ["1 2 3", "about, sketch, sentences"],
      ["b", "compare with another word"],
      ["m", "move it to another class"],
      ["d", "definition and note"],
      ["Del", "delete it"],
    ],
  ],
  [
    "On a change",
    [
      ["y", "accept"],
      ["n", "refuse"],
    ],
  ],
];

export function help() {
  const box = $("dialog");
  clear(box).append(
    el(
      "form",
      { method: "dialog", class: "help" },
      el("h2", { id: "dialog-title", tabindex: -1, text: "Keys and terms" }),
      el(
        "div",
        { class: "keys" },
        KEYS.map(([where, keys]) =>
          el(
            "section",
            {},
            el("h3", { text: where }),
            el(
              "dl",
              {},
              keys.map(([key, does]) =>
                el(
                  "div",
                  {},
                  el(
                    "dt",
                    {},
                    key.split(" ").map((one) => el("kbd", { text: one })),
                  ),
                  el("dd", { text: does }),
                ),
              ),
            ),
          ),
        ),
      ),
      el("h3", { text: "Terms" }),
      el(
        "dl",
        { class: "terms" },
        Object.values(TERMS).map(([title, text]) =>
          el("div", {}, el("dt", { text: title }), el("dd", { text })),
        ),
      ),
      el(
        "div",
        { class: "actions" },
        el("button", { type: "submit", class: "button main", text: "Close" }),
      ),
    ),
  );
  box.classList.add("broad");
  box.showModal();
  box.scrollTop = 0;
  $("dialog-title").focus();
}

// Move up or down in a list, to the same control of the next row.
/** @param {Element} from @param {number} step */
function walk(from, step) {
  const row = from.closest(".rows > li, .kwic > li"),
    next = step > 0 ? row?.nextElementSibling : row?.previousElementSibling;
  if (!row || !next) return false;
  const parts = "a, button, input",
    at = [...row.querySelectorAll(parts)].indexOf(from),
    others = [...next.querySelectorAll(parts)];
  const target = /** @type {HTMLElement | undefined} */ (others[at] ?? others[0] ?? next);
  target?.focus();
  return true;
}

const NAMED = /** @type {Record<string, string>} */ ({ Delete: "Del" });

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    const at = document.activeElement,
      typing =
        /^(INPUT|SELECT|TEXTAREA)$/.test(at?.tagName ?? "") &&
        at?.getAttribute("type") !== "checkbox";
    if (event.defaultPrevented || $("dialog").open || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase(),
        back = key === "z" && !event.shiftKey,
        forth = key === "y" || (key === "z" && event.shiftKey);
      if (!typing && (back || forth)) {
        event.preventDefault();
        state.actions[back ? "u" : "r"]?.();
      }
      return;
    }
    if (typing) return;
    if (
      (event.key === "ArrowDown" || event.key === "ArrowUp") &&
      at &&
      walk(at, event.key === "ArrowDown" ? 1 : -1)
    ) {
      event.preventDefault();
      return;
    }
    const act = state.actions[NAMED[event.key] ?? event.key];
    // Let the browser close elements that react to this key.
    if (act) {
      if (event.key !== "Escape") event.preventDefault();
      act();
    }
  });
}
