// The panels of a class and of a word.
/** @import { Child, ClassView, Notes, Sense, Typical, WordView } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi, short } from "./dom.js";
import { amount, count, decimal, many, percent, ratio } from "./format.js";
import {
  addDialog,
  classNotes,
  deleteDialog,
  joinDialog,
  moveDialog,
  moveWord,
  renameDialog,
  splitDialog,
  wordNotes,
} from "./edit.js";
import { contextLink, linesPart, openAlike, openWhy } from "./kwic.js";
import { classLink, go, TABS, wordLink } from "./links.js";
import {
  classItem,
  contextRows,
  dot,
  figure,
  heading,
  links,
  meter,
  nearness,
  trustFigure,
  trustText,
  wordItem,
} from "./parts.js";
import { sketchPart } from "./sketch.js";
import { state } from "./state.js";
import { phrase, term } from "./terms.js";

/** Number of words of a class that are listed first. */
export const WORDS = 24;

/** @param {number | null} value */
function splitFact(value) {
  if (value === null) return null;
  const { kind } = state.about;
  if (kind === "beta")
    return el(
      "span",
      {},
      "splits at ",
      term("beta", "β"),
      " ",
      el("b", { text: decimal(value, 3) }),
    );
  if (kind === "bits")
    return el(
      "span",
      {},
      "its split saves ",
      el("b", { text: count(value) }),
      " ",
      term("bits", "bits"),
    );
  return null;
}

/** @param {number} node */
function trustFact(node) {
  const text = trustText(node);
  return text === null ? null : el("span", {}, el("b", { text }), " ", term("trust", "trust"));
}

// Why a class has a low trust.
/** @param {number} node */
function doubted(node) {
  const reason = state.tree.doubt(node);
  if (!reason) return null;
  const isUnsorted = state.tree.unsorted.has(node);
  return el(
    "p",
    { class: "doubt" },
    ...(isUnsorted ? [term("unsorted", "Unsorted"), ": "] : ["Low trust: "]),
    reason,
  );
}

// The unsorted classes with the reasons, on the page of all words.
function unsortedPart() {
  const tree = state.tree,
    nodes = [...tree.unsorted].sort((a, b) => tree.byTrust(a, b));
  if (!nodes.length) return null;
  return el(
    "section",
    {},
    heading("Unsorted classes", term("unsorted", "trust below 50 %")),
    el(
      "ol",
      { class: "rows" },
      nodes.map((node) =>
        el(
          "li",
          { class: "pair" },
          el(
            "span",
            { class: "item" },
            dot(node),
            el("a", { href: classLink(node) }, bdi(tree.name(node))),
          ),
          trustFigure(node),
          el("p", { class: "detail quiet", text: tree.doubt(node) }),
        ),
      ),
    ),
  );
}

/** @type {(text: string, key: string, act: () => unknown) => HTMLElement} */
const action = (text, key, act) => {
  state.actions[key] = act;
  return el("button", {
    type: "button",
    class: "button",
    text,
    title: `${text} (${key})`,
    "aria-keyshortcuts": key,
    on: { click: act },
  });
};

/** @param {Notes} notes */
const noted = (notes) => [
  notes.definition ? el("p", { class: "definition" }, el("bdi", { text: notes.definition })) : null,
  notes.note ? el("p", { class: "note quiet" }, el("bdi", { text: notes.note })) : null,
];

// The bar of actions on the selected words.
/** @param {HTMLElement} bar @param {ClassView} data */
function showChosen(bar, data) {
  const words = [...state.chosen];
  bar.hidden = !words.length;
  if (!words.length) {
    clear(bar);
    return;
  }
  const leaf = !data.children.length;
  clear(bar).append(
    el("b", { text: `${many(words.length, "word")} selected` }),
    el("button", {
      type: "button",
      class: "button main",
      text: "Move to …",
      on: { click: () => moveDialog([...state.chosen]) },
    }),
    ...(leaf
      ? [
          el("button", {
            type: "button",
            class: "button",
            text: "Split off",
            on: { click: () => splitDialog(data, [...state.chosen]) },
          }),
        ]
      : []),
    el("button", {
      type: "button",
      class: "button",
      text: "Delete",
      on: { click: () => deleteDialog([...state.chosen]) },
    }),
    el("button", {
      type: "button",
      class: "button",
      text: "Deselect all",
      on: {
        click: () => {
          state.chosen.clear();
          for (const one of /** @type {NodeListOf<HTMLInputElement>} */ (
            document.querySelectorAll(".choice")
          ))
            one.checked = false;
          showChosen(bar, data);
        },
      },
    }),
  );
}

