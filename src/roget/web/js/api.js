// Data: from the server, or from the blocks of this very file; both give the same shapes.
/** @import { AlikeView, ChangesView, Context, Download, Found, Given, HistoryView, LineView, LinesView, Named, Notes, Overview, SketchView, Source, TreeData, WhyView, Word } from "./types" */

import { $, short } from "./dom.js";
import { folded, shellName } from "./format.js";
import { token } from "./session.js";
import { offerFile, offerSheet } from "./sheet.js";
import { state } from "./state.js";

const FIRST = 24;

export class Failure extends Error {
  /** @param {string} message @param {number} [status] @param {string} [cure] a command that helps */
  constructor(message, status = 0, cure = "") {
    super(message);
    this.status = status;
    this.cure = cure;
  }
}

/** @type {(given: Given) => string} */
const asked = (given) =>
  new URLSearchParams(
    Object.entries(given)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]),
  ).toString();

/** @param {string} place @param {Given} [sent] an object to be posted @returns {Promise<Response>} */
async function answered(place, sent) {
  const headers = {
    "x-roget-token": token(),
    ...(sent ? { "content-type": "application/json" } : {}),
  };
  try {
    return await fetch(place, {
      headers,
      ...(sent ? { method: "POST", body: JSON.stringify(sent) } : {}),
    });
  } catch {
    throw new Failure("The server does not answer: start roget explore again", 503);
  }
}

/** @param {string} place @param {Given} [sent] */
async function fetched(place, sent) {
  const answer = await answered(place, sent);
  let data = null;
  // Not every answer is ours: what is no JSON is told by its status.
  try {
    data = await answer.json();
  } catch {
    /* Told below. */
  }
  if (!answer.ok || data === null)
    throw new Failure(data?.error || `${answer.status} ${answer.statusText}`.trim(), answer.status);
  return data;
}

/** @implements {Source} */
class Server {
  /** @type {Map<string, any>} */
  kept = new Map();
  /** @param {string} path @returns {Promise<any>} */
  async get(path) {
    if (this.kept.has(path)) return this.kept.get(path);
    const data = await fetched(path);
    if (this.kept.size > 300) this.kept.delete([...this.kept.keys()][0]);
    this.kept.set(path, data);
    return data;
  }
  forget() {
    this.kept.clear();
  }
  /** @returns {Promise<Overview>} */
  overview() {
    return this.get("/api/overview");
  }
  /** @returns {Promise<TreeData>} */
  tree() {
    return this.get("/api/tree");
  }
  path() {
    return this.get("/api/path");
  }
  /** @param {number} k */
  compare(k) {
    return this.get(`/api/compare/${k}`);
  }
  /** @param {string} typed */
  find(typed) {
    return this.get(`/api/search?n=10&q=${encodeURIComponent(typed)}`);
  }
  /** @param {number} node */
  wordClass(node, offset = 0, n = FIRST) {
    return this.get(`/api/class/${node}?n=${n}&offset=${offset}`);
  }
  /** @param {string | number} key */
  word(key) {
    return this.get(
      typeof key === "number" ? `/api/word/${key}` : `/api/word?word=${encodeURIComponent(key)}`,
    );
  }
  /** @param {Given} given */
  lines({ id: _, ...given }) {
    return this.get(`/api/lines?${asked(given)}`);
  }
  /** @param {Word} word @param {string} [beside] */
  sketch(word, beside) {
    return this.get(`/api/sketch/${word.id}?${asked({ beside })}`);
  }
  /** @param {Word} one @param {Word} other */
  alike(one, other) {
    return this.get(`/api/alike?${asked({ word: one.word, other: other.word })}`);
  }
  /** @param {Word} word @param {number} node */
  why(word, node) {
    return this.get(`/api/why?${asked({ word: word.word, node })}`);
  }
  history() {
    return this.get("/api/history");
  }
  changes() {
    return this.get("/api/changes");
  }
  /** @param {Download} view */
  links(view) {
    const mark = view.place.includes("?") ? "&" : "?";
    /** @param {string} place */
    const text = async (place) => (await answered(place)).text();
    return [
      offerFile("JSON", `${view.name}.json`, "application/json", () => text(view.place)),
      offerFile("CSV", `${view.name}.csv`, "text/csv", () =>
        text(`${view.place}${mark}format=csv`),
      ),
    ];
  }
  /** @param {Given} wanted @returns {Promise<Overview>} */
  async edit(wanted) {
    const data = await fetched("/api/edit", { ...wanted, revision: state.about.revision });
    this.forget();
    return data;
  }
}

