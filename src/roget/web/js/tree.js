// The tree of classes: parents and children, positions, and the order of splits.
// Its outline contains only the classes of the levels, with the same node numbers.
/** @import { TreeData } from "./types" */

// Connect each node to its nearest ancestor that is not hidden; hidden nodes have no parent.
/** @param {TreeData} data @param {Set<number>} hidden @returns {TreeData} */
function skip(data, hidden) {
  const parent = data.parent.map((above, node) => {
    let at = above;
    while (hidden.has(at)) at = data.parent[at];
    return hidden.has(node) ? -1 : at;
  });
  return { ...data, parent, hidden: [] };
}

export class Tree {
  /** @param {TreeData} data @param {Float64Array} [order] the positions of another tree */
  constructor(data, order) {
    const n = data.parent.length;
    this.data = data;
    this.n = n;
    /** @type {number[][]} */
    this.children = Array.from({ length: n }, () => []);
    this.depth = new Int32Array(n);
    data.parent.forEach((parent, node) => {
      if (parent < 0) return;
      this.children[parent].push(node);
      this.depth[node] = this.depth[parent] + 1;
    });
    this.unsorted = new Set(data.unsorted);
    if (order) for (const below of this.children) below.sort((a, b) => order[a] - order[b]);
    // Unsorted classes follow their siblings.
    for (const below of this.children)
      below.sort((a, b) => Number(this.unsorted.has(a)) - Number(this.unsorted.has(b)));
    this.start = new Float64Array(n);
    this.span = Float64Array.from(data.words, (words) => words || 0.01);
    for (let node = n - 1; node >= 0; node--)
      if (this.children[node].length)
        this.span[node] = this.children[node].reduce((sum, child) => sum + this.span[child], 0);
    for (let node = 0; node < n; node++) {
      let at = this.start[node];
      for (const child of this.children[node]) {
        this.start[child] = at;
        at += this.span[child];
      }
    }
    this.below = new Int32Array(n).fill(0);
    for (let node = n - 1; node > 0; node--) {
      const parent = data.parent[node];
      this.below[parent] = Math.max(this.below[parent], this.below[node] + 1);
    }
    const hidden = new Set(data.hidden);
    /** @type {Tree} */
    this.outline = hidden.size ? new Tree(skip(data, hidden), this.start) : this;
    /** @type {Map<number, number>} */
    this.nodes = new Map(data.ids.map((id, node) => [id, node]));
    this.classes = this.children.reduce((k, below) => k + Math.max(below.length - 1, 0), 1);
  }
  get parent() {
    return this.data.parent;
  }
  get words() {
    return this.data.words;
  }
  get share() {
    return this.data.share;
  }
  get label() {
    return this.data.label;
  }
  get trust() {
    return this.data.trust;
  }
  /** Return the reason why a class has a low trust, or "". @param {number} node */
  doubt(node) {
    return this.data.doubts[String(node)] ?? "";
  }
  /** Order classes by their trust, highest first. @param {number} a @param {number} b */
  byTrust(a, b) {
    return (this.trust[b] ?? -1) - (this.trust[a] ?? -1);
  }
  // Ids survive edits; nodes are renumbered.
  /** @param {number} node */
  id(node) {
    return this.data.ids[node];
  }
  /** @param {number} id */
  node(id) {
    return this.nodes.get(id) ?? -1;
  }
  /** @param {number} node */
  hue(node) {
    return 25 + 300 * ((this.start[node] + this.span[node] / 2) / this.span[0]);
  }
  /** @param {number} node @returns {number[]} */
  path(node) {
    /** @type {number[]} */ const way = [];
    for (let at = node; at >= 0; at = this.parent[at]) way.unshift(at);
    return way;
  }
  // Return the path to a node without hidden ancestors.
  /** @param {number} node */
  shownPath(node) {
    return this.path(node).filter((one) => one === node || this.visible(one) === one);
  }
  // Return the node itself, or its nearest ancestor in the outline if it is hidden there.
  /** @param {number} node */
  visible(node) {
    let at = node;
    while (at && this.outline.parent[at] < 0) at = this.parent[at];
    return at;
  }
  /** @param {number} node */
  name(node) {
    return node === 0 && !this.data.given.includes(0) ? "All words" : this.label[node];
  }
  /** @param {number} node */
  isLeaf(node, k = Infinity) {
    return !this.children[node].length || (this.data.made[node] ?? 0) > k;
  }
  /** Return the leaves below a node. @param {number} node @returns {number[]} */
  leaves(node) {
    const found = [],
      waiting = [node];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (this.children[at].length) waiting.push(...this.children[at]);
      else found.push(at);
    }
    return found;
  }
  /** @param {number} k @returns {number[]} */
  cut(k) {
    const found = [],
      waiting = [0];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (this.isLeaf(node, k)) found.push(node);
      else waiting.push(...[...this.children[node]].reverse());
    }
    return found;
  }
}
