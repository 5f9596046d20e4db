// Tables that sort by a heading; each body is sorted by itself, so trivial answers stay apart.

function keyOf(row, column) {
  const cell = row.cells[column];
  if (cell === undefined) return null;
  const key = cell.dataset.sort ?? cell.textContent.trim();
  if (key === "") return null;
  return cell.dataset.sort === undefined ? key : Number(key);
}

function ordered(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

function sortBy(table, heading, direction) {
  const column = [...heading.parentNode.children].indexOf(heading);
  const sign = direction === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    if (body.classList.contains("apart")) continue;
    for (const opened of [...body.querySelectorAll(":scope > .opened")]) close(opened);
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * ordered(a, b);
    });
    body.append(...rows.map(([, row]) => row));
  }
  for (const other of heading.parentNode.children) {
    if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  }
  heading.setAttribute("aria-sort", direction);
}

function close(opened) {
  opened.previousElementSibling?.querySelector("[aria-expanded]")?.setAttribute("aria-expanded", "false");
  opened.remove();
}

function sortable(table) {
  for (const heading of table.tHead.querySelectorAll("th[aria-sort]")) {
    heading.querySelector("button").addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const turned = now === "ascending" ? "descending" : "ascending";
      sortBy(table, heading, now === "none" ? heading.dataset.first : turned);
    });
  }
}
