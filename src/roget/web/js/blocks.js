// The data of the static page: one decoder per view for the compact blocks of the file.
/** @import { SharedView, ClassView, Context, Download, Found, Given, LineView, LinesView, Named, Notes, SketchView, Source, Views, WordView } from "./types" */

import { $, short } from "./dom.js";
import { Failure } from "./failure.js";
import { folded, shellName } from "./format.js";
import { offerFile, offerSheet } from "./sheet.js";
import { state } from "./state.js";

const DEFAULT_WORDS = 24;
const DEFAULT_LINES = 40;

/** Split a flat list into rows. @param {number[]} flat @param {number} size */
const splitRows = (flat, size) =>
  Array.from({ length: flat.length / size }, (_, at) => flat.slice(at * size, (at + 1) * size));

/**
 * Sort sentences as the server does: by the words before the word, nearest first, or after it.
 * @param {LineView[]} lines @param {string} sort
 */
function sortLines(lines, sort) {
  if (sort === "corpus") return lines;
  /** @param {LineView} line */
  const key = (line) => {
    const at = line.pieces.findIndex(([, kind]) => kind === "word");
    const side = sort === "left" ? line.pieces.slice(0, at) : line.pieces.slice(at + 1);
    const text = side.map(([piece]) => piece).join("");
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (sort === "left" ? words.reverse() : words).join(" ");
  };
  const keys = new Map(lines.map((line) => [line, key(line)]));
  return [...lines].sort((one, two) => String(keys.get(one)).localeCompare(String(keys.get(two))));
}

/** @implements {Source} */
export class Blocks {
  /** @type {Map<string, any>} */
  cache = new Map();
  /** @type {string[] | undefined} */
  foldedWords;
  /** @type {Map<string, string> | undefined} */
  phrases;

  /**
   * Return the data of a view: by its decoder, or the block of the same name unchanged.
   * @param {keyof Views} view @param {Given} [params] @returns {Promise<any>}
   */
  async get(view, params = {}) {
    /** @type {Partial<Record<keyof Views, (params: any) => unknown>>} */
    const decoders = {
      class: (some) => this.wordClass(some),
      word: (some) => this.word(some),
      lines: (some) => this.lines(some),
      sketch: (some) => this.sketch(some),
      shared: (some) => this.shared(some),
      search: (some) => this.search(some),
      compare: ({ k }) => this.block("compare")?.[k],
    };
    const decode = decoders[view];
    const data = decode ? decode(params) : this.block(view);
    if (!data)
      throw new Failure(`This file does not include it; start the server: ${this.command()}`);
    return data;
  }

  /** Return a block of the file, parsed once. @param {string} name */
  block(name) {
    if (!this.cache.has(name)) {
      const element = $(`data-${name}`);
      this.cache.set(name, element ? JSON.parse(element.textContent) : null);
    }
    return this.cache.get(name);
  }

  /** Return the entry of a word in a block that is split by rows. @param {number} row */
  shard(row, name = "words") {
    const size = this.block("overview").shard;
    return this.block(`${name}-${Math.floor(row / size)}`)?.[row % size];
  }

  /** @param {number} node @returns {Named} */
  named(node) {
    const tree = this.block("tree");
    return { node, label: tree.label[node], words: tree.words[node], share: tree.share[node] };
  }

  /** @param {number[]} flat @returns {Context[]} */
  contexts(flat) {
    const names = this.block("contexts");
    return splitRows(flat, 3).map(([id, amount, lift]) => ({
      context: names[id][0],
      phrase: names[id][1] ?? names[id][0],
      amount,
      lift,
    }));
  }

  /** @param {number | string} about @returns {Notes} */
  notes(about) {
    const kind = typeof about === "number" ? "classes" : "words";
    return this.block("notes")[kind][about] ?? { definition: "", note: "" };
  }

  /** @param {number} node */
  pathTo(node) {
    return state.tree.shownPath(node).map((one) => this.named(one));
  }

  // Return the subclasses in the outline, also of a class that is not in it.
  /** @param {number} node @returns {number[]} */
  subclasses(node) {
    const { tree } = state;
    return tree.children[node].flatMap((one) =>
      tree.visible(one) === one ? [one] : this.subclasses(one),
    );
  }

  /** @param {{ node: number, offset?: number, n?: number }} params @returns {ClassView} */
  wordClass({ node, offset = 0, n = DEFAULT_WORDS }) {
    const [typical, contexts, contextClasses] = this.block("classes")[node] ?? [];
    if (!typical) throw new Failure(`class ${node} does not exist`);
    const words = this.block("words");
    const rows = splitRows(typical, 3);
    return {
      ...this.named(node),
      value: this.block("tree").value[node],
      path: this.pathTo(node),
      children: this.subclasses(node).map((one) => this.named(one)),
      offset,
      typical: rows.slice(offset, offset + n).map(([id, distance_bits, probability]) => ({
        id,
        word: words[id],
        distance_bits,
        probability,
      })),
      listed: rows.length,
      contexts: this.contexts(contexts),
      context_classes: this.contexts(contextClasses),
      notes: this.notes(node),
    };
  }

