// Edits and their dialogs. An edit is built when it is sent and refers to classes by id, so it
// cannot affect the wrong class if another person has changed the thesaurus.
/** @import { Child, ClassView, Given, Notes, WordView } from "./types" */

import { source } from "./api.js";
import { $, clear, el, short } from "./dom.js";
import { Failure } from "./failure.js";
import { count, folded, many } from "./format.js";
import { icicle } from "./icicle.js";
import { classLink, go, redraw, wordLink } from "./links.js";
import { state } from "./state.js";
import { Tree } from "./tree.js";

let hush = 0;
/** @param {string} text */
export function announce(text) {
  const place = $("status");
  place.textContent = short(text, 300);
  place.classList.add("on");
  clearTimeout(hush);
  hush = setTimeout(() => place.classList.remove("on"), 5000);
}

// Load the overview and the tree of the same revision, which every edit must state.
export async function load() {
  for (let times = 0; times < 20; times++) {
    source.forget();
    const [about, tree] = await Promise.all([source.get("overview"), source.get("tree")]);
    if (about.revision !== tree.revision) continue;
    state.about = about;
    state.tree = new Tree(tree);
    icicle.forget();
    offerUndo();
    return;
  }
  throw new Failure("The thesaurus changes faster than it can be loaded. Reload the page.");
}

const MEANWHILE =
  "The thesaurus was changed in another window or by another person. It has been reloaded, and your input was kept. Check it and submit it again.";

// Send an edit and report the result. If the thesaurus has changed, it is reloaded first.
/** @param {() => Given} make @param {string | null} done @param {() => string | null} [then] @returns {Promise<string | null>} what went wrong */
async function perform(make, done, then) {
  try {
    await source.edit(make());
  } catch (error) {
    const failed = /** @type {Error} */ (error);
    if (!(failed instanceof Failure) || failed.status !== 409) return failed.message;
    try {
      await load();
    } catch {
      return failed.message;
    }
    redraw();
    return MEANWHILE;
  }
  try {
    await load();
  } catch (error) {
    announce(/** @type {Error} */ (error).message);
    $("main").removeAttribute("aria-busy");
    return null;
  }
  announce(done ?? "Done");
  const link = then?.();
  if (link) go(link);
  else redraw();
  return null;
}

/** @type {Promise<unknown>} */
let lastEdit = Promise.resolve();

// Edits are sent one after the other, each based on the state after the previous edit.
/** @type {typeof perform} */
function send(make, done, then) {
  const sent = lastEdit.then(async () => {
    // The page is busy until it shows the result; a redraw ends that.
    $("main").setAttribute("aria-busy", "true");
    const wrong = await perform(make, done, then);
    if (wrong !== null && wrong !== MEANWHILE) $("main").removeAttribute("aria-busy");
    return wrong;
  });
  lastEdit = sent.catch(() => {});
  return sent;
}

/** @param {Given} asked @param {string | null} [done] @param {() => string | null} [then] */
export async function edit(asked, done = null, then = undefined) {
  const amiss = await send(() => asked, done, then);
  if (amiss) announce(amiss);
}

export const undo = () => {
  if (state.about.editable && state.about.edits)
    edit({ action: "undo" }, `Undone: ${state.about.last}`);
};
export const redo = () => {
  if (state.about.editable && state.about.next)
    edit({ action: "redo" }, `Redone: ${state.about.next}`);
};

export function offerUndo() {
  const { edits, editable, last, next, open } = state.about;
  /** @type {[string, string | null, string][]} */
  const both = [
    ["undo", edits ? last : null, "Undo"],
    ["redo", next, "Redo"],
  ];
  for (const [id, what, verb] of both) {
    const button = $(id);
    button.hidden = !editable || (!edits && !next);
    button.disabled = !what;
    button.title = what ? `${verb}: ${what}` : `Nothing to ${id}`;
    button.setAttribute("aria-label", what ? `${verb}: ${short(what, 200)}` : button.title);
  }
  /** @type {HTMLElement | null} */ const waiting = document.querySelector(
    '[data-view="changes"] .badge',
  );
  if (waiting) {
    waiting.textContent = open ? count(open) : "";
    waiting.hidden = !open;
  }
}

