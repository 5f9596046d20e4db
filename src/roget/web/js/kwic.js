// Concordances: sentences with the word in the middle, in a drawer or as a page.
/** @import { SharedView, Context, LineView, LinesView, WhyView, Word } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi, short } from "./dom.js";
import { amount, count, decimal, many, shellName } from "./format.js";
import { wordLink } from "./links.js";
import { absent, links } from "./parts.js";
import { state } from "./state.js";
import { phrase, term } from "./terms.js";

/** @typedef {{ word?: string, id?: number, node?: number, context?: string | null }} LineQuery */
/** @type {[string, string][]} */
const SORTS = [
  ["corpus", "text order"],
  ["left", "left context"],
  ["right", "right context"],
];

/** Maximum number of sentences in a response of the server. */
const MOST = 1000;

/** @param {LineView} line */
function lineRow(line) {
  const at = line.pieces.findIndex(([, kind]) => kind === "word");
  /** @type {(pieces: [string, string][]) => HTMLElement[]} */
  const marked = (pieces) =>
    pieces.map(([text, kind]) => el(kind ? "mark" : "span", { class: kind || null, text }));
  const place = line.line ? `${line.source}:${line.line}` : line.source;
  const sentence = el(
    "p",
    { class: "sentence", hidden: true },
    el("bdi", {}, marked(line.pieces)),
    " ",
    el("cite", { text: place }),
  );
  const button = el(
    "button",
    {
      type: "button",
      class: "line",
      "aria-expanded": "false",
      "aria-label": `${line.pieces.map(([text]) => text).join("")} (${place})`,
      on: {
        click: () => {
          sentence.hidden = !sentence.hidden;
          button.setAttribute("aria-expanded", String(!sentence.hidden));
        },
      },
    },
    el("span", { class: "left" }, el("bdi", {}, marked(line.pieces.slice(0, at)))),
    el("span", { class: "right" }, el("bdi", {}, marked(line.pieces.slice(at)))),
    el("cite", { text: short(place, 48), title: place }),
  );
  return el("li", {}, button, sentence);
}

/** @param {LinesView} data */
export function concordance(data) {
  if (!data.kept)
    return state.about.live
      ? absent(
          "No sentences were kept when the text was counted. To keep them, build again: ",
          `roget build TEXT --evidence 5 -o ${shellName(state.about.name)}`,
        )
      : absent(
          "This file has no sentences. To include them: ",
          `roget explore ${shellName(state.about.name)} --static page.html --evidence 3`,
        );
  if (!data.lines.length)
    return absent(
      "No sentences were kept here, because their number per word and context is limited.",
    );
  return el("ol", { class: "kwic" }, data.lines.map(lineRow));
}

/** @param {string} sort @param {(sort: string) => void} act */
const sorter = (sort, act) =>
  el(
    "span",
    { class: "sorts", role: "group", "aria-label": "Sort sentences" },
    SORTS.map(([name, text]) =>
      el("button", {
        type: "button",
        "aria-pressed": String(name === sort),
        text,
        on: { click: () => act(name) },
      }),
    ),
  );

/** @type {HTMLElement | null} */
let opener = null;
export function closeDrawer() {
  const drawer = $("drawer");
  if (drawer.hidden) return;
  drawer.hidden = true;
  document.body.classList.remove("drawn");
  if (opener?.isConnected) opener.focus({ preventScroll: true });
}

/** @param {HTMLElement[]} title @param {HTMLElement | null} tools @param {HTMLElement[]} body @param {string | null} link */
function openDrawer(title, tools, body, link) {
  const drawer = $("drawer");
  if (drawer.hidden) opener = /** @type {HTMLElement | null} */ (document.activeElement);
  clear(drawer).append(
    el(
      "div",
      { class: "head" },
      el("h2", { id: "drawer-title", tabindex: -1 }, title),
      tools,
      link ? el("a", { href: link, text: "Open as page" }) : null,
      el("button", {
        type: "button",
        class: "close",
        "aria-label": "Close the sentences",
        text: "×",
        on: { click: closeDrawer },
      }),
    ),
    el("div", { class: "body" }, body),
  );
  drawer.hidden = false;
  document.body.classList.add("drawn");
  $("drawer-title").focus({ preventScroll: true });
}

/** @param {LineQuery} asked @param {string} [sort] */
export async function openLines(asked, sort = "corpus") {
  /** @type {LinesView} */ let data;
  try {
    data = await source.get("lines", {
      word: asked.word,
      node: asked.node,
      context: asked.context,
      sort,
    });
  } catch (error) {
    openDrawer([bdi(/** @type {Error} */ (error).message)], null, [], null);
    return;
  }
  const of = asked.node === undefined ? (asked.word ?? "") : state.tree.name(asked.node);
  const title = [
    bdi(of, { class: "about" }),
    ...(data.context
      ? [phrase({ context: data.context, phrase: data.phrase ?? data.context, amount: 0, lift: 0 })]
      : []),
  ];
  const link =
    asked.word === undefined
      ? null
      : wordLink({ word: asked.word, id: asked.id ?? -1 }, "lines", asked.context ?? "-", sort);
  openDrawer(
    title,
    data.lines.length > 1 ? sorter(sort, (name) => openLines(asked, name)) : null,
    [concordance(data)],
    data.lines.length ? link : null,
  );
}