  /** @param {{ row?: number, word?: string }} params @returns {WordView} */
  word({ row, word = "" }) {
    const words = this.block("words");
    const id = row ?? words.indexOf(word);
    if (!(id in words)) throw new Failure(`the word ${short(String(row ?? word))} does not exist`);
    const [observations, files, keyness, among, memberships, neighbours, contexts, senses] =
      this.shard(id);
    return {
      id,
      word: words[id],
      observations,
      files,
      keyness,
      among,
      path: this.pathTo(this.block("places")[id]),
      memberships: splitRows(memberships, 2).map(([node, probability]) => ({
        ...this.named(node),
        probability,
      })),
      senses: /** @type {[number, number, number[], number[]][]} */ (senses).map(
        ([node, weight, like, flat]) => ({
          ...this.named(node),
          weight,
          like: like.map((one) => ({ id: one, word: words[one] })),
          contexts: this.contexts(flat),
        }),
      ),
      neighbours: splitRows(neighbours, 2).map(([one, similarity]) => ({
        id: one,
        word: words[one],
        similarity,
      })),
      contexts: this.contexts(contexts),
      notes: this.notes(words[id]),
    };
  }

  /** @param {Given} params @returns {LinesView} */
  lines({ word, node, context = null, sort = "corpus", n = DEFAULT_LINES }) {
    const kept = this.block("overview").evidence;
    const rows =
      node === undefined
        ? [this.block("words").indexOf(word)]
        : this.wordClass({ node }).typical.map((one) => one.id);
    const all = kept ? rows.flatMap((row) => this.shard(row, "lines") ?? []) : [];
    const lines = /** @type {LineView[]} */ (all).filter(
      (one) => context === null || one.contexts.includes(context),
    );
    return {
      word,
      node,
      context,
      phrase: this.phrase(context),
      sort,
      kept,
      lines: sortLines(lines, sort).slice(0, n),
    };
  }

  /** @param {string | null} context */
  phrase(context) {
    if (context === null) return null;
    this.phrases ??= new Map(
      /** @type {[string, string?][]} */ (this.block("contexts")).map(([name, phrase]) => [
        name,
        phrase ?? name,
      ]),
    );
    return this.phrases.get(context) ?? context;
  }

  command(options = "") {
    return `roget explore ${shellName(this.block("overview").name)}${options}`;
  }

  /** @param {{ row: number, other?: string | null }} params @returns {SketchView} */
  sketch({ row, other }) {
    if (other) throw new Failure("To compare two words, start the server: ", 0, this.command());
    const sketch = this.shard(row, "sketches");
    if (!sketch) {
      const command = this.command(" --static page.html --sketches");
      throw new Failure("This file has no sketches. To include them: ", 0, command);
    }
    return sketch;
  }

  /** @param {{ word: string, other: string }} params @returns {SharedView} */
  shared({ word, other }) {
    const [first, second] = [this.word({ word }), this.word({ word: other })];
    const amounts = new Map(second.contexts.map((one) => [one.context, one.amount]));
    const nodes = new Set(second.path.map((above) => above.node));
    return {
      words: [first.word, second.word],
      class: first.path.filter((above) => nodes.has(above.node)).pop() ?? first.path[0],
      kept: false,
      contexts: first.contexts
        .filter((one) => amounts.has(one.context))
        .map(({ context, phrase, amount }) => ({
          context,
          phrase,
          counts: [amount, amounts.get(context) ?? 0],
        })),
    };
  }

  /** @param {{ q: string }} params @returns {Found} */
  search({ q }) {
    const query = folded(q.trim());
    if (!query) return { query: q, words: [], classes: [] };
    const words = this.block("words");
    const places = this.block("places");
    const labels = /** @type {string[]} */ (this.block("tree").label);
    this.foldedWords ??= /** @type {string[]} */ (words.map(folded));
    // Equal words first, then words with this prefix, then words that contain it.
    const ranks = /** @type {number[][]} */ ([[], [], []]);
    this.foldedWords.forEach((word, id) => {
      if (word.startsWith(query)) ranks[word === query ? 0 : 1].push(id);
      else if (word.includes(query)) ranks[2].push(id);
    });
    return {
      query: q,
      words: ranks
        .flat()
        .slice(0, 10)
        .map((id) => ({ id, word: words[id], class: this.named(places[id]) })),
      classes: labels
        .flatMap((label, node) => (folded(label).includes(query) ? [this.named(node)] : []))
        .slice(0, 3),
    };
  }

  /** @returns {Promise<any>} */
  async edit() {
    throw new Failure("this file cannot be edited");
  }

  forget() {}

  /** @param {Download} download */
  links({ view, name = view, data, sheet }) {
    const json = () => JSON.stringify(data, null, 1);
    return [
      offerFile("JSON", `${name}.json`, "application/json", json),
      offerSheet("CSV", name, sheet),
    ];
  }
}
