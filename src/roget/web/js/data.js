// The data of the page of a comparison.

/** @import { Comparison } from "./types" */

import { $ } from "./dom.js";

/** @type {Comparison} */
export const data = JSON.parse($("data").textContent);
