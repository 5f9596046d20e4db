(() => {
"use strict";

/* Small helpers: text goes into the page as text only, never as markup. */

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const LONG = 120;
const FIRST = 24;
const STRIP = 28;
const CARDS = 96;

function put(node, given, children) {
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (name === "style") for (const [key, set] of Object.entries(value)) node.style.setProperty(key, set);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}
const el = (tag, given, ...children) => put(document.createElement(tag), given, children);
const svg = (tag, given, ...children) => put(document.createElementNS(SVG, tag), given, children);
const short = (text, most = LONG) => {
  const signs = text.length > most ? Array.from(text.slice(0, most * 2)) : null;
  return signs && signs.length > most ? signs.slice(0, most - 1).join("") + "…" : text;
};
const said = (text, given) => el("bdi", { ...given, text: short(text), title: text.length > LONG ? short(text, 600) : null });
const count = (n) => Math.round(n).toLocaleString("en");
const amount = (n) => (n >= 10 || Number.isInteger(n) ? count(n) : n.toFixed(2));
const many = (n, one) => `${count(n)} ${one}${n === 1 ? "" : one.endsWith("s") ? "es" : "s"}`;
const percent = (p) => (p >= 0.1 || p === 0 ? `${Math.round(p * 100)} %` : p >= 0.001 ? `${(p * 100).toFixed(1)} %` : "< 0.1 %");
const decimal = (x, digits = 2) => (x === null || x === undefined ? "–" : x.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−"));
const times = (lift) => { const by = Math.exp(lift); return `×${by >= 10 ? count(by) : by.toFixed(1)}`; };
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const clear = (node) => { node.replaceChildren(); return node; };

/* Data: from the server, or from the blocks of this very file; both give the same shapes. */

class Failure extends Error {}

async function fetched(place, given) {
  let answer, data = null;
  try { answer = await fetch(place, given); } catch { throw new Failure("The server does not answer: start roget explore again"); }
  // Not every answer is ours: what is no JSON is told by its status.
  try { data = await answer.json(); } catch { /* Told below. */ }
  if (!answer.ok || data === null) throw new Failure(data?.error || `${answer.status} ${answer.statusText}`.trim());
  return data;
}

class Server {
  constructor() { this.kept = new Map(); }
  async get(path) {
    if (this.kept.has(path)) return this.kept.get(path);
    const data = await fetched(path, { headers: { accept: "application/json" } });
    if (this.kept.size > 300) this.kept.delete(this.kept.keys().next().value);
    this.kept.set(path, data);
    return data;
  }
  forget() { this.kept.clear(); }
  overview() { return this.get("/api/overview"); }
  tree() { return this.get("/api/tree"); }
  path() { return this.get("/api/path"); }
  compare(k) { return this.get(`/api/compare/${k}`); }
  find(typed) { return this.get(`/api/search?n=10&q=${encodeURIComponent(typed)}`); }
  wordClass(node, offset = 0, n = FIRST) { return this.get(`/api/class/${node}?n=${n}&offset=${offset}`); }
  word(key) { return this.get(this.wordPlace(key)); }
  wordPlace(key) { return typeof key === "number" ? `/api/word/${key}` : `/api/word?word=${encodeURIComponent(key)}`; }
  links(view) {
    const mark = view.place.includes("?") ? "&" : "?";
    return [
      el("a", { href: view.place, text: "JSON" }),
      el("a", { href: `${view.place}${mark}format=csv`, download: `${view.name}.csv`, text: "CSV" }),
    ];
  }
  async edit(wanted) {
    const token = document.querySelector("meta[name=roget-token]").content;
    const data = await fetched("/api/edit", {
      method: "POST",
      headers: { "content-type": "application/json", "x-roget-token": token },
      body: JSON.stringify({ ...wanted, revision: state.about.revision }),
    });
    this.forget();
    return data;
  }
}

class Blocks {
  constructor() { this.kept = new Map(); }
  block(name) {
    if (!this.kept.has(name)) {
      const found = $(`data-${name}`);
      this.kept.set(name, found ? JSON.parse(found.textContent) : null);
    }
    return this.kept.get(name);
  }
  async overview() { return this.block("overview"); }
  async tree() { return this.block("tree"); }
  async path() { return this.block("path"); }
  async compare(k) {
    const found = (this.block("compare") || {})[k];
    if (!found) throw new Failure(`there is no comparison at ${k} classes in this file`);
    return found;
  }
  named(node) {
    const tree = this.block("tree");
    return { node, label: tree.label[node], words: tree.words[node], share: tree.share[node] };
  }
  told(flat) {
    const names = this.block("contexts"), found = [];
    for (let at = 0; at < flat.length; at += 3) found.push({ context: names[flat[at]], amount: flat[at + 1], lift: flat[at + 2] });
    return found;
  }
  async wordClass(node, offset = 0, n = FIRST) {
    const kept = this.block("classes")[node], words = this.block("words");
    if (!kept) throw new Failure(`there is no class ${node}`);
    const typical = [];
    for (let at = offset * 3; at < Math.min(kept[0].length, (offset + n) * 3); at += 3)
      typical.push({ id: kept[0][at], word: words[kept[0][at]], distance_bits: kept[0][at + 1], probability: kept[0][at + 2] });
    return {
      ...this.named(node), value: this.block("tree").value[node],
      path: state.tree.path(node).map((one) => this.named(one)),
      children: state.tree.children[node].map((one) => this.named(one)),
      offset, typical, listed: kept[0].length / 3, contexts: this.told(kept[1]),
    };
  }
  async word(key) {
    const words = this.block("words"), id = typeof key === "number" ? key : words.indexOf(key);
    if (!(id in words)) throw new Failure(`there is no word ${short(String(key))}`);
    const size = this.block("overview").shard;
    const kept = this.block(`words-${Math.floor(id / size)}`)[id % size];
    const memberships = [], neighbours = [];
    for (let at = 0; at < kept[2].length; at += 2) memberships.push({ ...this.named(kept[2][at]), probability: kept[2][at + 1] });
    for (let at = 0; at < kept[3].length; at += 2) neighbours.push({ id: kept[3][at], word: words[kept[3][at]], distance_bits: kept[3][at + 1] });
    return {
      id, word: words[id], observations: kept[0], among: kept[1],
      path: state.tree.path(this.block("places")[id]).map((one) => this.named(one)),
      memberships, neighbours, contexts: this.told(kept[4]),
    };
  }
  async find(typed) {
    const wanted = folded(typed.trim());
    if (!wanted) return { words: [], classes: [] };
    this.folded ??= this.block("words").map(folded);
    const ranks = [[], [], []];
    this.folded.forEach((word, id) => {
      if (word.startsWith(wanted)) ranks[word === wanted ? 0 : 1].push(id);
      else if (word.includes(wanted)) ranks[2].push(id);
    });
    const words = this.block("words"), places = this.block("places");
    const labels = this.block("tree").label;
    return {
      words: ranks.flat().slice(0, 10).map((id) => ({ id, word: words[id], class: this.named(places[id]) })),
      classes: labels.map((label, node) => [label, node]).filter(([label]) => folded(label).includes(wanted))
        .slice(0, 3).map(([, node]) => this.named(node)),
    };
  }
  links(view) {
    const offer = (kind, name, text) => el("button", { type: "button", text: kind, on: { click: () => {
      const address = URL.createObjectURL(new Blob([text()], { type: name }));
      el("a", { href: address, download: `${view.name}.${kind.toLowerCase()}` }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    } } });
    // As the server's sheets: a text that a spreadsheet may run begins with an apostrophe.
    const quoted = (cell) => { const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell ?? ""); return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
    return [
      offer("JSON", "application/json", () => JSON.stringify(view.data, null, 1)),
      offer("CSV", "text/csv", () => view.sheet(view.data).map((row) => row.map(quoted).join(",")).join("\n") + "\n"),
    ];
  }
}

const source = $("data-overview") ? new Blocks() : new Server();
const state = { about: null, tree: null, route: null, drawn: 0 };

/* The tree: who is below whom, where each class lies among the words, and the order of splits. */

class Tree {
  constructor(data) {
    const n = data.parent.length;
    Object.assign(this, data, { n, children: Array.from({ length: n }, () => []), depth: new Int32Array(n) });
    data.parent.forEach((parent, node) => {
      if (parent < 0) return;
      this.children[parent].push(node);
      this.depth[node] = this.depth[parent] + 1;
    });
    this.start = new Float64Array(n);
    this.span = Float64Array.from(data.words, (words) => words || 0.01);
    for (let node = n - 1; node >= 0; node--)
      if (this.children[node].length) this.span[node] = this.children[node].reduce((sum, child) => sum + this.span[child], 0);
    for (let node = 0; node < n; node++) {
      let at = this.start[node];
      for (const child of this.children[node]) { this.start[child] = at; at += this.span[child]; }
    }
    this.below = new Int32Array(n).fill(0);
    for (let node = n - 1; node > 0; node--) {
      const parent = data.parent[node];
      this.below[parent] = Math.max(this.below[parent], this.below[node] + 1);
    }
    const inner = [...this.children.keys()].filter((node) => this.children[node].length);
    inner.sort((a, b) => this.children[a][0] - this.children[b][0]);
    // After how many classes in all each split is made.
    this.made = new Float64Array(n).fill(Infinity);
    let k = 1;
    for (const node of inner) { k += this.children[node].length - 1; this.made[node] = k; }
    this.classes = k;
  }
  hue(node) { return 25 + 300 * ((this.start[node] + this.span[node] / 2) / this.span[0]); }
  path(node) { const way = []; for (let at = node; at >= 0; at = this.parent[at]) way.unshift(at); return way; }
  name(node) { return node === 0 && !this.given.includes(0) ? "All words" : this.label[node]; }
  isLeaf(node, k = Infinity) { return !this.children[node].length || this.made[node] > k; }
  cut(k) {
    const found = [], waiting = [0];
    while (waiting.length) {
      const node = waiting.pop();
      if (this.isLeaf(node, k)) found.push(node);
      else waiting.push(...[...this.children[node]].reverse());
    }
    return found;
  }
}

/* The icicle: boxes from the root at the left to the leaves at the right; zooming is one motion. */

class Icicle {
  constructor(place) {
    Object.assign(this, { place, boxes: new Map(), focus: 0, selected: -1, way: new Set(), k: Infinity, last: null, active: 0 });
    place.addEventListener("click", (event) => this.open(event.target.closest(".box")));
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("focusin", (event) => { const box = event.target.closest(".box"); if (box) this.rove(Number(box.dataset.node)); });
    new ResizeObserver(() => this.draw(true)).observe(place);
  }
  get width() { return this.place.clientWidth; }
  get height() { return this.place.clientHeight; }
  columns(focus) {
    const room = this.width < 600 ? Math.max(3, 1 + Math.floor((this.width - STRIP) / 110)) : Math.floor(this.width / 138);
    return Math.min(room, this.below(focus) + 1);
  }
  // How many levels lie below a class, as far as the tree is cut open.
  below(focus) {
    const tree = state.tree;
    if (this.k === Infinity) return tree.below[focus];
    let deepest = 0;
    const waiting = [focus];
    while (waiting.length) {
      const node = waiting.pop();
      deepest = Math.max(deepest, tree.depth[node] - tree.depth[focus]);
      if (!tree.isLeaf(node, this.k)) waiting.push(...tree.children[node]);
    }
    return deepest;
  }
  show({ focus, selected = -1, way = [], k = Infinity }) {
    const still = k !== this.k && k !== Infinity && this.k !== Infinity ? false : this.last === null;
    Object.assign(this, { focus, selected, way: new Set(way), k });
    this.active = selected >= 0 ? selected : focus;
    this.draw(still);
  }
  forget() { this.boxes.clear(); clear(this.place); this.last = null; }
  // The ancestor from which a class is seen well.
  focusFor(node) {
    const tree = state.tree;
    let focus = node;
    while (tree.parent[focus] >= 0) {
      const above = tree.parent[focus];
      if (focus !== node && (this.height * tree.span[node]) / tree.span[above] < 26) break;
      if (focus !== node && tree.depth[node] - tree.depth[above] > this.columns(above) - 1) break;
      focus = above;
    }
    return focus;
  }
  frame(focus) {
    const columns = this.columns(focus);
    // The classes of a cut stand at the right, where there is room for their names.
    const wide = this.k === Infinity ? this.width / columns : Math.min(150, this.width / columns);
    const scale = this.height / state.tree.span[focus];
    // On a phone, what is open is a strip: its name stands above, and there is room for what it holds.
    if (this.width < 600 && columns > 1) return { focus, columns, first: STRIP, wide: (this.width - STRIP) / (columns - 1), scale };
    return { focus, columns, first: wide, wide, scale };
  }
  at(node, frame) {
    const tree = state.tree, level = tree.depth[node] - tree.depth[frame.focus];
    const x = level > 0 ? frame.first + (level - 1) * frame.wide : level * frame.wide;
    const next = x + (level === 0 ? frame.first : frame.wide), end = tree.isLeaf(node, this.k) ? Math.max(this.width, next) : next;
    return { x, y: (tree.start[node] - tree.start[frame.focus]) * frame.scale, w: end - x, h: tree.span[node] * frame.scale };
  }
  draw(still = false) {
    if (!state.tree || !this.width) return;
    const tree = state.tree, frame = this.frame(this.focus), before = this.last || frame, shown = new Map(), waiting = [this.focus];
    while (waiting.length) {
      const node = waiting.pop(), place = this.at(node, frame);
      if (place.h < 1.5 && node !== this.focus && !this.way.has(node)) continue;
      shown.set(node, place);
      if (!tree.isLeaf(node, this.k) && tree.depth[node] - tree.depth[this.focus] < frame.columns - 1)
        waiting.push(...[...tree.children[node]].reverse());
    }
    this.place.classList.toggle("still", still);
    for (const [node, box] of this.boxes) {
      if (shown.has(node)) continue;
      this.boxes.delete(node);
      this.move(box, node, this.at(node, frame), frame);
      box.style.opacity = "0";
      box.removeAttribute("id");
      if (still) box.remove(); else setTimeout(() => box.remove(), 400);
    }
    let previous = null;
    const entered = [];
    for (const [node, place] of shown) {
      let box = this.boxes.get(node);
      if (!box) {
        box = this.made(node);
        this.boxes.set(node, box);
        this.move(box, node, still ? place : this.at(node, before), before);
        this.place.insertBefore(box, previous ? previous.nextSibling : this.place.firstChild);
        entered.push(box);
      }
      previous = box;
    }
    if (entered.length && !still) void this.place.offsetHeight;
    for (const [node, place] of shown) this.move(this.boxes.get(node), node, place, frame);
    this.last = frame;
    if (!this.boxes.has(this.active)) this.active = this.focus;
    this.rove(this.active);
  }
  made(node) {
    const tree = state.tree;
    return el("div", { class: "box", role: "treeitem", id: `box-${node}`, "data-node": node, "aria-level": tree.depth[node] + 1,
      "aria-label": `${short(tree.name(node))}, ${many(tree.words[node], "word")}`, style: { "--h": tree.hue(node).toFixed(1) } },
      el("span", { class: "name" }, el("bdi", { text: short(tree.name(node), 90) })), el("small", { text: count(tree.words[node]) }));
  }
  move(box, node, { x, y, w, h }, frame) {
    const tree = state.tree, leaf = tree.isLeaf(node, this.k), style = box.style;
    style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    style.width = `${w.toFixed(1)}px`;
    style.height = `${Math.max(h, 1).toFixed(1)}px`;
    style.opacity = "1";
    style.setProperty("--lines", Math.max(1, Math.min(6, Math.floor((h - 6) / 18))));
    const list = box.classList;
    list.toggle("low", h < 15 || w < 44);
    list.toggle("slim", w < 170);
    list.toggle("way", this.way.has(node) && node !== this.focus);
    list.toggle("up", node === this.focus && node !== 0);
    list.toggle("more", !leaf && h >= 15 && tree.depth[node] - tree.depth[frame.focus] === frame.columns - 1);
    box.setAttribute("aria-selected", String(node === this.selected));
    if (leaf) box.removeAttribute("aria-expanded");
    else box.setAttribute("aria-expanded", String(tree.children[node].some((child) => this.boxes.has(child))));
  }
  rove(node) {
    for (const [at, box] of this.boxes) box.tabIndex = at === node ? 0 : -1;
    this.active = node;
  }
  open(box) {
    if (!box) return;
    const node = Number(box.dataset.node);
    if (this.k !== Infinity) go(this.zoomLink(node));
    else go(node === this.focus && node !== 0 && node === this.selected ? classLink(state.tree.parent[node]) : classLink(node));
  }
  // In a cut: what is cut open is zoomed into, and out of; a class that is whole is opened.
  zoomLink(node) {
    if (state.tree.isLeaf(node, this.k)) return classLink(node);
    return cutLink(this.k, node === this.focus ? Math.max(state.tree.parent[node], 0) : node);
  }
  key(event) {
    const tree = state.tree, node = this.active, siblings = node === 0 ? [0] : tree.children[tree.parent[node]];
    const at = siblings.indexOf(node);
    const steps = {
      ArrowDown: () => siblings[at + 1] ?? this.cousin(node, 1), ArrowUp: () => siblings[at - 1] ?? this.cousin(node, -1),
      ArrowRight: () => (tree.isLeaf(node, this.k) ? node : tree.children[node][0]), ArrowLeft: () => Math.max(tree.parent[node], 0),
      Home: () => this.focus, End: () => [...this.boxes.keys()].pop(),
    };
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(this.k === Infinity ? classLink(node) : this.zoomLink(node)); return; }
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = steps[event.key]();
    if (next === undefined) return;
    if (!this.boxes.has(next)) {
      this.focus = next === tree.parent[node] ? next : node;
      this.draw();
    }
    (this.boxes.get(next) || this.boxes.get(this.focus)).focus();
  }
  cousin(node, step) {
    const level = [...this.boxes.keys()].filter((one) => state.tree.depth[one] === state.tree.depth[node]);
    level.sort((a, b) => state.tree.start[a] - state.tree.start[b]);
    return level[level.indexOf(node) + step];
  }
}

/* Links: the address of every view stands after the # sign. */

const classLink = (node) => (node === 0 ? "#/" : `#/class/${node}`);
const wordLink = (one) => (one.word.length <= LONG && /^\S/.test(one.word) ? `#/word/${encodeURIComponent(one.word)}` : `#/row/${one.id}`);
const cutLink = (k, node) => (node === 0 ? `#/cut/${k}` : `#/cut/${k}/${node}`);
const go = (link) => { if (location.hash === link) route(); else location.hash = link; };

function parsed(hash) {
  const [, view = "", rest = ""] = /^#?\/?([^/]*)\/?(.*)$/s.exec(hash) || [];
  const number = /^\d{1,9}$/.test(rest) ? Number(rest) : null;
  if (view === "class" && number !== null && number < state.tree.n) return { view: "class", node: number };
  if (view === "word" && rest) { try { return { view: "word", key: decodeURIComponent(rest) }; } catch { return { view: "lost" }; } }
  if (view === "row" && number !== null) return { view: "word", key: number };
  if (view === "cut") {
    const [k, node] = rest.split("/").map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : null));
    return { view: "cut", k: Math.min(Math.max(k ?? Math.min(8, state.tree.classes), 1), state.tree.classes), node: node < state.tree.n ? node ?? 0 : 0 };
  }
  if (view === "compare" && state.about.compare) {
    const { ks, k } = state.about.compare;
    return { view: "compare", k: ks.includes(number) ? number : k };
  }
  return view === "" ? { view: "class", node: 0 } : { view: "lost" };
}

/* Pieces that several views share. */

const dot = (node) => el("span", { class: "dot", "aria-hidden": "true", style: { "--h": state.tree.hue(node).toFixed(1) } });
const meter = (share, node) => el("span", { class: node === undefined ? "meter" : "meter hue", "aria-hidden": "true" },
  el("i", { style: { width: `${Math.max(0, Math.min(1, share)) * 100}%`, ...(node === undefined ? {} : { "--h": state.tree.hue(node).toFixed(1) }) } }));
const heading = (text, note) => el("h2", { text }, note ? el("small", { text: note }) : null);
const classItem = (one) => el("span", { class: "item" }, dot(one.node), el("a", { href: classLink(one.node) }, said(state.tree.name(one.node))));
const wordItem = (one) => el("span", { class: "item" }, el("a", { href: wordLink(one) }, said(one.word)));
// Longer is nearer; the nearest has the whole bar, and a hundredth of a bit is as good as none.
const nearness = (bits, nearest) => (bits === null ? 0 : (nearest + 0.01) / (bits + 0.01));
const number = (text, title) => el("span", { class: "number", text, title });

function crumbs(node, link = classLink) {
  const way = state.tree.path(node), most = innerWidth < 600 ? 3 : 6, kept = way.length > most ? [way[0], null, ...way.slice(2 - most)] : way;
  const parts = kept.map((one, at) => {
    if (one === null) return el("span", { class: "dots", text: "…" });
    const last = at === kept.length - 1;
    return last ? el("span", { "aria-current": "page" }, said(state.tree.name(one))) : el("a", { href: link(one) }, said(state.tree.name(one)));
  });
  clear($("crumbs")).append(...parts.flatMap((part, at) => (at ? [el("span", { class: "sep", "aria-hidden": "true", text: "›" }), part] : [part])));
}

const links = (...views) => el("p", { class: "links" }, views.map((view) => [el("span", { text: view.said || "This view as" }), source.links(view)]));

function contextRows(contexts, told, what, usual = false) {
  const most = Math.max(...contexts.map((one) => one.amount), 1e-9);
  return el("ol", { class: "rows" }, contexts.map((one) => el("li", { class: usual ? null : "two" }, el("span", { class: "item" }, said(one.context)), meter(one.amount / most),
    number(told(one.amount), what), usual ? null : number(times(one.lift), "times as often as usual"))));
}

/* Views. */

function splitFact(value) {
  if (value === null) return null;
  const { kind } = state.about;
  if (kind === "beta") return el("span", {}, "splits at β ", el("b", { text: decimal(value, 3) }));
  if (kind === "bits") return el("span", {}, "its split saves ", el("b", { text: count(value) }), " bits");
  return null;
}

function wordRows(list, words) {
  const soft = state.about.soft && list.dataset.node !== "0";
  list.nearest ??= words[0]?.distance_bits ?? 0;
  list.append(...words.map((one) => el("li", { class: soft ? "two" : null }, wordItem(one), meter(nearness(one.distance_bits, list.nearest)),
    number(decimal(one.distance_bits), "bits from the middle of the class; the longer the bar, the nearer"), soft ? number(percent(one.probability), "p(class|word)") : null)));
}

function classPanel(data) {
  const tree = state.tree, list = el("ol", { class: "rows", "data-node": data.node });
  const root = data.node === 0;
  wordRows(list, data.typical);
  const all = data.listed ?? data.words;
  const more = el("button", { type: "button", class: "button", text: "Show more words", on: { click: async () => {
    const next = await source.wordClass(data.node, list.children.length, 100);
    const first = list.children.length;
    wordRows(list, next.typical);
    more.hidden = list.children.length >= all || !next.typical.length;
    list.children[first]?.querySelector("a").focus();
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
      el("li", {}, classItem(one), meter(one.words / biggest, one.node), number(count(one.words), "words"))))) : null,
    el("div", { class: "columns" },
      el("section", {}, heading("Typical words", state.about.soft && !root ? "bits from the middle, membership" : "bits from the middle"), list, el("div", { class: "actions" }, more)),
      el("section", {}, heading("Typical contexts", root ? "share" : "share, against usual"),
        contextRows(data.contexts, (p) => percent(p), "p(context|class)", root))),
    links({ name: `class-${data.node}`, place: `/api/class/${data.node}`, data,
      sheet: (view) => [["word", "distance_bits", "probability"], ...view.typical.map((one) => [one.word, one.distance_bits, one.probability])] }),
  ];
}

function wordPanel(data) {
  const tree = state.tree, nearest = data.neighbours[0]?.distance_bits ?? 0;
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
    el("section", {}, heading("Classes", rest > 0 ? `and ${count(rest)} more, of less than 0.5 % each` : null), el("ol", { class: "rows" }, belongs.map((one) =>
      el("li", {}, classItem(one), meter(one.probability, one.node), number(percent(one.probability), "p(class|word)"))))),
    el("div", { class: "columns" },
      el("section", {}, heading("Neighbours", "bits apart"), el("ol", { class: "rows" }, data.neighbours.map((one) =>
        el("li", {}, wordItem(one), meter(nearness(one.distance_bits, nearest)), number(decimal(one.distance_bits, 3), "bits apart, of 0 to 1; the longer the bar, the nearer"))))),
      el("section", {}, heading("Contexts", "count, against usual"), contextRows(data.contexts, amount, "count"))),
    links({ name: "word", place: `/api/word/${data.id}`, data, sheet: (view) => [["kind", "name", "value"],
      ...view.memberships.map((one) => ["class", one.label, one.probability]), ...view.neighbours.map((one) => ["neighbour", one.word, one.distance_bits]),
      ...view.contexts.map((one) => ["context", one.context, one.amount])] }),
  ];
}

