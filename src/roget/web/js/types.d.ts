// The types of the scripts. Those of the explorer's data are generated from roget/web/views.

export * from "./views";
import type { Overview, Parameters, Views } from "./views";

export type Child = Node | string | number | null | undefined | readonly Child[];
export type Given = Record<string, any>;

export interface Route {
  view: string;
  node: number;
  key: string | number;
  k: number;
  tab: string;
  first: string;
  second: string;
}
/** A page of the explorer; explore.js lists them. */
export interface Page {
  /** The first part of its address, and of older addresses. */
  names: string[];
  /** Position in the navigation bar, from left to right. */
  place: number;
  /** In the navigation bar, with the key that opens it; pages without a title are not listed. */
  title?: string;
  key?: string;
  /** True if the page can be opened for this thesaurus. */
  isAvailable(): boolean;
  /** True if the page is listed in the navigation bar. Default: if it is available. */
  isListed?(): boolean;
  /** Parse the rest of the address; return null if it is not a valid address of this page. */
  parse(parts: string[]): Partial<Route> | null;
  /** True if the page replaces the tree. */
  isWide(route: Partial<Route>): boolean;
  draw(route: Partial<Route>, alive: () => boolean): Promise<void>;
}
/** A view to download: its name and parameters on the server; data and rows for the static page. */
export interface Download {
  view: keyof Views;
  params?: Given;
  name?: string;
  data: any;
  sheet: () => unknown[][] | Promise<unknown[][]>;
  label?: string;
}
/** Where data come from: the server, or the blocks of the static page. */
export interface Source {
  get<V extends keyof Views>(view: V, params?: Parameters[V]): Promise<Views[V]>;
  edit(request: Given): Promise<Overview>;
  links(view: Download): HTMLElement[];
  forget(): void;
}

// The data of the page of a comparison; see report/comparison/html.py.

export interface Shown {
  measure: string;
  better: string;
  arrow: string;
  title: string;
}
export type Dot = [
  name: string,
  baseline: boolean,
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
  reason: string | null,
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

// The data of the page of several clusterings; see report/agreement/html.py.

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