// Explain why two words are similar: their shared contexts, each with its sentences.
/** @param {Word} one @param {Word} other */
export async function openAlike(one, other) {
  /** @type {SharedView} */ let data;
  try {
    data = await source.get("shared", { word: one.word, other: other.word });
  } catch (error) {
    openDrawer([bdi(/** @type {Error} */ (error).message)], null, [], null);
    return;
  }
  const rows = data.contexts.map((context) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, phrase({ ...context, amount: 0, lift: 0 })),
      context.counts.map((seen, at) =>
        el(
          "td",
          { class: "number" },
          opens(
            amount(seen),
            `sentences of ${short(data.words[at], 60)} with ${short(context.phrase, 60)}`,
            { word: data.words[at], id: [one, other][at].id, context: context.context },
          ),
        ),
      ),
    ),
  );
  openDrawer(
    [bdi(one.word, { class: "about" }), bdi("and"), bdi(other.word, { class: "about" })],
    null,
    [
      el(
        "p",
        { class: "quiet" },
        "Shared contexts, the most characteristic first; click a number for its sentences. Smallest common class: ",
        bdi(state.tree.name(data.class.node)),
      ),
      el(
        "div",
        { class: "scroll" },
        el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col" }, term("context", "context")),
              data.words.map((word) => el("th", { scope: "col", class: "number" }, bdi(word))),
            ),
          ),
          el("tbody", {}, rows),
        ),
      ),
    ],
    state.about.live ? wordLink(one, "sketch", other.word) : null,
  );
}

// Explain why a word is in a class rather than in the next most probable one.
/** @param {Word} word @param {number} node */
export async function openWhy(word, node) {
  /** @type {WhyView} */ let data;
  try {
    data = await source.get("why", { word: word.word, node });
  } catch (error) {
    openDrawer([bdi(/** @type {Error} */ (error).message)], null, [], null);
    return;
  }
  const rows = data.contexts.map((one) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, contextLink({ ...one, amount: 0, lift: 0 }, word)),
      el("td", { class: "number", text: amount(one.seen) }),
      el("td", { class: "number", text: decimal(one.weight) }),
    ),
  );
  openDrawer(
    [bdi(word.word, { class: "about" }), bdi("in"), bdi(state.tree.name(node), { class: "about" })],
    null,
    [
      el(
        "p",
        { class: "quiet" },
        "Contexts that support this class",
        data.against ? [" rather than ", bdi(state.tree.name(data.against.node))] : null,
        ", the strongest first; click a context for its sentences.",
      ),
      el(
        "div",
        { class: "scroll" },
        el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              el("th", { scope: "col" }, term("context", "context")),
              el("th", { scope: "col", class: "number" }, term("seen", "count")),
              el("th", { scope: "col", class: "number" }, term("weight", "weight")),
            ),
          ),
          el("tbody", {}, rows),
        ),
      ),
    ],
    null,
  );
}

// A button that opens the sentences of a number or phrase.
/** @type {(text: string | HTMLElement, name: string, asked: LineQuery) => HTMLElement} */
export const opens = (text, name, asked) =>
  el(
    "button",
    {
      type: "button",
      class: "opens",
      "aria-label": `${typeof text === "string" ? text : text.textContent}: ${name}`,
      on: { click: () => openLines(asked) },
    },
    text,
  );

/** @type {(one: Context, of: LineQuery) => HTMLElement} */
export const contextLink = (one, of) =>
  opens(phrase(one), "its sentences", { ...of, context: one.context });

/** @param {Word} word @param {string | undefined} context @param {string | undefined} sort @param {(link: string) => void} go */
export async function linesPart(word, context, sort, go) {
  const order = SORTS.some(([name]) => name === sort) ? String(sort) : "corpus",
    of = context && context !== "-" ? context : null;
  const params = { word: word.word, context: of, sort: order, n: MOST };
  const data = await source.get("lines", params);
  return el(
    "section",
    {},
    el(
      "div",
      { class: "lead" },
      el(
        "p",
        {},
        term("lines", many(data.lines.length, "sentence")),
        (data.of ?? 0) > MOST ? `, the best of ${count(data.of ?? 0)} occurrences` : null,
        of
          ? [
              " with ",
              phrase({ context: of, phrase: data.phrase ?? of, amount: 0, lift: 0 }),
              " · ",
              el("a", { href: wordLink(word, "lines"), text: "all" }),
            ]
          : null,
      ),
      data.lines.length
        ? sorter(order, (name) => go(wordLink(word, "lines", of ?? "-", name)))
        : null,
    ),
    concordance(data),
    links({ view: "lines", params, data, sheet: () => lineRows(data) }),
  );
}

/** @param {LinesView} data */
const lineRows = (data) => [
  ["source", "line", "sentence", "word", "contexts"],
  ...data.lines.map((one) => [
    one.source,
    one.line,
    one.pieces.map(([text]) => text).join(""),
    one.word,
    one.contexts.join(" "),
  ]),
];