/* The path of the search, with a slider that cuts the tree. */

const valueName = { beta: "β", bits: "bits", none: "value" };

function chart(data, place) {
  const points = data.steps, width = Math.max(place.clientWidth, 240), height = 176, left = data.kind === "bits" ? 84 : 56, right = 12, top = 14, foot = 24;
  const drawing = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
    "aria-label": `${valueName[data.kind]} by the number of classes` });
  const most = state.tree.classes, low = Math.min(...points.map((one) => one.value)), high = Math.max(...points.map((one) => one.value));
  const x = (k) => left + ((k - 1) / Math.max(most - 1, 1)) * (width - left - right);
  const y = (value) => top + (1 - (value - low) / (high - low || 1)) * (height - top - foot);
  if (points.length) {
    for (let at = 0; at <= 3; at++) {
      const value = low + ((high - low) * at) / 3;
      drawing.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg("text", { x: left - 10, y: y(value) + 4, "text-anchor": "end", text: data.kind === "bits" ? count(value) : value.toPrecision(3) }));
    }
    drawing.append(svg("path", { class: "line", d: points.map((one, at) => `${at ? "L" : "M"}${x(one.classes).toFixed(1)} ${y(one.value).toFixed(1)}`).join("") }));
  }
  const ticks = Math.min(8, most - 1) || 1, seen = new Set();
  for (let at = 0; at <= ticks; at++) {
    const k = Math.round(1 + ((most - 1) * at) / ticks);
    if (!seen.has(k)) drawing.append(svg("text", { x: x(k), y: height - 5, "text-anchor": "middle", text: count(k) }));
    seen.add(k);
  }
  const line = svg("line", { class: "at", y1: top, y2: height - foot }), spot = svg("circle", { class: "spot", r: 6 });
  drawing.append(line, spot);
  const mark = (k) => {
    const one = points.filter((point) => point.classes <= k).pop() || points[0];
    line.setAttribute("x1", x(k)); line.setAttribute("x2", x(k));
    spot.setAttribute("cx", x(k)); spot.setAttribute("cy", one ? y(one.value) : height - foot);
    return one;
  };
  return { drawing, mark, left, right };
}