/** @param {string} title @param {string} verb @param {Child[]} fields @param {() => Promise<string | null> | false} act */
function ask(title, verb, fields, act) {
  const box = $("dialog"),
    amiss = el("p", { class: "amiss", role: "alert", hidden: true });
  const submit = /** @type {HTMLButtonElement} */ (
    el("button", { type: "submit", class: "button main", text: verb })
  );
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", { id: "dialog-title", text: short(title, 160) }),
    fields,
    amiss,
    el(
      "div",
      { class: "actions" },
      el("button", {
        type: "button",
        class: "button",
        text: "Cancel",
        on: { click: () => box.close() },
      }),
      submit,
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sent = act();
    if (sent === false) return;
    // Close at once; saving and reloading may take a moment. An error opens the dialog again.
    submit.disabled = true;
    $("main").setAttribute("aria-busy", "true");
    box.close();
    const wrong = await sent;
    submit.disabled = false;
    if (wrong === null) return;
    amiss.textContent = wrong;
    amiss.hidden = false;
    if (box.firstElementChild === form && !box.open) box.showModal();
  });
  clear(box).append(form);
  box.classList.remove("broad");
  box.showModal();
  /** @type {HTMLElement | null} */
  const field = form.querySelector("input:not([type=radio]), textarea, select");
  (field ?? submit).focus();
}

/** @type {(id: string, text: string, field: HTMLElement) => HTMLElement[]} */
const labelled = (id, text, field) => [el("label", { for: id, text }), field];
/** @type {(word: string) => string} */
const inQuotes = (word) => `“${short(word, 60)}”`;
/** @type {(words: string[]) => string} */
const listed = (words) => (words.length === 1 ? inQuotes(words[0]) : many(words.length, "word"));

/** @param {ClassView} data */
export function renameDialog(data) {
  const id = state.tree.id(data.node);
  const field = /** @type {HTMLInputElement} */ (
    el("input", {
      class: "field",
      id: "new-label",
      maxlength: 200,
      required: true,
      autocomplete: "off",
      value: short(data.label, 200),
    })
  );
  ask("Rename this class", "Rename", labelled("new-label", "New name", field), () => {
    const label = field.value.trim();
    return label
      ? send(() => ({ action: "rename", node: state.tree.node(id), label }), null)
      : false;
  });
  field.select();
}

// A list of classes: typing filters it, the arrow keys select a class.
/** @param {(node: number) => boolean} fits */
function picker(fits) {
  const filter = /** @type {HTMLInputElement} */ (
    el("input", { class: "field", id: "filter", type: "search", autocomplete: "off" })
  );
  const list = /** @type {HTMLSelectElement} */ (
    el("select", { id: "target", size: 9, "aria-label": "Class", required: true })
  );
  const fillIn = () => {
    const tree = state.tree,
      wanted = folded(filter.value.trim()),
      before = list.value,
      taken = new Map();
    for (const label of tree.label) taken.set(label, (taken.get(label) || 0) + 1);
    /** @param {number} node */
    const called = (node) =>
      `${short(tree.name(node), 80)} (${count(tree.words[node])}${taken.get(tree.label[node]) > 1 && node ? `, in ${short(tree.name(tree.parent[node]), 60)}` : ""})`;
    const nodes = [...Array(tree.n).keys()].filter(
      (node) => fits(node) && folded(tree.name(node)).includes(wanted),
    );
    clear(list).append(
      ...nodes
        .slice(0, 300)
        .map((node) => el("option", { value: tree.id(node), text: called(node) })),
    );
    list.value = before;
    if (list.selectedIndex < 0) list.selectedIndex = 0;
  };
  filter.addEventListener("input", fillIn);
  filter.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + step));
  });
  list.addEventListener("dblclick", () => list.form?.requestSubmit());
  fillIn();
  return {
    fields: [...labelled("filter", "Find a class", filter), list],
    id: () => (list.selectedIndex < 0 ? null : Number(list.value)),
  };
}

/** @param {"merge" | "nest"} action @param {ClassView} data */
export function joinDialog(action, data) {
  const id = state.tree.id(data.node),
    merging = action === "merge";
  const pick = picker((node) => {
    const tree = state.tree,
      own = tree.node(id),
      below = tree.path(node).includes(own);
    return merging
      ? node !== 0 && !below && !tree.path(own).includes(node)
      : !below && tree.parent[own] !== node;
  });
  const title = merging
    ? `Merge ${inQuotes(data.label)} into`
    : `Put ${inQuotes(data.label)} under`;
  ask(title, merging ? "Merge" : "Move", pick.fields, () => {
    const into = pick.id();
    if (into === null) return false;
    return send(
      () => ({ action, node: state.tree.node(id), into: state.tree.node(into) }),
      null,
      () => classLink(Math.max(state.tree.node(merging ? into : id), 0)),
    );
  });
}

