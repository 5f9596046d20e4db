// Edits, and the dialogs that ask for them.
/** @import { ClassView, Child, Given, WordView } from "./types" */

import { source } from "./api.js";
import { $, clear, el, short } from "./dom.js";
import { count, folded, many } from "./format.js";
import { icicle } from "./icicle.js";
import { again, classLink, go, wordLink } from "./links.js";
import { state } from "./state.js";
import { Tree } from "./tree.js";

let hush = 0;
/** @param {string} text */
export function say(text) {
  const place = $("status");
  place.textContent = short(text, 300);
  place.classList.add("on");
  clearTimeout(hush);
  hush = setTimeout(() => place.classList.remove("on"), 3500);
}

/** @param {Given} asked @param {string} done @param {() => string | Promise<string>} [then] */
export async function edit(asked, done, then) {
  try {
    state.about = await source.edit(asked);
  } catch (error) { say(/** @type {Error} */ (error).message); return; }
  state.tree = new Tree(await source.tree());
  icicle.forget();
  offerUndo();
  say(done);
  const link = then ? await then() : null;
  if (link) go(link); else again();
}

export function offerUndo() {
  const button = $("undo"), { edits, editable, last } = state.about;
  button.hidden = !editable || !edits;
  button.title = last || "";
  button.setAttribute("aria-label", `Undo the last of ${many(edits, "edit")}: ${short(last || "", 200)}`);
}

/** @param {string} title @param {string} verb @param {Child[]} fields @param {() => boolean} act */
function ask(title, verb, fields, act) {
  const box = $("dialog");
  const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title", text: short(title, 160) }), fields, el("div", { class: "actions" },
    el("button", { type: "button", class: "button", text: "Cancel", on: { click: () => box.close() } }), el("button", { type: "submit", class: "button main", text: verb })));
  form.addEventListener("submit", (event) => { event.preventDefault(); if (act() !== false) box.close(); });
  clear(box).append(form);
  box.showModal();
  /** @type {HTMLElement | null} */ (form.querySelector("input, select"))?.focus();
}

/** @param {ClassView} data */
export function renameDialog(data) {
  const field = /** @type {HTMLInputElement} */ (el("input", { class: "field", id: "new-label", maxlength: 200, required: true, autocomplete: "off", value: short(data.label, 200) }));
  ask("Rename this class", "Rename", [el("label", { for: "new-label", text: "New name" }), field], () => {
    const label = field.value.trim();
    if (!label) return false;
    edit({ action: "rename", node: data.node, label }, "Renamed");
    return true;
  });
  field.select();
}

/** @overload @param {"merge"} action @param {ClassView} data @returns {void} */
/** @overload @param {"move"} action @param {WordView} data @returns {void} */
/** @param {string} action @param {any} data */
export function targetDialog(action, data) {
  const tree = state.tree, moving = action === "move";
  /** @param {number} node */
  const related = (node) => tree.path(node).includes(data.node) || tree.path(data.node).includes(node);
  const nodes = [...Array(tree.n).keys()].filter((node) => node !== 0 && (moving || !related(node)));
  const filter = /** @type {HTMLInputElement} */ (el("input", { class: "field", id: "filter", type: "search", autocomplete: "off" }));
  const taken = new Map();
  for (const label of tree.label) taken.set(label, (taken.get(label) || 0) + 1);
  /** @param {number} node */
  const called = (node) => `${short(tree.label[node], 80)} (${count(tree.words[node])}${taken.get(tree.label[node]) > 1 ? `, in ${short(tree.name(tree.parent[node]), 60)}` : ""})`;
  const list = /** @type {HTMLSelectElement} */ (el("select", { id: "target", size: 9, "aria-label": "Class", required: true }));
  const fillIn = () => {
    const wanted = folded(filter.value.trim());
    clear(list).append(...nodes.filter((node) => folded(tree.label[node]).includes(wanted)).slice(0, 300).map((node) => el("option", { value: node, text: called(node) })));
    list.selectedIndex = 0;
  };
  filter.addEventListener("input", fillIn);
  fillIn();
  const title = moving ? `Move “${short(data.word, 60)}” to` : `Merge “${short(data.label, 60)}” into`;
  ask(title, moving ? "Move" : "Merge", [el("label", { for: "filter", text: "Find a class" }), filter, list], () => {
    if (list.selectedIndex < 0) return false;
    const target = Number(list.value);
    if (moving) edit({ action, word: data.word, node: target }, "Moved", () => wordLink(data));
    else edit({ action, node: data.node, into: target }, "Merged", async () => {
      // Classes are numbered anew, so the merged one is found by a word of it.
      const word = await source.word(data.typical[0].id);
      return classLink(word.path[word.path.length - 1].node);
    });
    return true;
  });
}