async function cutView({ k, node: focus }, alive) {
  const data = await source.path();
  if (!alive()) return;
  const place = clear($("cutter")), tree = state.tree;
  const what = el("h1", { tabindex: -1 }), note = el("p", { class: "quiet" }), slider = el("input", { type: "range", min: 1, max: tree.classes, step: 1, value: k, id: "slider", "aria-label": "Number of classes" });
  const hold = el("div");
  place.append(el("div", { class: "lead" }, what, note), hold, el("div", { class: "slide" }, slider));
  const cards = el("ol", { class: "cards" });
  const foot = el("div"), rest = el("button", { type: "button", class: "button" });
  clear($("panel")).append(cards, el("div", { class: "actions" }, rest), foot);
  let drawn = chart(data, hold), told = 0;
  const fit = () => { if (!data.steps.length) return; clear(hold).append(drawn.drawing); slider.parentElement.style.paddingLeft = `${drawn.left - 8}px`; slider.parentElement.style.paddingRight = `${drawn.right - 8}px`; };
  const update = (now) => {
    // What is no longer cut open cannot be looked into.
    while (tree.isLeaf(focus, now) && focus) focus = tree.parent[focus];
    state.route = { view: "cut", k: now, node: focus };
    const one = drawn.mark(now), nodes = tree.cut(now);
    what.textContent = many(nodes.length, "class");
    const value = !one ? "" : data.kind === "bits" ? `${count(one.value)} bits describe the counts` : data.kind === "beta" ? `at β ${decimal(one.value, 3)}` : "";
    note.textContent = value;
    slider.setAttribute("aria-valuetext", `${many(nodes.length, "class")}, ${value}`);
    icicle.show({ focus, k: now });
    crumbs(focus, (one) => cutLink(now, one));
    $("crumbs").hidden = focus === 0;
    // A slider redraws while it moves, so that only so many classes are spelt out at first.
    clear(cards).append(...nodes.slice(0, CARDS).map(card));
    rest.hidden = nodes.length <= CARDS;
    rest.textContent = `Show all ${many(nodes.length, "class")}`;
    rest.onclick = () => { cards.append(...nodes.slice(CARDS).map(card)); rest.hidden = true; fill(cards); };
    clear(foot).append(links({ name: `cut-${now}`, place: `/api/cut/${now}`, data: { k: nodes.length, classes: nodes.map((node) => ({ node, label: tree.label[node], words: tree.words[node], share: tree.share[node] })) },
      sheet: (view) => [["class", "label", "words", "share"], ...view.classes.map((one) => [one.node, one.label, one.words, one.share])] },
      { name: "path", said: "The path of the search as", place: "/api/path", data, sheet: (view) => [["classes", view.kind], ...view.steps.map((one) => [one.classes, one.value])] }));
    document.title = `${many(nodes.length, "class")} · ${state.about.name}`;
    const mine = ++told;
    setTimeout(() => { if (mine === told && alive()) fill(cards); }, 120);
  };
  slider.addEventListener("input", () => {
    const now = Number(slider.value);
    update(now);
    history.replaceState(null, "", cutLink(now, focus));
  });
  state.resized = () => { drawn = chart(data, hold); fit(); drawn.mark(Number(slider.value)); };
  fit();
  update(k);
}

