// Small helpers. Text from the data enters the page only as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const html = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A name with its own direction of writing, so that it cannot turn what stands beside it.
const named = (name) => html("bdi", {}, name);

function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value) < 1000 ? value.toFixed(digits) : value.toPrecision(4);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

const signed = (value) => (value > 0 ? "+" : "") + number(value);
const whole = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : number(value, 1));
const chance = (p) => (p === null ? "–" : p < 0.001 ? "< 0.001" : number(p));
const percent = (share) => `${(100 * share).toFixed(0)} %`;

const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `12.5px ${getComputedStyle(document.body).fontFamily}`;
const widthOf = (content) => ruler.measureText(content).width;

// Names often differ in the middle or at the end, so both ends are kept.
function shortened(name, pixels) {
  const signs = [...name];
  let cut = name;
  for (let room = signs.length - 1; room > 3 && widthOf(cut) > pixels; room -= 1) {
    const head = Math.ceil(room * 0.4);
    cut = `${signs.slice(0, head).join("")}…${signs.slice(signs.length - (room - head)).join("")}`;
  }
  return cut;
}

// A table with sortable headings. Columns are {title, kind, first}; rows are built by `line`.
function table(label, columns, rows) {
  const headings = columns.map(({ title, kind = "number", first = "descending", sorted = "none" }) =>
    html("th", { scope: "col", class: kind, "data-first": first, "aria-sort": sorted },
      html("button", { type: "button" }, title)));
  const made = html("table", { class: "sortable" },
    html("thead", {}, html("tr", {}, ...headings)), html("tbody", {}, ...rows));
  sortable(made);
  return html("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, made);
}

const figureCell = (text, key) =>
  html("td", { class: "number", "data-sort": key === null || key === undefined ? "" : key }, text);