/** @param {HTMLElement} list @param {Typical[]} words @param {() => void} changed */
function wordRows(list, words, changed) {
  const soft = state.about.soft && list.dataset.node !== "0",
    { editable } = state.about;
  list.dataset.nearest ??= String(words[0]?.distance_bits ?? 0);
  const nearest = Number(list.dataset.nearest);
  list.append(
    ...words.map((one) => {
      const box = editable
        ? el("input", {
            type: "checkbox",
            class: "choice",
            "data-word": one.word,
            "aria-label": `Select ${short(one.word, 60)}`,
            checked: state.chosen.has(one.word),
          })
        : null;
      box?.addEventListener("click", (event) =>
        choose(
          list,
          /** @type {HTMLInputElement} */ (box),
          /** @type {MouseEvent} */ (event).shiftKey,
          changed,
        ),
      );
      const item = wordItem(one);
      if (box) item.prepend(box);
      return el(
        "li",
        { class: soft ? "two" : null },
        item,
        meter(nearness(one.distance_bits, nearest)),
        figure(
          decimal(one.distance_bits),
          "distance from class centre (bits); a longer bar means a nearer word",
        ),
        soft ? figure(percent(one.probability), "membership: p(class|word)") : null,
      );
    }),
  );
}

// With the shift key, select all words from the last selected one.
/** @type {HTMLInputElement | null} */
let lastChosen = null;
/** @param {HTMLElement} list @param {HTMLInputElement} box @param {boolean} range @param {() => void} changed */
function choose(list, box, range, changed) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...list.querySelectorAll(".choice")]),
    ends = [boxes.indexOf(box), lastChosen ? boxes.indexOf(lastChosen) : -1];
  const some =
    range && Math.min(...ends) >= 0 ? boxes.slice(Math.min(...ends), Math.max(...ends) + 1) : [box];
  for (const one of some) {
    one.checked = box.checked;
    if (box.checked) state.chosen.add(one.dataset.word ?? "");
    else state.chosen.delete(one.dataset.word ?? "");
  }
  lastChosen = box;
  changed();
}

/** @param {ClassView} data @returns {Child[]} */
function classActions(data) {
  if (!state.about.editable) return [];
  const root = data.node === 0,
    leaf = !data.children.length;
  const buttons = [
    ...(root ? [] : [action("Rename", "e", () => renameDialog(data))]),
    action("Define", "d", () => classNotes(data)),
    action("Add words", "a", () => addDialog(data)),
    ...(root
      ? []
      : [
          action("Merge into …", "m", () => joinDialog("merge", data)),
          action("Put under …", "n", () => joinDialog("nest", data)),
        ]),
    ...(leaf ? [action("Split", "s", () => splitDialog(data, []))] : []),
  ];
  const { m, s } = state.actions;
  state.actions.m = () => (state.chosen.size ? moveDialog([...state.chosen]) : m?.());
  state.actions.s = () => {
    if (leaf) {
      if (state.chosen.size) splitDialog(data, [...state.chosen]);
      else s();
    }
  };
  state.actions.Del = () => {
    if (state.chosen.size) deleteDialog([...state.chosen]);
  };
  state.actions.x = () =>
    /** @type {HTMLElement | null | undefined} */ (
      document.activeElement?.closest("li")?.querySelector(".choice")
    )?.click();
  return [el("div", { class: "actions" }, buttons)];
}

