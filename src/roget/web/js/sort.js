// Sortable tables; each body is sorted separately, so baselines stay below systems.
/** @import { Child, Column } from "./types" */

import { el } from "./dom.js";

/** @param {HTMLTableRowElement} row @param {number} column */
function keyOf(row, column) {
  const cell = row.cells[column];
  if (cell === undefined) return null;
  const key = cell.dataset.sort ?? cell.textContent.trim();
  if (key === "") return null;
  return cell.dataset.sort === undefined ? key : Number(key);
}

/** @param {string | number} a @param {string | number} b */
function ordered(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

/** @param {HTMLTableElement} table @param {HTMLElement} heading @param {string} direction */
function sortBy(table, heading, direction) {
  const headings = [...(heading.parentElement?.children ?? [])],
    column = headings.indexOf(heading);
  const sign = direction === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    if (body.classList.contains("apart")) continue;
    for (const opened of [...body.querySelectorAll(":scope > .opened")]) close(opened);
    const keys = new Map([...body.rows].map((row) => [row, keyOf(row, column)]));
    const rows = [...body.rows].sort((one, two) => {
      const a = keys.get(one) ?? null,
        b = keys.get(two) ?? null;
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return sign * ordered(a, b);
    });
    body.append(...rows);
  }
  for (const other of headings) {
    if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  }
  heading.setAttribute("aria-sort", direction);
}

/** @param {Element} opened */
export function close(opened) {
  opened.previousElementSibling
    ?.querySelector("[aria-expanded]")
    ?.setAttribute("aria-expanded", "false");
  opened.remove();
}

/** @param {HTMLTableElement} table */
export function sortable(table) {
  for (const heading of /** @type {NodeListOf<HTMLElement>} */ (
    table.querySelectorAll("thead th[aria-sort]")
  )) {
    heading.querySelector("button")?.addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const turned = now === "ascending" ? "descending" : "ascending";
      sortBy(table, heading, now === "none" ? (heading.dataset.first ?? turned) : turned);
    });
  }
}

// A table with sortable headings. Columns are {title, kind, first}; rows are built by `line`.
/** @param {string} label @param {Column[]} columns @param {Child[]} rows */
export function table(label, columns, rows) {
  const headings = columns.map(
    ({ title, kind = "number", first = "descending", sorted = "none" }) =>
      el(
        "th",
        { scope: "col", class: kind, "data-first": first, "aria-sort": sorted },
        el("button", { type: "button" }, title),
      ),
  );
  const made = /** @type {HTMLTableElement} */ (
    el(
      "table",
      { class: "sortable" },
      el("thead", {}, el("tr", {}, ...headings)),
      el("tbody", {}, ...rows),
    )
  );
  sortable(made);
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, made);
}

/** @type {(text: Child, key: unknown) => HTMLElement} */
export const figureCell = (text, key) =>
  el("td", { class: "number", "data-sort": key === null || key === undefined ? "" : key }, text);
