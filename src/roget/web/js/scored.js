// The page of `roget score`: the flow chart of classes and clusters.
/** @import { Cells } from "./types" */

import { $, onResize } from "./dom.js";
import { showFlow } from "./flow.js";
import { theme } from "./theme.js";

/** @type {{ groups: string[], tables: Record<string, Cells>, first: number }} */
const scored = JSON.parse($("data").textContent);
const showTables = () => showFlow($("flow"), scored.groups, scored.tables, scored.first);
$("flow").closest("section").hidden = false;
showTables();
$("theme").hidden = false;
theme();
onResize($("flow"), showTables);