/** @param {ClassView} data */
export function classPanel(data) {
  const tree = state.tree,
    list = el("ol", { class: "rows words", "data-node": data.node }),
    bar = el("div", { class: "chosen", role: "status", hidden: true });
  const root = data.node === 0,
    changed = () => showChosen(bar, data);
  wordRows(list, data.typical, changed);
  const all = data.listed ?? data.words;
  const more = el("button", {
    type: "button",
    class: "button",
    text: "Show more words",
    on: {
      click: async () => {
        const next = await source.get("class", {
          node: data.node,
          offset: list.children.length,
          n: 100,
        });
        const first = list.children.length;
        wordRows(list, next.typical, changed);
        more.hidden = list.children.length >= all || !next.typical.length;
        list.children[first]?.querySelector("a")?.focus();
      },
    },
  });
  more.hidden = list.children.length >= all;
  const biggest = Math.max(...data.children.map((one) => one.words), 1),
    membered = state.about.soft && !root,
    hasTrust = data.children.some((one) => trustText(one.node) !== null);
  return [
    el(
      "p",
      { class: "eyebrow" },
      dot(data.node),
      root
        ? "the whole thesaurus"
        : tree.children[data.node].length
          ? term("class", "class")
          : "class without subclasses",
    ),
    el("h1", { tabindex: -1 }, bdi(tree.name(data.node))),
    el(
      "p",
      { class: "facts" },
      el("span", {}, el("b", { text: count(data.words) }), data.words === 1 ? " word" : " words"),
      root
        ? el(
            "span",
            {},
            "in ",
            el("b", { text: count(state.about.classes) }),
            " ",
            term("class", "classes"),
          )
        : el("span", {}, el("b", { text: percent(data.share) }), ` of the ${state.about.whole}`),
      root
        ? el(
            "span",
            {},
            "by ",
            el("b", { text: count(state.about.contexts) }),
            " ",
            term("context", "contexts"),
          )
        : null,
      trustFact(data.node),
      splitFact(data.value),
    ),
    doubted(data.node),
    noted(data.notes),
    classActions(data),
    root && state.about.locked
      ? el("p", { class: "place quiet" }, "Read-only: ", bdi(state.about.locked))
      : null,
    bar,
    data.children.length
      ? el(
          "section",
          {},
          heading("Subclasses", hasTrust ? ["words, ", term("trust", "trust")] : null),
          el(
            "ol",
            { class: "rows" },
            [...data.children]
              .sort((one, other) => tree.byTrust(one.node, other.node))
              .map((one) =>
                el(
                  "li",
                  { class: hasTrust ? "two" : null },
                  classItem(one),
                  meter(one.words / biggest, one.node),
                  figure(count(one.words), "words"),
                  trustFigure(one.node),
                ),
              ),
          ),
        )
      : null,
    root ? unsortedPart() : null,
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        {},
        heading(
          "Typical words",
          term("distance", "distance from class centre (bits)"),
          membered ? [", ", term("member", "membership")] : null,
        ),
        list,
        el("div", { class: "actions" }, more),
      ),
      el(
        "section",
        {},
        heading(
          "Typical contexts",
          term("share", "share"),
          root ? null : [", ", term("usual", "× expected")],
        ),
        contextRows(
          data.contexts,
          (p) => percent(p),
          "share of the contexts of the class: p(context|class)",
          (one) => contextLink(one, { node: data.node }),
          root,
        ),
      ),
    ),
    data.context_classes.length
      ? el(
          "div",
          { class: "columns" },
          el(
            "section",
            {},
            heading("Classes of contexts", root ? "share" : "share, × expected"),
            contextRows(
              data.context_classes,
              (p) => percent(p),
              "p(class of contexts|class)",
              phrase,
              root,
            ),
          ),
        )
      : null,
    links({
      view: "class",
      params: { node: data.node },
      name: `class-${tree.id(data.node)}`,
      data,
      sheet: () => [
        ["word", "distance_bits", "probability"],
        ...data.typical.map((one) => [one.word, one.distance_bits, one.probability]),
      ],
    }),
  ];
}

/** @param {WordView} data */
const senseRows = (data) =>
  el(
    "ol",
    { class: "rows" },
    data.senses.map((/** @type {Sense} */ one) =>
      el(
        "li",
        {},
        classItem(one),
        meter(one.weight, one.node),
        figure(percent(one.weight), "share of the word’s occurrences"),
        el(
          "p",
          { class: "detail" },
          "as ",
          one.like.flatMap((like, at) => [
            at ? ", " : "",
            el("a", { href: wordLink(like) }, bdi(like.word)),
          ]),
        ),
        el(
          "p",
          { class: "detail quiet" },
          one.contexts.flatMap((context, at) => [
            at ? " · " : "",
            contextLink(context, { word: data.word, id: data.id }),
          ]),
        ),
      ),
    ),
  );

const NAMES = ["About", "Sketch", "Sentences"];
/** @param {WordView} data @param {string} open */
function wordHead(data, open) {
  const tree = state.tree,
    way = data.path.flatMap((one, at) => [
      at ? " › " : "",
      el("a", { href: classLink(one.node) }, bdi(tree.name(one.node))),
    ]);
  TABS.forEach((tab, at) => {
    state.actions[String(at + 1)] = () =>
      go(tab === "about" ? wordLink(data) : wordLink(data, tab));
  });
  state.actions.b ??= () => go(wordLink(data, "sketch"));
  return [
    el(
      "p",
      { class: "eyebrow" },
      dot(data.path[data.path.length - 1].node),
      state.about.part ?? "word",
    ),
    el("h1", { tabindex: -1 }, el("bdi", { text: data.word })),
    el(
      "p",
      { class: "facts" },
      el(
        "span",
        {},
        el("b", { text: amount(data.observations) }),
        " ",
        term("seen", data.observations === 1 ? "occurrence" : "occurrences"),
      ),
      data.files === null
        ? null
        : el(
            "span",
            {},
            "in ",
            el("b", { text: count(data.files) }),
            " ",
            term("files", data.files === 1 ? "file" : "files"),
          ),
      state.about.background === null
        ? null
        : data.keyness === null
          ? el("span", {}, "not in the ", term("keyness", "background"))
          : el(
              "span",
              {},
              el("b", { text: ratio(data.keyness) }),
              " ",
              term("keyness", "compared with general language"),
            ),
      data.senses.length
        ? el("span", {}, el("b", { text: count(data.senses.length) }), " ", term("sense", "senses"))
        : null,
      state.about.soft
        ? el(
            "span",
            {},
            "in ",
            el("b", { text: count(data.among) }),
            data.among === 1 ? " class" : " classes",
          )
        : null,
    ),
    noted(data.notes),
    el("p", { class: "place quiet", "aria-label": "Place in the tree" }, way),
    state.about.editable
      ? el(
          "div",
          { class: "actions" },
          action("Move to …", "m", () => moveWord(data)),
          action("Define", "d", () => wordNotes(data)),
          action("Delete", "Del", () => deleteDialog([data.word])),
        )
      : null,
    el(
      "nav",
      { class: "tabs", "aria-label": "Views of this word" },
      TABS.map((tab, at) =>
        el("a", {
          href: tab === "about" ? wordLink(data) : wordLink(data, tab),
          "aria-current": tab === open ? "page" : null,
          text: NAMES[at],
        }),
      ),
    ),
  ];
}

