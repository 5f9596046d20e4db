// The icicle plot: boxes from the root at the left to the leaves at the right, with animated zoom.
import { $, clear, el, short } from "./dom.js";
import { count, many } from "./format.js";
import { classLink, levelLink, go } from "./links.js";
import { state } from "./state.js";

const STRIP = 28;
/** Minimum height of a box with a readable label. */
const LINE = 15;

/** @typedef {{ focus: number, columns: number, first: number, wide: number, scale: number }} Frame */
class Icicle {
  /** @type {Map<number, HTMLElement>} */ boxes = new Map();
  /** @type {Set<number>} */ way = new Set();
  /** @type {Frame | null} */ last = null;
  focus = 0;
  selected = -1;
  k = Infinity;
  active = 0;
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    /** @param {Event} event */
    const boxOf = (event) =>
      /** @type {HTMLElement} */ (event.target).closest(/** @type {"div"} */ (".box"));
    place.addEventListener("click", (event) => this.open(boxOf(event)));
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("focusin", (event) => {
      const box = boxOf(event);
      if (box) this.rove(Number(box.dataset.node));
    });
    new ResizeObserver(() => this.draw(true)).observe(place);
  }
  // A cut is drawn with all classes of the tree. Without a cut, the classes of the levels are drawn.
  get tree() {
    return this.k === Infinity ? state.tree.outline : state.tree;
  }
  get width() {
    return this.place.clientWidth;
  }
  get height() {
    return this.place.clientHeight;
  }
  /** @param {number} focus */
  columns(focus) {
    const room =
      this.width < 600
        ? Math.max(3, 1 + Math.floor((this.width - STRIP) / 110))
        : Math.floor(this.width / 138);
    const most = Math.min(room, this.below(focus) + 1);
    // A cut is shown down to its classes.
    if (this.k !== Infinity) return most;
    let columns = Math.min(most, 2);
    while (columns < most && this.isReadable(focus, columns)) columns += 1;
    return columns;
  }
  // Return true if at least half of the classes at a depth below a class have space for a label.
  /** @param {number} focus @param {number} depth */
  isReadable(focus, depth) {
    const tree = this.tree,
      scale = this.height / tree.span[focus];
    let low = 0,
      all = 0;
    const waiting = [focus];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (tree.depth[node] - tree.depth[focus] === depth) {
        all += 1;
        low += Number(tree.span[node] * scale < LINE);
      } else if (!tree.isLeaf(node, this.k)) waiting.push(...tree.children[node]);
    }
    return 2 * low <= all;
  }
  // Return the number of levels below a class, down to the current cut.
  /** @param {number} focus */
  below(focus) {
    const tree = this.tree;
    if (this.k === Infinity) return tree.below[focus];
    let deepest = 0;
    const waiting = [focus];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      deepest = Math.max(deepest, tree.depth[node] - tree.depth[focus]);
      if (!tree.isLeaf(node, this.k)) waiting.push(...tree.children[node]);
    }
    return deepest;
  }
  /** @param {{ focus: number, selected?: number, way?: number[], k?: number }} what */
  show({ focus, selected = -1, way = [], k = Infinity }) {
    const still =
      k !== this.k && k !== Infinity && this.k !== Infinity ? false : this.last === null;
    Object.assign(this, { focus, selected, way: new Set(way), k });
    this.active = selected >= 0 ? selected : focus;
    this.draw(still);
  }
  forget() {
    this.boxes.clear();
    clear(this.place);
    this.last = null;
  }
  // Return the ancestor to zoom to, so that the class becomes clearly visible.
  /** @param {number} node */
  focusFor(node) {
    const tree = state.tree.outline;
    let focus = node;
    while (tree.parent[focus] >= 0) {
      const above = tree.parent[focus];
      if (focus !== node && (this.height * tree.span[node]) / tree.span[above] < 26) break;
      if (focus !== node && tree.depth[node] - tree.depth[above] > this.columns(above) - 1) break;
      focus = above;
    }
    return focus;
  }
  /** @param {number} focus @returns {Frame} */
  frame(focus) {
    const columns = this.columns(focus);
    // The classes of a cut are at the right, with space for their names.
    const wide = this.k === Infinity ? this.width / columns : Math.min(150, this.width / columns);
    const scale = this.height / this.tree.span[focus];
    // On narrow screens the focused class is a thin strip, to leave space for its subclasses.
    if (this.width < 600 && columns > 1)
      return { focus, columns, first: STRIP, wide: (this.width - STRIP) / (columns - 1), scale };
    return { focus, columns, first: wide, wide, scale };
  }
  /** @param {number} node @param {Frame} frame */
  at(node, frame) {
    const tree = this.tree,
      level = tree.depth[node] - tree.depth[frame.focus];
    const x = level > 0 ? frame.first + (level - 1) * frame.wide : level * frame.wide;
    const next = x + (level === 0 ? frame.first : frame.wide),
      end = tree.isLeaf(node, this.k) ? Math.max(this.width, next) : next;
    return {
      x,
      y: (tree.start[node] - tree.start[frame.focus]) * frame.scale,
      w: end - x,
      h: tree.span[node] * frame.scale,
    };
  }
  draw(still = false) {
    if (!state.tree || !this.width) return;
    const tree = this.tree,
      frame = this.frame(this.focus),
      before = this.last || frame,
      waiting = [this.focus];
    /** @type {Map<number, { x: number, y: number, w: number, h: number }>} */ const shown =
      new Map();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const place = this.at(node, frame);
      if (place.h < 1.5 && node !== this.focus && !this.way.has(node)) continue;
      shown.set(node, place);
      if (
        !tree.isLeaf(node, this.k) &&
        tree.depth[node] - tree.depth[this.focus] < frame.columns - 1
      )
        waiting.push(...[...tree.children[node]].reverse());
    }
    this.place.classList.toggle("still", still);
    for (const [node, box] of this.boxes) {
      if (shown.has(node)) continue;
      this.boxes.delete(node);
      this.move(box, node, this.at(node, frame), frame);
      box.style.opacity = "0";
      box.removeAttribute("id");
      if (still) box.remove();
      else setTimeout(() => box.remove(), 400);
    }
    /** @type {HTMLElement | null} */ let previous = null;
    let entered = 0;
    for (const [node, place] of shown) {
      let box = this.boxes.get(node);
      if (!box) {
        box = this.made(node);
        this.boxes.set(node, box);
        this.move(box, node, still ? place : this.at(node, before), before);
        this.place.insertBefore(box, previous ? previous.nextSibling : this.place.firstChild);
        entered += 1;
      }
      previous = box;
    }
    if (entered && !still) void this.place.offsetHeight;
    for (const [node, place] of shown) {
      const box = this.boxes.get(node);
      if (box) this.move(box, node, place, frame);
    }
    this.last = frame;
    if (!this.boxes.has(this.active)) this.active = this.focus;
    this.rove(this.active);
  }
  /** @param {number} node */
  made(node) {
    const tree = this.tree;
    return el(
      "div",
      {
        class: "box",
        role: "treeitem",
        id: `box-${node}`,
        "data-node": node,
        "aria-level": tree.depth[node] + 1,
        "aria-label": `${short(tree.name(node))}, ${many(tree.words[node], "word")}${tree.unsorted.has(node) ? ", unsorted" : ""}`,
        style: { "--h": tree.hue(node).toFixed(1) },
      },
      el("span", { class: "name" }, el("bdi", { text: short(tree.name(node), 90) })),
      el("small", { text: count(tree.words[node]) }),
    );
  }
  /** @param {HTMLElement} box @param {number} node @param {{ x: number, y: number, w: number, h: number }} place @param {Frame} frame */
  move(box, node, { x, y, w, h }, frame) {
    const tree = this.tree,
      leaf = tree.isLeaf(node, this.k),
      style = box.style;
    style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    style.width = `${w.toFixed(1)}px`;
    style.height = `${Math.max(h, 1).toFixed(1)}px`;
    style.opacity = "1";
    style.setProperty("--lines", String(Math.max(1, Math.min(6, Math.floor((h - 6) / 18)))));
    const list = box.classList;
    list.toggle("low", h < LINE || w < 44);
    list.toggle("slim", w < 170);
    list.toggle("way", this.way.has(node) && node !== this.focus);
    list.toggle("unsorted", tree.unsorted.has(node));
    list.toggle("up", node === this.focus && node !== 0);
    list.toggle(
      "more",
      !leaf && h >= LINE && tree.depth[node] - tree.depth[frame.focus] === frame.columns - 1,
    );
    box.setAttribute("aria-selected", String(node === this.selected));
    if (leaf) box.removeAttribute("aria-expanded");
    else
      box.setAttribute(
        "aria-expanded",
        String(tree.children[node].some((child) => this.boxes.has(child))),
      );
  }
  /** @param {number} node */
  rove(node) {
    for (const [at, box] of this.boxes) box.tabIndex = at === node ? 0 : -1;
    this.active = node;
  }
  /** @param {HTMLElement | null} box */
  open(box) {
    if (!box) return;
    const node = Number(box.dataset.node);
    if (this.k !== Infinity) go(this.zoomLink(node));
    else
      go(
        node === this.focus && node !== 0 && node === this.selected
          ? classLink(this.tree.parent[node])
          : classLink(node),
      );
  }
  // In a cut, zoom into (or out of) classes above the cut and open classes at the cut.
  /** @param {number} node */
  zoomLink(node) {
    if (this.tree.isLeaf(node, this.k)) return classLink(node);
    return levelLink(this.k, node === this.focus ? Math.max(this.tree.parent[node], 0) : node);
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    const tree = this.tree,
      node = this.active,
      siblings = node === 0 ? [0] : tree.children[tree.parent[node]];
    const at = siblings.indexOf(node);
    /** @type {Record<string, () => number | undefined>} */
    const steps = {
      ArrowDown: () => siblings[at + 1] ?? this.cousin(node, 1),
      ArrowUp: () => siblings[at - 1] ?? this.cousin(node, -1),
      ArrowRight: () => (tree.isLeaf(node, this.k) ? node : tree.children[node][0]),
      ArrowLeft: () => Math.max(tree.parent[node], 0),
      Home: () => this.focus,
      End: () => [...this.boxes.keys()].pop(),
    };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      go(this.k === Infinity ? classLink(node) : this.zoomLink(node));
      return;
    }
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = steps[event.key]();
    if (next === undefined) return;
    if (!this.boxes.has(next)) {
      this.focus = next === tree.parent[node] ? next : node;
      this.draw();
    }
    (this.boxes.get(next) || this.boxes.get(this.focus))?.focus();
  }
  /** @param {number} node @param {number} step */
  cousin(node, step) {
    const level = [...this.boxes.keys()].filter(
      (one) => this.tree.depth[one] === this.tree.depth[node],
    );
    level.sort((a, b) => this.tree.start[a] - this.tree.start[b]);
    return level[level.indexOf(node) + step];
  }
}

export const icicle = new Icicle($("tree"));
