// What the server, or the page in one file, answers with; see web/views.py and web/desk.py.

export type Child = Node | string | number | null | undefined | readonly Child[];
export type Given = Record<string, any>;

export interface Named {
  node: number;
  label: string;
  words: number;
  share: number;
}
export interface Word {
  id: number;
  word: string;
}
export interface Typical extends Word {
  distance_bits: number | null;
  probability: number;
}
export interface Context {
  context: string;
  said: string;
  amount: number;
  lift: number;
}
export interface Notes {
  definition: string;
  note: string;
}
export interface ClassView extends Named {
  value: number | null;
  path: Named[];
  children: Named[];
  offset: number;
  typical: Typical[];
  listed?: number;
  contexts: Context[];
  context_classes: Context[];
  notes: Notes;
}
export interface Sense extends Named {
  weight: number;
  like: Word[];
  contexts: Context[];
}
export interface WordView extends Word {
  observations: number;
  among: number;
  path: Named[];
  memberships: (Named & { probability: number })[];
  senses: Sense[];
  neighbours: (Word & { similarity: number })[];
  contexts: Context[];
  notes: Notes;
}
export interface LineView {
  source: string;
  line: number;
  pieces: [text: string, kind: string][];
  word: string;
  contexts: string[];
}
export interface LinesView {
  word?: string;
  node?: number;
  context: string | null;
  said: string | null;
  sort: string;
  kept: boolean;
  of?: number;
  lines: LineView[];
}
export interface AlikeView {
  words: string[];
  class: Named;
  kept: boolean;
  contexts: { context: string; said: string; counts: number[] }[];
}
export interface WhyView {
  word: string;
  class: Named;
  against: Named | null;
  kept: boolean;
  contexts: { context: string; said: string; seen: number; weight: number }[];
}
export interface Collocate {
  context: string;
  name: string;
  said: string;
  counts: number[];
  scores: (number | null)[];
}
export interface Relation {
  slot: string;
  name: string;
  totals: number[];
  shares: number[];
  more: number;
  collocates: Collocate[];
}
export interface SketchView {
  id: number;
  words: string[];
  totals: number[];
  least: number;
  left: string[];
  relations: Relation[];
}
export interface HistoryView {
  edits: { number: number | null; what: string; kind: string; state: string }[];
}
export interface Change {
  number: number;
  kind: string;
  words: string[];
  from: number | null;
  to: number;
  from_label: string | null;
  to_label: string;
  score: number | null;
  tokens: number;
  reasons: { context: string; said: string }[];
  state: string;
}
export interface ChangesView {
  changes: Change[];
}
export interface Found {
  words: (Word & { class: Named })[];
  classes: Named[];
}
export interface PathView {
  kind: "beta" | "bits" | "none";
  steps: { classes: number; value: number }[];
}
export interface Score {
  measure: string;
  entropy: string | null;
  value: number | null;
  better: string;
  reason?: string;
  baselines: Record<string, number | null>;
}
export interface Side {
  label: string;
  words: number;
}
export interface CompareView {
  k: number;
  name: string;
  kind: string;
  shared: number;
  their_words: number;
  their_classes: number;
  ours: (Side & { node: number })[];
  theirs: Side[];
  cells: [number, number, number][];
  scores: { signature: string; rows: Score[]; warnings: string[] };
}
export interface TreeData {
  revision: number;
  parent: number[];
  value: (number | null)[];
  words: number[];
  share: number[];
  label: string[];
  given: number[];
  made: (number | null)[];
  ids: number[];
}
export interface Overview {
  name: string;
  classes: number;
  contexts: number;
  kind: "beta" | "bits" | "none";
  soft: boolean;
  whole: string;
  editable: boolean;
  locked: string | null;
  edits: number;
  last: string | null;
  next: string | null;
  open: number;
  changes: number;
  live: boolean;
  evidence: boolean;
  revision: number;
  shard: number;
  compare: { name: string; kind: string; ks: number[]; k: number } | null;
}
export interface Route {
  view: string;
  node: number;
  key: string | number;
  k: number;
  tab: string;
  first: string;
  second: string;
}
export interface Download {
  name: string;
  place: string;
  data: any;
  sheet: () => unknown[][];
  said?: string;
}
export interface Source {
  overview(): Promise<Overview>;
  tree(): Promise<TreeData>;
  path(): Promise<PathView>;
  compare(k: number): Promise<CompareView>;
  find(typed: string): Promise<Found>;
  wordClass(node: number, offset?: number, n?: number): Promise<ClassView>;
  word(key: string | number): Promise<WordView>;
  lines(asked: Given): Promise<LinesView>;
  sketch(word: Word, beside?: string): Promise<SketchView>;
  alike(one: Word, other: Word): Promise<AlikeView>;
  why(word: Word, node: number): Promise<WhyView>;
  history(): Promise<HistoryView>;
  changes(): Promise<ChangesView>;
  links(view: Download): HTMLElement[];
  forget(): void;
  edit(wanted: Given): Promise<Overview>;
}

// What the page of a comparison is about; see report/comparison/html.py.

export interface Shown {
  measure: string;
  better: string;
  arrow: string;
  title: string;
}
export type Dot = [
  name: string,
  trivial: boolean,
  value: number,
  low: number | null,
  high: number | null,
];
export type Shift = [name: string, before: number, after: number];
export type Drop = [name: string, clusters: number, difference: number, rank: number];
export type Pair = [
  a: number,
  b: number,
  difference: number | null,
  low: number | null,
  high: number | null,
  p: number | null,
  holm: number | null,
];
export type Impure = [
  name: string,
  group: string,
  size: number,
  cells: number,
  largest: string,
  share: number,
];
export interface Cells {
  classes: string[];
  clusters: string[];
  counts: number[][];
  sizes: number[];
  totals: number[];
  all: [number, number];
  n: number;
}
export interface Detail {
  n: number[];
  classes: number[];
  clusters: number[];
  values: (number | null)[][];
  tables: Record<string, Cells>;
  overlapping: boolean;
  mixed: Impure[];
  scattered: Impure[];
}
export interface Comparison {
  scores: Shown[];
  systems: string[];
  grouped: boolean;
  intervals: Dot[][];
  first: Record<string, string>;
  shifts: Record<string, Record<string, Shift[]>>;
  drops: Record<string, Record<string, Drop[]>>;
  pairs: Pair[][];
  detail: { groups: string[]; best: (number | null)[][]; systems: Detail[] };
}
export interface Group {
  name: string;
  group: number;
  value: number | null;
  best: number | null;
  gap: number | null;
}
export interface Column {
  title: string;
  kind?: string;
  first?: string;
  sorted?: string;
}

// What the page of several clusterings is about; see report/agreement/html.py.

export interface Agreed extends Shown {
  distance: string;
  symmetric: boolean;
  typical: number | null;
  odd: number | null;
  why: string | null;
}
export interface Matrix {
  values: (number | null)[][];
  low: (number | null)[][] | null;
  high: (number | null)[][] | null;
  ends: [number, number];
}
export interface Links {
  links: [one: number, two: number, height: number][];
  order: number[];
}
export interface Places {
  places: [number, number][];
  share: number;
}
export interface Agreement {
  scores: Agreed[];
  systems: string[];
  matrices: Matrix[];
  orders: number[][];
  trees: (Links | null)[];
  maps: (Places | null)[];
}
