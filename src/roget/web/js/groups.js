// Parts of a comparison that depend on the chosen score and system: pairs, groups, tables, diagnostics.
/** @import { Cells, Child, Detail, Group, Impure, Pair, Shown } from "./types" */

import { data } from "./data.js";
import { el } from "./dom.js";
import { confusion, named } from "./flow.js";
import { chance, number, percent, signed, whole } from "./format.js";
import { close, figureCell, table } from "./sort.js";

const FEW = 20;

/** @type {(p: number | null, reason: string | null) => HTMLElement} */
const chanceCell = (p, reason) =>
  p !== null
    ? figureCell(chance(p), p)
    : el("td", { class: "number muted", "data-sort": "", title: reason }, "cannot tell");

/** @param {HTMLElement} holder @param {Pair[]} pairs @param {Shown} score */
export function showPairs(holder, pairs, score) {
  const rows = pairs.map(([a, b, difference, low, high, p, holm, reason]) =>
    el(
      "tr",
      { class: holm !== null && holm < 0.05 ? "apart-pair" : null },
      el("td", { class: "name" }, named(data.systems[a])),
      el("td", { class: "name" }, named(data.systems[b])),
      figureCell(difference === null ? "–" : signed(difference), difference),
      el(
        "td",
        { class: "number muted", "data-sort": low ?? "" },
        low === null ? "" : `[${number(low)}, ${number(high)}]`,
      ),
      chanceCell(p, reason),
      chanceCell(holm, reason),
    ),
  );
  const made = table(
    "Pairs of systems",
    [
      { title: "a", kind: "name", first: "ascending" },
      { title: "b", kind: "name", first: "ascending" },
      { title: "a − b" },
      { title: "95 % interval" },
      { title: "p", first: "ascending" },
      { title: "p, Holm", first: "ascending" },
    ],
    rows,
  );
  const reason = pairs.every((pair) => pair[7] !== null) ? pairs[0][7] : null;
  const apart = pairs.filter((pair) => pair[6] !== null && pair[6] < 0.05).length;
  holder.replaceChildren(
    made,
    el(
      "p",
      { class: "note" },
      reason === null
        ? `${apart} of ${pairs.length} pairs differ significantly under ${score.title} (p < 0.05 after Holm’s correction).`
        : `${score.title}: ${reason}.`,
    ),
  );
}

// Return the groups of a system under a score, worst first, undefined scores last.
/** @param {number} system @param {number} at @param {string} better @returns {Group[]} */
function groupLines(system, at, better) {
  const detail = data.detail.systems[system];
  const sign = better === "higher" ? 1 : -1;
  const lines = data.detail.groups.map((name, group) => {
    const value = detail.values[at][group];
    const best = data.detail.best[at][group];
    const top = best === null ? null : data.detail.systems[best].values[at][group];
    return { name, group, value, best, gap: value === null || top === null ? null : value - top };
  });
  return lines.sort((a, b) => {
    if (a.value === null || b.value === null)
      return Number(a.value === null) - Number(b.value === null);
    return sign * (a.value - b.value);
  });
}

/** @param {HTMLElement} holder @param {number} system @param {number} at */
export function showGroups(holder, system, at) {
  const score = data.scores[at];
  const detail = data.detail.systems[system];
  const lines = groupLines(system, at, score.better);
  const rows = lines.map((line, place) => groupRow(line, detail, place >= FEW));
  const worst = score.better === "higher" ? "ascending" : "descending";
  const made = table(
    "Groups, worst first",
    [
      { title: "group", kind: "label", first: "ascending" },
      { title: "items" },
      { title: "classes" },
      { title: "clusters" },
      { title: score.title, first: worst, sorted: worst },
      { title: "difference to best", first: worst },
      { title: "best system", kind: "name", first: "ascending" },
    ],
    rows,
  );
  const opens = Object.keys(detail.tables).length;
  const note = el(
    "p",
    { class: "note" },
    opens < lines.length
      ? "Click a group with an arrow (the worst ones under each score) to see its table of classes and clusters."
      : "Click a group to see its table of classes and clusters.",
  );
  holder.replaceChildren(made, note);
  if (lines.length > FEW) {
    const more = el("button", { type: "button", class: "more" }, `Show all ${lines.length} groups`);
    more.addEventListener("click", () => {
      for (const row of rows) row.hidden = false;
      more.remove();
    });
    holder.append(more);
  }
}