/** @param {WordView} data @param {number} node @param {string} text */
const whyButton = (data, node, text) =>
  el(
    "span",
    { class: "number" },
    el("button", {
      type: "button",
      class: "opens",
      text,
      "aria-label": `${text}: contexts that place ${short(data.word, 60)} there`,
      on: { click: () => openWhy(data, node) },
    }),
  );

/** @param {WordView} data */
function aboutPart(data) {
  const { soft } = state.about,
    likest = data.neighbours[0]?.similarity ?? 0;
  const belongs = data.memberships.filter((one, at) => at === 0 || one.probability >= 0.005),
    rest = data.among - belongs.length;
  return [
    soft
      ? el(
          "section",
          {},
          heading(
            "Classes",
            term("member", "membership"),
            rest > 0 ? `, and ${count(rest)} more with less than 0.5 % each` : null,
          ),
          el(
            "ol",
            { class: "rows" },
            belongs.map((one) =>
              el(
                "li",
                {},
                classItem(one),
                meter(one.probability, one.node),
                whyButton(data, one.node, percent(one.probability)),
              ),
            ),
          ),
        )
      : el(
          "section",
          {},
          heading("Place", term("place", "the class where it is listed")),
          el(
            "ol",
            { class: "rows" },
            belongs.map((one) =>
              el("li", { class: "pair" }, classItem(one), whyButton(data, one.node, "why there?")),
            ),
          ),
        ),
    data.senses.length
      ? el(
          "section",
          {},
          heading("Senses", term("sense", "share of its uses")),
          el("p", {
            class: "quiet",
            text: soft
              ? "Uses of the word, derived from its contexts; it is listed in the classes above."
              : "Listed in one class, but also used like words of other classes:",
          }),
          senseRows(data),
        )
      : null,
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        {},
        heading("Neighbours", term("similarity", "similarity")),
        el(
          "ol",
          { class: "rows" },
          data.neighbours.map((one) =>
            el(
              "li",
              {},
              wordItem(one),
              meter(likest > 0 ? Math.max(0, one.similarity / likest) : 0),
              el(
                "span",
                { class: "number" },
                el("button", {
                  type: "button",
                  class: "opens",
                  text: decimal(one.similarity),
                  "aria-label": `${decimal(one.similarity)}: what ${short(data.word, 60)} and ${short(one.word, 60)} have in common`,
                  on: { click: () => openAlike(data, one) },
                }),
              ),
            ),
          ),
        ),
      ),
      el(
        "section",
        {},
        heading("Contexts", term("seen", "count"), ", ", term("usual", "× expected")),
        contextRows(data.contexts, amount, "occurrences", (one) =>
          contextLink(one, { word: data.word, id: data.id }),
        ),
      ),
    ),
    links({
      view: "word",
      params: { row: data.id },
      data,
      sheet: () => [
        ["kind", "name", "value"],
        ...data.memberships.map((one) => ["class", one.label, one.probability]),
        ...data.senses.map((one) => ["sense", one.label, one.weight]),
        ...data.neighbours.map((one) => ["neighbour", one.word, one.similarity]),
        ...data.contexts.map((one) => ["context", one.context, one.amount]),
      ],
    }),
  ];
}

/** @param {WordView} data @param {string} tab @param {string} [first] @param {string} [second] */
export async function wordPanel(data, tab, first, second) {
  if (tab === "about") return [...wordHead(data, tab), ...aboutPart(data)];
  const part =
    tab === "sketch" ? await sketchPart(data, first, go) : await linesPart(data, first, second, go);
  return [...wordHead(data, tab), part];
}

/** Empty the panel and put parts into it. @param {Child[]} parts */
export const fillPanel = (parts) =>
  clear($("panel")).append(.../** @type {Node[]} */ (parts.flat(3).filter(Boolean)));