function card(node) {
  const tree = state.tree;
  return el("li", {}, el("a", { href: classLink(node), "data-node": node, style: { "--h": tree.hue(node).toFixed(1) } }, el("b", {}, said(tree.name(node))),
    el("p", { text: `${many(tree.words[node], "word")} · ${percent(tree.share[node])} of the ${state.about.whole}` }), el("p", { class: "others" })));
}

// Further words of a class, asked for once its card is in sight.
function fill(cards) {
  const watch = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach(async ({ target }) => {
    watch.unobserve(target);
    try {
      const data = await source.wordClass(Number(target.dataset.node), 0, 12), named = new Set(data.label.split(", "));
      clear(target.querySelector(".others")).append(...data.typical.filter((one) => !named.has(one.word)).slice(0, 9).flatMap((one, at) => [at ? ", " : "", said(one.word)]));
    } catch { /* The card stays with its label. */ }
  }));
  cards.querySelectorAll("a:has(.others:empty)").forEach((one) => watch.observe(one));
}

/* Side by side. */

function flow(data, place) {
  const tree = state.tree, width = Math.max(place.clientWidth, 320), gap = 6, edge = Math.min(width * 0.34, 270), thick = 10;
  const rows = Math.max(data.ours.length, data.theirs.length), height = Math.max(320, rows * 27);
  const drawing = svg("svg", { class: "flow", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "How the classes of the two sides overlap; the same is in the table below" });
  const stacked = (sides) => {
    const room = height - gap * (sides.length - 1), least = Math.min(16, room / sides.length);
    const spare = room - least * sides.length;
    let at = 0;
    return sides.map((one) => {
      const tall = least + (spare * one.words) / data.shared, found = { y: at, tall, unit: tall / (one.words || 1), used: 0 };
      at += tall + gap;
      return found;
    });
  };
  const order = data.theirs.map((_, at) => at);
  const middle = order.map((at) => {
    let sum = 0, n = 0;
    for (const [a, b, words] of data.cells) if (b === at) { sum += a * words; n += words; }
    return sum / (n || 1);
  });
  order.sort((a, b) => middle[a] - middle[b]);
  const ours = stacked(data.ours), placed = stacked(order.map((at) => data.theirs[at])), theirs = [];
  order.forEach((at, rank) => { theirs[at] = placed[rank]; });
  const rank = new Map(order.map((at, n) => [at, n])), bands = [];
  for (const [a, b, words] of [...data.cells].sort((one, two) => one[0] - two[0] || rank.get(one[1]) - rank.get(two[1]))) {
    const from = ours[a], to = theirs[b], x1 = edge + thick, x2 = width - edge - thick, bend = (x1 + x2) / 2;
    const y1 = from.y + from.used, h1 = words * from.unit, y2 = to.y + to.used, h2 = words * to.unit;
    from.used += h1; to.used += h2;
    const band = svg("path", { style: { "--h": tree.hue(data.ours[a].node).toFixed(1) },
      d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}V${y2 + h2}C${bend} ${y2 + h2} ${bend} ${y1 + h1} ${x1} ${y1 + h1}Z` },
      svg("title", { text: `${many(words, "word")}: ${short(data.ours[a].label, 60)} – ${short(data.theirs[b].label, 60)}` }));
    bands.push([a, b, band]);
    drawing.append(band);
  }
  const light = (test) => { bands.forEach(([a, b, band]) => band.classList.toggle("on", test(a, b))); drawing.classList.toggle("some", bands.some(([a, b]) => test(a, b))); };
  const signs = Math.floor((edge - 46) / 6.6);
  const side = (one, { y, tall }, at, left) => {
    const group = svg("g", { on: { pointerenter: () => light((a, b) => (left ? a : b) === at), pointerleave: () => light(() => false) } },
      svg("rect", { class: left ? "side" : "other", x: left ? edge : width - edge - thick, y, width: thick, height: Math.max(tall, 1), rx: 2, style: left ? { "--h": tree.hue(one.node).toFixed(1) } : {} }));
    if (tall >= 11) group.append(
      svg("text", { x: left ? edge - 10 : width - edge + 10, y: y + tall / 2 + 4.5, "text-anchor": left ? "end" : "start" },
        svg("tspan", { text: short(one.label, signs) }), svg("tspan", { class: "count", dx: 6, text: count(one.words) })));
    drawing.append(left ? svg("a", { href: classLink(one.node), "aria-label": short(one.label) }, group) : group);
  };
  data.ours.forEach((one, at) => side(one, ours[at], at, true));
  data.theirs.forEach((one, at) => side(one, theirs[at], at, false));
  return drawing;
}

const scrolled = (name) => ({ tabindex: 0, role: "region", "aria-label": name });

// How much of the two sides there is to compare: of the classes, and of the words of the other.
function overlap(data, gold) {
  const b = (n) => el("b", { text: count(n) }), met = data.ours.length, all = met === data.k;
  const classes = el("span", {}, b(data.k), data.k === 1 ? " class" : " classes", ", ", all ? (data.k === 1 ? "which has" : "all of which have") : [b(met), met === 1 ? " of which has" : " of which have"],
    gold ? " words of the gold standard" : " words of the other");
  const words = el("span", {}, b(data.shared), " of ", b(data.their_words), gold ? " gold words found" : " words of the other found", ", in ", b(data.theirs.length), " of its ", b(data.their_classes), data.their_classes === 1 ? " class" : " classes");
  return [classes, words];
}

async function compareView({ k }, alive) {
  const data = await source.compare(k);
  if (!alive()) return;
  const about = state.about, hold = el("div"), gold = data.kind === "gold";
  const choose = el("select", { id: "cut-to", on: { change: (event) => go(`#/compare/${event.target.value}`) } },
    about.compare.ks.map((one) => el("option", { value: one, selected: one === k, text: String(one) })));
  const best = data.ours.map((one, a) => {
    const cell = data.cells.filter((found) => found[0] === a).sort((x, y) => y[2] - x[2])[0];
    return { one, other: data.theirs[cell[1]], words: cell[2] };
  });
  const against = Object.keys(data.scores.rows[0]?.baselines || {});
  clear($("panel")).append(
    el("p", { class: "eyebrow", text: gold ? "beside a gold standard" : "beside another thesaurus" }),
    el("h1", { tabindex: -1 }, said(about.name), " and ", said(data.name)),
    el("p", { class: "facts" }, overlap(data, gold)),
    el("p", { class: "choose" }, el("label", { for: "cut-to", text: gold ? "Cut the thesaurus into" : "Cut both into" }), choose, "classes"),
    heading("Where the words go"), el("p", { class: "heads" }, said(about.name), said(data.name)), hold,
    el("div", { class: "columns wide-columns" }, el("section", {}, heading("Scores", gold ? "against the gold standard" : "with the other thesaurus as the standard"),
    el("div", { class: "scroll scores", ...scrolled("Scores") }, el("table", {}, el("thead", {}, el("tr", {}, ["measure", "score", ...against].map((name, at) => el("th", { scope: "col", class: at ? "number" : null, text: name })))),
      el("tbody", {}, data.scores.rows.map((row) => el("tr", {}, el("th", { scope: "row", text: `${row.measure} ${row.better === "higher" ? "↑" : "↓"}`, title: `${row.better} is better` }),
        el("td", { class: "number" }, el("b", { text: decimal(row.value, 3), title: row.reason })), against.map((name) => el("td", { class: "number", text: decimal(row.baselines[name], 3) }))))))),
    data.scores.warnings.length ? el("p", { class: "warn", text: data.scores.warnings.join(" · ") }) : el("span"),
    el("p", { class: "signature", text: data.scores.signature })),
    el("section", {}, heading("Best match of each class"),
    el("div", { class: "scroll matches", ...scrolled("Best match of each class") }, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "class" }), el("th", { scope: "col", class: "number", text: "words" }),
      el("th", { scope: "col" }, said(data.name)), el("th", { scope: "col", class: "number", text: "in common" }))),
      el("tbody", {}, best.map(({ one, other, words }) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: classLink(one.node) }, said(one.label))), el("td", { class: "number", text: count(one.words) }),
        el("td", {}, said(other.label)), el("td", { class: "number", text: `${count(words)} (${percent(words / one.words)})` })))))))),
    links({ name: `compare-${k}`, place: `/api/compare/${k}`, data, sheet: (view) => [["measure", "entropy", "value", "better", ...against, "signature"],
      ...view.scores.rows.map((row) => [row.measure, row.entropy, row.value, row.better, ...against.map((name) => row.baselines[name]), view.scores.signature])] }));
  const fit = () => clear(hold).append(flow(data, hold));
  state.resized = fit;
  fit();
  document.title = `${about.name} and ${data.name} · roget`;
}

