// What the page of a comparison is about.

/** @import { Comparison } from "./types" */

import { $ } from "./dom.js";

/** @type {Comparison} */
export const data = JSON.parse($("data").textContent);