/** @param {string[]} words @param {() => string | null} [then] */
export function moveDialog(words, then) {
  const pick = picker((node) => node !== 0);
  ask(`Move ${listed(words)} to`, "Move", pick.fields, () => {
    const to = pick.id();
    return to === null
      ? false
      : send(
          () => ({ action: "move", words, node: state.tree.node(to) }),
          null,
          () => {
            state.chosen.clear();
            return then?.() ?? null;
          },
        );
  });
}

/** @param {string[]} words */
export function deleteDialog(words) {
  const shown = words
    .slice(0, 8)
    .map((word) => inQuotes(word))
    .join(", ");
  ask(
    `Delete ${listed(words)}?`,
    "Delete",
    [
      el("p", {
        class: "quiet",
        text: `${shown}${words.length > 8 ? " …" : ""}: undo restores ${words.length === 1 ? "it" : "them"}.`,
      }),
    ],
    () =>
      send(
        () => ({ action: "delete", words }),
        null,
        () => {
          state.chosen.clear();
          return state.route?.view === "word" ? "#/" : null;
        },
      ),
  );
}

/** @param {ClassView} data */
export function addDialog(data) {
  const id = state.tree.id(data.node);
  const field = /** @type {HTMLTextAreaElement} */ (
    el("textarea", {
      class: "field",
      id: "new-words",
      rows: 4,
      required: true,
      autocomplete: "off",
      spellcheck: "false",
    })
  );
  ask(
    `Add words to ${inQuotes(state.tree.name(data.node))}`,
    "Add",
    labelled("new-words", "Words, one per line", field),
    () => {
      const words = [
        ...new Set(
          field.value
            .split("\n")
            .map((word) => word.trim())
            .filter(Boolean),
        ),
      ];
      return words.length
        ? send(() => ({ action: "add", words, node: state.tree.node(id) }), null)
        : false;
    },
  );
}

/** @param {ClassView} data @param {string[]} words */
export function splitDialog(data, words) {
  const id = state.tree.id(data.node);
  const effect = words.length
    ? `${listed(words)} will form a new class, and the other words will form another one.`
    : "Splits the class automatically. To choose the words yourself, tick them first (x).";
  ask(`Split ${inQuotes(data.label)}`, "Split", [el("p", { class: "quiet", text: effect })], () =>
    send(
      () => ({ action: "split", node: state.tree.node(id), words }),
      null,
      () => {
        state.chosen.clear();
        return null;
      },
    ),
  );
}

/** @param {Given} about @param {string} named @param {Notes} notes @param {() => Given} at */
function notesDialog(about, named, notes, at) {
  const definition = /** @type {HTMLTextAreaElement} */ (
    el(
      "textarea",
      { class: "field", id: "definition", rows: 3, maxlength: 10000 },
      notes.definition,
    )
  );
  const note = /** @type {HTMLTextAreaElement} */ (
    el("textarea", { class: "field", id: "note", rows: 4, maxlength: 10000 }, notes.note)
  );
  ask(
    `About ${inQuotes(named)}`,
    "Save",
    [
      ...labelled("definition", "Definition", definition),
      ...labelled("note", "Note (for editors)", note),
    ],
    () => {
      const edits = [
        ["definition", definition.value.trim(), notes.definition],
        ["note", note.value.trim(), notes.note],
      ]
        .filter(([, now, before]) => now !== before)
        .map(([field, text]) => ({ ...about, action: "note", field, text }));
      if (!edits.length) {
        redraw();
        return Promise.resolve(null);
      }
      return send(() => {
        const where = at(),
          sent = edits.map((one) => ({ ...one, ...where }));
        return sent.length === 1 ? sent[0] : { action: "bulk", edits: sent };
      }, null);
    },
  );
}

/** @param {ClassView} data */
export function classNotes(data) {
  const id = state.tree.id(data.node);
  notesDialog({}, state.tree.name(data.node), data.notes, () => ({ node: state.tree.node(id) }));
}

/** @type {(data: WordView) => void} */
export const wordNotes = (data) =>
  notesDialog({ word: data.word }, data.word, data.notes, () => ({}));

/** @type {(data: WordView) => void} */
export const moveWord = (data) => moveDialog([data.word], () => wordLink(data));