/* From address to view. */

// What the view in sight is called.
const title = () => [...document.querySelectorAll("main h1")].find((one) => one.checkVisibility());

async function route() {
  const wanted = parsed(location.hash), mine = ++state.drawn, alive = () => mine === state.drawn;
  const inTree = $("tree").contains(document.activeElement) || document.activeElement?.id === "slider";
  const first = state.route === null;
  state.route = wanted;
  state.resized = null;
  const wide = wanted.view === "cut" || wanted.view === "compare";
  $("main").classList.toggle("wide", wide);
  $("cutter").hidden = wanted.view !== "cut";
  if (wanted.view !== "cut") clear($("cutter"));
  $("map").hidden = wanted.view === "compare";
  $("crumbs").hidden = wanted.view === "compare";
  for (const link of document.querySelectorAll(".bar nav a"))
    if (link.dataset.view === (wide ? wanted.view : "tree")) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  $("main").setAttribute("aria-busy", "true");
  try {
    if (wanted.view === "lost") throw new Failure("There is nothing at this address.");
    if (wanted.view === "cut") await cutView(wanted, alive);
    else if (wanted.view === "compare") await compareView(wanted, alive);
    else await treeView(wanted, alive);
  } catch (error) {
    if (!alive()) return;
    if (!(error instanceof Failure)) console.error(error);
    clear($("panel")).append(el("h1", { tabindex: -1, text: "Not found" }), el("p", { class: "place", text: short(error.message, 400) }), el("p", { class: "place" }, el("a", { href: "#/", text: "To the whole thesaurus" })));
  }
  if (!alive()) return;
  $("main").removeAttribute("aria-busy");
  if (!first && !inTree) {
    title()?.focus({ preventScroll: true });
    if (innerWidth > 960 || wide) scrollTo(0, 0);
  }
}