/** @param {Group} line @param {Detail} detail @param {boolean} hidden */
function groupRow({ name, group, value, best, gap }, detail, hidden) {
  const shown = detail.tables[group];
  const title =
    shown === undefined
      ? named(name)
      : el("button", { type: "button", class: "open", "aria-expanded": "false" }, named(name));
  const itself = best !== null && gap === 0;
  const row = /** @type {HTMLTableRowElement} */ (
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "label" }, title),
      figureCell(whole(detail.n[group]), detail.n[group]),
      figureCell(detail.classes[group], detail.classes[group]),
      figureCell(detail.clusters[group], detail.clusters[group]),
      figureCell(number(value), value),
      figureCell(gap === null ? "–" : itself ? "0" : signed(gap), gap),
      el(
        "td",
        { class: "name muted" },
        best === null ? "" : itself ? "this system" : named(data.systems[best]),
      ),
    )
  );
  row.hidden = hidden;
  if (shown !== undefined)
    title.addEventListener("click", () => openGroup(row, title, shown, name));
  return row;
}

/** @param {HTMLTableRowElement} row @param {HTMLElement} button @param {Cells} shown @param {string} name */
function openGroup(row, button, shown, name) {
  const next = row.nextElementSibling;
  if (next?.classList.contains("opened")) return close(next);
  button.setAttribute("aria-expanded", "true");
  row.after(
    el("tr", { class: "opened" }, el("td", { colspan: row.cells.length }, confusion(shown, name))),
  );
}

/** @param {HTMLElement} holder @param {Impure[]} lines @param {[string, string, string]} names */
export function showImpure(holder, lines, [one, other, others]) {
  if (!lines.length) return holder.replaceChildren(el("p", { class: "note" }, "None."));
  const rows = lines.map(([name, group, size, cells, largest, share]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "label" }, named(name)),
      ...(data.grouped ? [el("td", { class: "label" }, named(group))] : []),
      figureCell(whole(size), size),
      figureCell(cells, cells),
      el("td", { class: "label" }, named(largest)),
      figureCell(percent(share), share),
    ),
  );
  holder.replaceChildren(
    table(
      `${one}, most items outside its largest ${other} first`,
      [
        { title: one, kind: "label", first: "ascending" },
        ...(data.grouped ? [{ title: "group", kind: "label", first: "ascending" }] : []),
        { title: "items" },
        { title: others },
        { title: `largest ${other}`, kind: "label", first: "ascending" },
        { title: "its share", first: "ascending" },
      ],
      rows,
    ),
  );
}

// Return the scores of all groups and systems for CSV, with one column per score.
export function sheetOfGroups() {
  const { groups, systems } = data.detail;
  const head = [
    "system",
    "group",
    "items",
    "classes",
    "clusters",
    ...data.scores.map((score) => score.title),
  ];
  return [
    head,
    ...systems.flatMap((one, at) =>
      groups.map((group, g) => [
        data.systems[at],
        group,
        one.n[g],
        one.classes[g],
        one.clusters[g],
        ...one.values.map((row) => row[g]),
      ]),
    ),
  ];
}

// Return the worst group under a score among the groups with a table.
/** @param {number} system @param {number} at */
export function worstGroup(system, at) {
  const { tables } = data.detail.systems[system];
  return (
    groupLines(system, at, data.scores[at].better).find(({ group }) => group in tables)?.group ?? 0
  );
}
