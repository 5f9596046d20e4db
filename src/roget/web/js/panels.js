// What is known of a class, and of a word.
/** @import { ClassView, Sense, Typical, WordView } from "./types" */

import { source } from "./api.js";
import { el, said } from "./dom.js";
import { amount, count, decimal, percent } from "./format.js";
import { renameDialog, targetDialog } from "./edit.js";
import { classLink, wordLink } from "./links.js";
import { classItem, contextRows, dot, figure, heading, links, meter, nearness, wordItem } from "./parts.js";
import { state } from "./state.js";

/** @param {number | null} value */
function splitFact(value) {
  if (value === null) return null;
  const { kind } = state.about;
  if (kind === "beta") return el("span", {}, "splits at β ", el("b", { text: decimal(value, 3) }));
  if (kind === "bits") return el("span", {}, "its split saves ", el("b", { text: count(value) }), " bits");
  return null;
}

/** @param {HTMLElement} list @param {Typical[]} words */
function wordRows(list, words) {
  const soft = state.about.soft && list.dataset.node !== "0";
  list.dataset.nearest ??= String(words[0]?.distance_bits ?? 0);
  const nearest = Number(list.dataset.nearest);
  list.append(...words.map((one) => el("li", { class: soft ? "two" : null }, wordItem(one), meter(nearness(one.distance_bits, nearest)),
    figure(decimal(one.distance_bits), "bits from the middle of the class; the longer the bar, the nearer"), soft ? figure(percent(one.probability), "p(class|word)") : null)));
}

/** @param {ClassView} data */
export function classPanel(data) {
  const tree = state.tree, list = el("ol", { class: "rows", "data-node": data.node });
  const root = data.node === 0;
  wordRows(list, data.typical);
  const all = data.listed ?? data.words;
  const more = el("button", { type: "button", class: "button", text: "Show more words", on: { click: async () => {
    const next = await source.wordClass(data.node, list.children.length, 100);
    const first = list.children.length;
    wordRows(list, next.typical);
    more.hidden = list.children.length >= all || !next.typical.length;
    list.children[first]?.querySelector("a")?.focus();
  } } });
  more.hidden = list.children.length >= all;
  const biggest = Math.max(...data.children.map((one) => one.words), 1);
  return [
    el("p", { class: "eyebrow" }, dot(data.node), root ? "the whole thesaurus" : tree.children[data.node].length ? "class" : "class without subclasses"),
    el("h1", { tabindex: -1 }, said(tree.name(data.node))),
    el("p", { class: "facts" }, el("span", {}, el("b", { text: count(data.words) }), data.words === 1 ? " word" : " words"),
      root ? el("span", {}, "in ", el("b", { text: count(state.about.classes) }), " classes") : el("span", {}, el("b", { text: percent(data.share) }), ` of the ${state.about.whole}`),
      root ? el("span", {}, "by ", el("b", { text: count(state.about.contexts) }), " contexts") : null, splitFact(data.value)),
    state.about.editable && !root ? el("div", { class: "actions" },
      el("button", { type: "button", class: "button", text: "Rename", on: { click: () => renameDialog(data) } }),
      el("button", { type: "button", class: "button", text: "Merge into …", on: { click: () => targetDialog("merge", data) } })) : null,
    root && state.about.locked ? el("p", { class: "place quiet" }, "It cannot be edited here: ", said(state.about.locked)) : null,
    data.children.length ? el("section", {}, heading("Subclasses"), el("ol", { class: "rows" }, data.children.map((one) =>
      el("li", {}, classItem(one), meter(one.words / biggest, one.node), figure(count(one.words), "words"))))) : null,
    el("div", { class: "columns" },
      el("section", {}, heading("Typical words", state.about.soft && !root ? "bits from the middle, membership" : "bits from the middle"), list, el("div", { class: "actions" }, more)),
      el("section", {}, heading("Typical contexts", root ? "share" : "share, against usual"),
        contextRows(data.contexts, (p) => percent(p), "p(context|class)", root))),
    data.context_classes.length ? el("div", { class: "columns" },
      el("section", {}, heading("Classes of contexts", root ? "share" : "share, against usual"),
        contextRows(data.context_classes, (p) => percent(p), "p(class of contexts|class)", root))) : null,
    links({ name: `class-${data.node}`, place: `/api/class/${data.node}`, data,
      sheet: () => [["word", "distance_bits", "probability"], ...data.typical.map((one) => [one.word, one.distance_bits, one.probability])] }),
  ];
}

/** @param {Sense[]} senses */
const senseRows = (senses) => el("ol", { class: "rows" }, senses.map((one) =>
  el("li", {}, classItem(one), meter(one.weight, one.node), figure(percent(one.weight), "how much of the word it is"),
    el("p", { class: "told" }, "as ", one.like.flatMap((like, at) => [at ? ", " : "", el("a", { href: wordLink(like) }, said(like.word))])),
    el("p", { class: "told quiet" }, one.contexts.flatMap((context, at) => [at ? " · " : "", said(context.context)])))));

/** @param {WordView} data */
export function wordPanel(data) {
  const tree = state.tree, likest = data.neighbours[0]?.similarity ?? 0;
  const belongs = data.memberships.filter((one, at) => at === 0 || one.probability >= 0.005), rest = data.among - belongs.length;
  const way = data.path.flatMap((one, at) => [at ? " › " : "", el("a", { href: classLink(one.node) }, said(tree.name(one.node)))]);
  return [
    el("p", { class: "eyebrow" }, dot(data.path[data.path.length - 1].node), "word"),
    el("h1", { tabindex: -1 }, el("bdi", { text: data.word })),
    el("p", { class: "facts" }, el("span", {}, "seen ", el("b", { text: amount(data.observations) }), data.observations === 1 ? " time" : " times"),
      el("span", {}, "in ", el("b", { text: count(data.among) }), data.among === 1 ? " class" : " classes")),
    el("p", { class: "place quiet", "aria-label": "Place in the tree" }, way),
    state.about.editable ? el("div", { class: "actions" },
      el("button", { type: "button", class: "button", text: "Move to …", on: { click: () => targetDialog("move", data) } })) : null,
    data.senses.length ? el("section", {}, heading("Senses", "words like it there, contexts that say so"), senseRows(data.senses)) : null,
    el("section", {}, heading("Classes", rest > 0 ? `and ${count(rest)} more, of less than 0.5 % each` : null), el("ol", { class: "rows" }, belongs.map((one) =>
      el("li", {}, classItem(one), meter(one.probability, one.node), figure(percent(one.probability), "p(class|word)"))))),
    el("div", { class: "columns" },
      el("section", {}, heading("Neighbours", "deviations above the usual"), el("ol", { class: "rows" }, data.neighbours.map((one) =>
        el("li", {}, wordItem(one), meter(likest > 0 ? Math.max(0, one.similarity / likest) : 0), figure(decimal(one.similarity), "how much more alike than common words are, in standard deviations"))))),
      el("section", {}, heading("Contexts", "count, against usual"), contextRows(data.contexts, amount, "count"))),
    links({ name: "word", place: `/api/word/${data.id}`, data, sheet: () => [["kind", "name", "value"],
      ...data.memberships.map((one) => ["class", one.label, one.probability]), ...data.senses.map((one) => ["sense", one.label, one.weight]), ...data.neighbours.map((one) => ["neighbour", one.word, one.similarity]),
      ...data.contexts.map((one) => ["context", one.context, one.amount])] }),
  ];
}