async function treeView(wanted, alive) {
  if (wanted.view === "class") {
    const { node } = wanted, leaf = !state.tree.children[node].length;
    icicle.show({ focus: leaf ? icicle.focusFor(node) : node, selected: node, way: state.tree.path(node) });
    crumbs(node);
    const data = await source.wordClass(node);
    if (!alive()) return;
    clear($("panel")).append(...classPanel(data).filter(Boolean));
    document.title = `${short(state.tree.name(node), 60)} · ${state.about.name}`;
    return;
  }
  const data = await source.word(wanted.key);
  if (!alive()) return;
  const leaf = data.path[data.path.length - 1].node;
  icicle.show({ focus: icicle.focusFor(leaf), selected: leaf, way: state.tree.path(leaf) });
  crumbs(leaf);
  clear($("panel")).append(...wordPanel(data).filter(Boolean));
  document.title = `${short(data.word, 60)} · ${state.about.name}`;
}

/* Search with completion: arrow keys choose, Enter opens, Escape closes. */

function searching() {
  const input = $("search"), list = $("found");
  let at = -1, asked = 0;
  const close = () => { list.hidden = true; at = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
  const choose = (to) => {
    const options = [...list.querySelectorAll("[data-link]")];
    if (!options.length) return;
    at = (to + options.length) % options.length;
    options.forEach((one, n) => one.setAttribute("aria-selected", String(n === at)));
    input.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  };
  const open = (option) => { if (!option?.dataset.link) return; input.value = ""; close(); input.blur(); go(option.dataset.link); };
  const look = async () => {
    const typed = input.value, mine = ++asked;
    if (!typed.trim()) { close(); return; }
    let found;
    try { found = await source.find(typed); } catch (error) { say(error.message); return; }
    if (mine !== asked) return;
    const options = [...found.words.map((one) => [wordLink(one), said(one.word), state.tree.name(one.class.node)]),
      ...found.classes.map((one) => [classLink(one.node), said(state.tree.name(one.node)), `class of ${many(one.words, "word")}`])];
    clear(list).append(...options.map(([link, name, note], n) => el("li", { role: "option", id: `found-${n}`, "data-link": link, "aria-selected": "false" }, name, el("small", { text: short(note, 60) }))));
    if (!options.length) list.append(el("li", { class: "none", role: "option", "aria-disabled": "true", text: "Nothing found" }));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
    if (!options.length) input.removeAttribute("aria-activedescendant");
  };
  input.addEventListener("input", look);
  input.addEventListener("focus", look);
  // Whoever has come back by then is still searching.
  input.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== input) close(); }, 120));
  input.addEventListener("keydown", async (event) => {
    if (event.key === "ArrowDown") { event.preventDefault(); choose(at + 1); }
    else if (event.key === "ArrowUp") { event.preventDefault(); choose(at - 1); }
    else if (event.key === "Escape") { if (list.hidden) input.value = ""; close(); }
    else if (event.key === "Enter") { event.preventDefault(); await look(); open(list.querySelectorAll("[data-link]")[Math.max(at, 0)]); }
  });
  list.addEventListener("pointerdown", (event) => { event.preventDefault(); open(event.target.closest("[data-link]")); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName) && !$("dialog").open) { event.preventDefault(); input.focus(); }
  });
}

