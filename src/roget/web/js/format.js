// Formatting of numbers and words.

/** @type {(n: number) => string} */
export const count = (n) => Math.round(n).toLocaleString("en");
/** @type {(n: number) => string} */
export const amount = (n) => (n >= 10 || Number.isInteger(n) ? count(n) : n.toFixed(2));
/** @type {(n: number, one: string) => string} */
export const many = (n, one) =>
  `${count(n)} ${one}${n === 1 ? "" : one.endsWith("s") ? "es" : "s"}`;
/** @type {(p: number) => string} */
export const percent = (p) =>
  p >= 0.1 || p === 0
    ? `${Math.round(p * 100)} %`
    : p >= 0.001
      ? `${(p * 100).toFixed(1)} %`
      : "< 0.1 %";
/** @type {(x: number | null | undefined, digits?: number) => string} */
export const decimal = (x, digits = 2) =>
  x === null || x === undefined
    ? "–"
    : x
        .toFixed(digits)
        .replace(/^-(?=[0.]*$)/, "")
        .replace("-", "−");
/** @type {(by: number) => string} */
export const ratio = (by) =>
  `×${by >= 10 ? count(by) : by >= 0.1 ? by.toFixed(1) : by.toPrecision(1)}`;
/** Format a logarithmic lift as a ratio. @type {(lift: number) => string} */
export const times = (lift) => ratio(Math.exp(lift));
/** @type {(text: string) => string} */
export const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// Scores from 1,000 on have four significant digits.
/** @type {(value: number | null, digits?: number) => string} */
export const number = (value, digits = 3) =>
  value !== null && Math.abs(value) >= 1000
    ? value.toPrecision(4).replace("-", "−")
    : decimal(value, digits);
/** @type {(value: number) => string} */
export const signed = (value) => (value > 0 ? "+" : "") + number(value);
/** @type {(value: number) => string} */
export const whole = (value) =>
  Number.isInteger(value) ? value.toLocaleString("en") : number(value, 1);
/** @type {(p: number | null) => string} */
export const chance = (p) => (p !== null && p < 0.001 ? "< 0.001" : number(p));
// Quote a file name for a shell.
/** @type {(name: string) => string} */
export const shellName = (name) =>
  /^[\p{L}\p{N}_.+][\p{L}\p{N}_.+-]*$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
