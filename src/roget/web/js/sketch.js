// The sketch of a word, or of two words compared.
/** @import { Collocate, Relation, SketchView, Word } from "./types" */

import { source } from "./api.js";
import { el, bdi, short } from "./dom.js";
import { Failure } from "./failure.js";
import { amount, count, decimal, many, percent } from "./format.js";
import { opens } from "./kwic.js";
import { wordLink } from "./links.js";
import { absent, links, meter } from "./parts.js";
import { state } from "./state.js";
import { term } from "./terms.js";

const STRONGEST = 14;

/** @param {Collocate} one @param {Word} word */
const collocateRow = (one, word) =>
  el(
    "li",
    {},
    opens(bdi(one.name, { title: one.context }), "its sentences", {
      word: word.word,
      id: word.id,
      context: one.context,
    }),
    meter((one.scores[0] ?? 0) / STRONGEST),
    el("span", { class: "number", text: amount(one.counts[0]), title: "occurrences together" }),
    el("span", {
      class: "number strong",
      text: decimal(one.scores[0], 1),
      title: "typicality (logDice)",
    }),
  );

/** @param {Relation} one @param {Word} word */
const relationCard = (one, word) =>
  el(
    "section",
    { class: "relation" },
    el(
      "h3",
      {},
      bdi(one.name, { title: one.slot }),
      el("small", {
        text: `${amount(one.totals[0])} · ${percent(one.shares[0])}`,
        title: "occurrences, and share of all occurrences of the word",
      }),
    ),
    el(
      "ol",
      { class: "rows" },
      one.collocates.map((each) => collocateRow(each, word)),
    ),
    one.more > 0 ? el("p", { class: "quiet", text: `and ${count(one.more)} more` }) : null,
  );

// Position of a collocate: −1 if typical of the first word only, 1 of the second only.
/** @param {Collocate} one */
const lean = (one) => {
  const [a, b] = [one.scores[0] ?? 0, one.scores[1] ?? 0];
  return Math.max(-1, Math.min(1, (b - a) / 4));
};

/** @param {Collocate} one @param {Word[]} words */
function besideRow(one, words) {
  /** @param {number} at */
  const number = (at) =>
    one.counts[at]
      ? opens(amount(one.counts[at]), `sentences of ${short(words[at].word, 60)}`, {
          word: words[at].word,
          id: words[at].id,
          context: one.context,
        })
      : el("span", { class: "quiet", text: "–" });
  const side = one.counts[0] && one.counts[1] ? lean(one) : one.counts[0] ? -1 : 1;
  return el(
    "li",
    {
      class: "two",
      style: { "--lean": String(Math.abs(side)) },
      "data-side": side < 0 ? "one" : "other",
    },
    el("span", { class: "number" }, number(0)),
    el(
      "span",
      {
        class: "middle",
        title: `${one.context}; logDice ${decimal(one.scores[0], 1)} and ${decimal(one.scores[1], 1)}`,
      },
      bdi(one.name),
    ),
    el("span", { class: "number" }, number(1)),
  );
}

/** @param {Relation} one @param {Word[]} words */
function besideCard(one, words) {
  const parts = [
    one.collocates.filter((each) => !each.counts[1]),
    one.collocates.filter((each) => each.counts[0] && each.counts[1]),
    one.collocates.filter((each) => !each.counts[0]),
  ];
  const named = [`only ${short(words[0].word, 40)}`, "both", `only ${short(words[1].word, 40)}`];
  return el(
    "section",
    { class: "relation" },
    el(
      "h3",
      {},
      bdi(one.name, { title: one.slot }),
      el("small", {
        text: `${amount(one.totals[0])} · ${amount(one.totals[1])}`,
        title: "occurrences of each",
      }),
    ),
    parts.map((some, at) =>
      some.length
        ? [
            el("h4", { text: named[at] }),
            el(
              "ol",
              { class: "rows" },
              some.map((each) => besideRow(each, words)),
            ),
          ]
        : null,
    ),
  );
}

// The form to compare with another word; requires the server.
/** @param {Word} word @param {string | undefined} other @param {(link: string) => void} go */
function besideForm(word, other, go) {
  if (!state.about.live) return null;
  const few = /** @type {HTMLInputElement} */ (
    el("input", {
      class: "field",
      id: "other",
      type: "search",
      autocomplete: "off",
      placeholder: "another word",
      value: other ?? null,
      list: "other-words",
      "aria-label": "Compare with",
    })
  );
  const known = el("datalist", { id: "other-words" });
  few.addEventListener("input", async () => {
    try {
      known.replaceChildren(
        ...(await source.get("search", { q: few.value, n: 10 })).words.map((one) =>
          el("option", { value: one.word }),
        ),
      );
    } catch {
      /* The next key press tries again. */
    }
  });
  const form = el(
    "form",
    { class: "other-form" },
    el("label", { for: "other", text: "compare with" }),
    few,
    known,
    el("button", { type: "submit", class: "button", text: "Compare" }),
    other ? el("a", { href: wordLink(word, "sketch"), text: "clear comparison" }) : null,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(few.value.trim() ? wordLink(word, "sketch", few.value.trim()) : wordLink(word, "sketch"));
  });
  state.actions.b = () => few.select();
  return form;
}

/** @param {Word} word @param {string | undefined} other @param {(link: string) => void} go */
export async function sketchPart(word, other, go) {
  const form = besideForm(word, other, go),
    second = other ? { word: other, id: -1 } : null;
  /** @type {SketchView} */ let data;
  try {
    data = await source.get("sketch", { row: word.id, other: other || null });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return el(
      "section",
      { class: "sketch" },
      el("div", { class: "lead" }, form),
      absent(error.message, error.command),
    );
  }
  const cards = second
    ? data.relations.map((one) => besideCard(one, [word, second]))
    : data.relations.map((one) => relationCard(one, word));
  const least = data.least === 1 ? "one occurrence" : `${data.least} occurrences`;
  return el(
    "section",
    { class: "sketch" },
    el(
      "div",
      { class: "lead" },
      form,
      second
        ? el(
            "p",
            { class: "legend" },
            el("span", { class: "one" }, bdi(word.word), ` ${amount(data.totals[0])}`),
            el("span", { class: "other" }, bdi(second.word), ` ${amount(data.totals[1])}`),
          )
        : el("p", { class: "quiet" }, "count, and ", term("dice", "typicality (logDice)")),
    ),
    cards.length
      ? el("div", { class: "relations" }, cards)
      : absent("No collocate occurs often enough to be shown."),
    data.left.length
      ? el("p", {
          class: "quiet",
          text: `${many(data.left.length, "rare relation")} not shown; collocates have at least ${least}.`,
        })
      : null,
    links({
      view: "sketch",
      params: { row: word.id, other: other || null },
      data,
      sheet: () => sketchRows(data),
    }),
  );
}

/** @param {SketchView} data */
const sketchRows = (data) => [
  [
    "relation",
    "collocate",
    ...["count", "logDice"].flatMap((name) => data.words.map((word) => `${name} ${word}`)),
  ],
  ...data.relations.flatMap((one) =>
    one.collocates.map((each) => [one.slot, each.name, ...each.counts, ...each.scores]),
  ),
];