/* Edits. */

let hush = 0;
function say(text) {
  const place = $("status");
  place.textContent = short(text, 300);
  place.classList.add("on");
  clearTimeout(hush);
  hush = setTimeout(() => place.classList.remove("on"), 3500);
}

async function edit(asked, done, then) {
  try {
    state.about = await source.edit(asked);
  } catch (error) { say(error.message); return; }
  state.tree = new Tree(await source.tree());
  icicle.forget();
  offerUndo();
  say(done);
  const link = then ? await then() : null;
  if (link) go(link); else route();
}

function offerUndo() {
  const button = $("undo"), { edits, editable, last } = state.about;
  button.hidden = !editable || !edits;
  button.title = last || "";
  button.setAttribute("aria-label", `Undo the last of ${many(edits, "edit")}: ${short(last || "", 200)}`);
}

function ask(title, verb, fields, act) {
  const box = $("dialog");
  const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title", text: short(title, 160) }), fields, el("div", { class: "actions" },
    el("button", { type: "button", class: "button", text: "Cancel", on: { click: () => box.close() } }), el("button", { type: "submit", class: "button main", text: verb })));
  form.addEventListener("submit", (event) => { event.preventDefault(); if (act() !== false) box.close(); });
  clear(box).append(form);
  box.showModal();
  form.querySelector("input, select").focus();
}