// Lines as the server sorts them: by the words nearest to the left, or to the right.
/** @param {LineView[]} lines @param {string} sort */
function sortLines(lines, sort) {
  if (sort === "corpus") return lines;
  const keys = new Map(
    lines.map((line) => {
      const at = line.pieces.findIndex(([, kind]) => kind === "word"),
        side = sort === "left" ? line.pieces.slice(0, at) : line.pieces.slice(at + 1);
      const words = side
        .map(([text]) => text)
        .join("")
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean);
      return [line, (sort === "left" ? words.reverse() : words).join(" ")];
    }),
  );
  return [...lines].sort((one, two) => String(keys.get(one)).localeCompare(String(keys.get(two))));
}

// Rows of so many numbers each, which the file has one after the other.
/** @param {number[]} flat @param {number} size */
const rowsOf = (flat, size) =>
  Array.from({ length: flat.length / size }, (_, at) => flat.slice(at * size, (at + 1) * size));

/** @implements {Source} */
class Blocks {
  /** @type {Map<string, any>} */
  kept = new Map();
  /** @type {string[] | undefined} */
  folded;
  /** @type {Map<string, string> | undefined} */
  phrases;
  /** @param {string} name */
  block(name) {
    if (!this.kept.has(name)) {
      const found = $(`data-${name}`);
      this.kept.set(name, found ? JSON.parse(found.textContent) : null);
    }
    return this.kept.get(name);
  }
  async overview() {
    return this.block("overview");
  }
  async tree() {
    return this.block("tree");
  }
  async path() {
    return this.block("path");
  }
  /** @param {number} k */
  async compare(k) {
    const found = this.block("compare")?.[k];
    if (!found) throw new Failure(`there is no comparison at ${k} classes in this file`);
    return found;
  }
  /** @param {number} node @returns {Named} */
  named(node) {
    const tree = this.block("tree");
    return { node, label: tree.label[node], words: tree.words[node], share: tree.share[node] };
  }
  /** @param {number[]} flat @returns {Context[]} */
  told(flat) {
    const names = this.block("contexts");
    return rowsOf(flat, 3).map(([id, amount, lift]) => ({
      context: names[id][0],
      said: names[id][1] ?? names[id][0],
      amount,
      lift,
    }));
  }
  /** @param {number} node */
  async wordClass(node, offset = 0, n = FIRST) {
    const kept = this.block("classes")[node],
      words = this.block("words");
    if (!kept) throw new Failure(`there is no class ${node}`);
    const listed = rowsOf(kept[0], 3);
    const typical = listed.slice(offset, offset + n).map(([id, distance_bits, probability]) => ({
      id,
      word: words[id],
      distance_bits,
      probability,
    }));
    return {
      ...this.named(node),
      value: this.block("tree").value[node],
      path: state.tree.path(node).map((one) => this.named(one)),
      children: state.tree.children[node].map((one) => this.named(one)),
      offset,
      typical,
      listed: listed.length,
      contexts: this.told(kept[1]),
      context_classes: this.told(kept[2]),
      notes: this.noted(node),
    };
  }
  /** @param {string | number} key */
  async word(key) {
    const words = this.block("words"),
      id = typeof key === "number" ? key : words.indexOf(key);
    if (!(id in words)) throw new Failure(`there is no word ${short(String(key))}`);
    const kept = this.shard(id);
    const memberships = rowsOf(kept[2], 2).map(([node, probability]) => ({
      ...this.named(node),
      probability,
    }));
    const neighbours = rowsOf(kept[3], 2).map(([row, similarity]) => ({
      id: row,
      word: words[row],
      similarity,
    }));
    const senses = /** @type {[number, number, number[], number[]][]} */ (kept[5]).map(
      ([node, weight, like, contexts]) => ({
        ...this.named(node),
        weight,
        like: like.map((one) => ({ id: one, word: words[one] })),
        contexts: this.told(contexts),
      }),
    );
    return {
      id,
      word: words[id],
      observations: kept[0],
      among: kept[1],
      path: state.tree.path(this.block("places")[id]).map((one) => this.named(one)),
      memberships,
      senses,
      neighbours,
      contexts: this.told(kept[4]),
      notes: this.noted(words[id]),
    };
  }
  /** @param {number | string} about @returns {Notes} */
  noted(about) {
    return (
      this.block("notes")[typeof about === "number" ? "classes" : "words"][about] ?? {
        definition: "",
        note: "",
      }
    );
  }
  forget() {}
  /** @param {number} id */
  shard(id, name = "words") {
    const size = this.block("overview").shard;
    return this.block(`${name}-${Math.floor(id / size)}`)?.[id % size];
  }
  /** @param {Given} given @returns {Promise<LinesView>} */
  async lines({ word, id, node, context = null, sort = "corpus", n = 40 }) {
    const words = this.block("words"),
      kept = this.block("overview").evidence;
    const rows =
      node === undefined
        ? [id >= 0 ? id : words.indexOf(word)]
        : (await this.wordClass(node)).typical.map((one) => one.id);
    const found = /** @type {LineView[]} */ (
      kept ? rows.flatMap((row) => this.shard(row, "lines") ?? []) : []
    ).filter((one) => context === null || one.contexts.includes(context));
    return {
      word,
      node,
      context,
      said: this.said(context),
      sort,
      kept,
      lines: sortLines(found, sort).slice(0, n),
    };
  }
  /** @param {string | null} context */
  said(context) {
    if (context === null) return null;
    this.phrases ??= new Map(
      /** @type {[string, string?][]} */ (this.block("contexts")).map(([name, told]) => [
        name,
        told ?? name,
      ]),
    );
    return this.phrases.get(context) ?? context;
  }
  /** @param {Word} word @param {string} [beside] @returns {Promise<SketchView>} */
  async sketch(word, beside) {
    if (beside)
      throw new Failure(
        "Two words side by side need the server: ",
        0,
        `roget explore ${shellName(this.block("overview").name)}`,
      );
    const kept = this.shard(word.id, "sketches");
    if (!kept)
      throw new Failure(
        "This file holds no sketches. Whoever writes it can put them in: ",
        0,
        `roget explore ${shellName(this.block("overview").name)} --static page.html --sketches`,
      );
    return kept;
  }
  /** @param {Word} one @param {Word} other @returns {Promise<AlikeView>} */
  async alike(one, other) {
    const [first, second] = await Promise.all([this.word(one.id), this.word(other.id)]);
    const theirs = new Map(second.contexts.map((context) => [context.context, context.amount])),
      way = new Set(second.path.map((above) => above.node));
    return {
      words: [first.word, second.word],
      class: first.path.filter((above) => way.has(above.node)).pop() ?? first.path[0],
      kept: false,
      contexts: first.contexts
        .filter((context) => theirs.has(context.context))
        .map((context) => ({
          context: context.context,
          said: context.said,
          counts: [context.amount, theirs.get(context.context) ?? 0],
        })),
    };
  }
  /** @returns {Promise<WhyView>} */
  async why() {
    throw new Failure(
      "What puts a word into a class is told by the server: roget explore, or roget why",
    );
  }
  /** @returns {Promise<HistoryView>} */
  async history() {
    throw new Failure("this file holds no history");
  }
  /** @returns {Promise<ChangesView>} */
  async changes() {
    throw new Failure("this file holds no changes");
  }
  /** @param {string} typed @returns {Promise<Found>} */
  async find(typed) {
    const wanted = folded(typed.trim());
    if (!wanted) return { words: [], classes: [] };
    const words = this.block("words"),
      places = this.block("places"),
      labels = /** @type {string[]} */ (this.block("tree").label);
    this.folded ??= /** @type {string[]} */ (words.map(folded));
    const ranks = /** @type {number[][]} */ ([[], [], []]);
    this.folded.forEach((word, id) => {
      if (word.startsWith(wanted)) ranks[word === wanted ? 0 : 1].push(id);
      else if (word.includes(wanted)) ranks[2].push(id);
    });
    return {
      words: ranks
        .flat()
        .slice(0, 10)
        .map((id) => ({ id, word: words[id], class: this.named(places[id]) })),
      classes: labels
        .flatMap((label, node) => (folded(label).includes(wanted) ? [this.named(node)] : []))
        .slice(0, 3),
    };
  }
  /** @returns {Promise<Overview>} */
  async edit() {
    throw new Failure("this file cannot be edited");
  }
  /** @param {Download} view */
  links(view) {
    return [
      offerFile("JSON", `${view.name}.json`, "application/json", () =>
        JSON.stringify(view.data, null, 1),
      ),
      offerSheet("CSV", view.name, view.sheet),
    ];
  }
}

/** @type {Source} */
export const source = $("data-overview") ? new Blocks() : new Server();