function renameDialog(data) {
  const field = el("input", { class: "field", id: "new-label", maxlength: 200, required: true, autocomplete: "off", value: short(data.label, 200) });
  ask("Rename this class", "Rename", [el("label", { for: "new-label", text: "New name" }), field], () => {
    const label = field.value.trim();
    if (!label) return false;
    edit({ action: "rename", node: data.node, label }, "Renamed");
    return true;
  });
  field.select();
}

function targetDialog(action, data) {
  const tree = state.tree, moving = action === "move";
  const related = (node) => tree.path(node).includes(data.node) || tree.path(data.node).includes(node);
  const nodes = [...Array(tree.n).keys()].filter((node) => node !== 0 && (moving || !related(node)));
  const filter = el("input", { class: "field", id: "filter", type: "search", autocomplete: "off" });
  const taken = new Map();
  for (const label of tree.label) taken.set(label, (taken.get(label) || 0) + 1);
  const called = (node) => `${short(tree.label[node], 80)} (${count(tree.words[node])}${taken.get(tree.label[node]) > 1 ? `, in ${short(tree.name(tree.parent[node]), 60)}` : ""})`;
  const list = el("select", { id: "target", size: 9, "aria-label": "Class", required: true });
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

/* Light and dark. */

function theme() {
  const button = $("theme"), system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("roget-theme"); } catch { /* Pages from disk may have no store. */ }
  const set = () => {
    const dark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("roget-theme", chosen); } catch { /* It holds for this visit. */ }
    set();
  });
  system.addEventListener("change", set);
  set();
}

const icicle = new Icicle($("tree"));

async function begin() {
  theme();
  try {
    const [about, tree] = await Promise.all([source.overview(), source.tree()]);
    state.about = about;
    state.tree = new Tree(tree);
  } catch (error) {
    $("loading").textContent = `The thesaurus cannot be opened: ${error.message}`;
    return;
  }
  document.querySelector('[data-view="compare"]').hidden = !state.about.compare;
  offerUndo();
  $("undo").addEventListener("click", () => edit({ action: "undo" }, "Undone"));
  $("skip").addEventListener("click", (event) => { event.preventDefault(); (title() || $("panel")).focus(); });
  searching();
  addEventListener("hashchange", route);
  let waiting = 0;
  addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => state.resized?.()); });
  await route();
}

begin();
})();
