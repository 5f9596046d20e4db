// The page of a comparison: what each control changes.

import { drawDrops, drawIntervals, drawRanks } from "./charts.js";
import { data } from "./data.js";
import { $ } from "./dom.js";
import { showGroups, showImpure, showPairs } from "./groups.js";
import { sortable } from "./sort.js";
import { theme } from "./theme.js";

/** @type {HTMLSelectElement} */
const scoreChoice = $("score");
/** @type {HTMLSelectElement | null} */
const systemChoice = $("system");

function drawCharts() {
  const at = Number(scoreChoice.value);
  const score = data.scores[at];
  drawIntervals($("intervals"), data.intervals[at], score);
  /** @type {HTMLElement | null} */ const section = document.querySelector(".estimators");
  if (section === null) return;
  const drops = data.drops[score.measure];
  section.hidden = drops === undefined || Object.keys(drops).length === 0;
  if (section.hidden) return;
  const first = data.first[score.measure];
  for (const place of section.querySelectorAll(".of-measure")) place.textContent = score.measure;
  $("drops-caption").textContent =
    `${score.measure} under ${first} minus ${score.measure} under another estimator, against clusters. ` +
    `Numbers are ranks under ${first}.`;
  drawRanks($("ranks"), first, data.shifts[score.measure]);
  drawDrops($("drops"), first, drops);
}

function showSystem() {
  if (systemChoice === null) return;
  const system = Number(systemChoice.value);
  const detail = data.detail.systems[system];
  showGroups($("groups"), system, Number(scoreChoice.value));
  showImpure($("mixed"), detail.mixed, ["cluster", "class", "classes"]);
  showImpure($("scattered"), detail.scattered, ["class", "cluster", "clusters"]);
}

function showScore() {
  const at = Number(scoreChoice.value);
  for (const place of document.querySelectorAll(".of")) place.textContent = data.scores[at].title;
  if ($("pairs") !== null) showPairs($("pairs"), data.pairs[at], data.scores[at]);
  drawCharts();
  showSystem();
}

async function copySignature() {
  const code = $("signature");
  try {
    await navigator.clipboard.writeText(code.textContent);
    $("copied").textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(code);
    $("copied").textContent = "Selected: copy it with the keyboard.";
  }
}

for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".scripted, #theme, #copy"))) node.hidden = false;
for (const made of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table.sortable"))) sortable(made);

theme();
$("copy").addEventListener("click", copySignature);
scoreChoice.addEventListener("change", showScore);
systemChoice?.addEventListener("change", showSystem);

// The first system shown is the best one, as in the leaderboard.
if (systemChoice !== null && data.intervals[0].length) {
  systemChoice.value = String(Math.max(0, data.systems.indexOf(data.intervals[0][0][0])));
}
showScore();

let drawnAt = $("intervals").clientWidth;
new ResizeObserver(() => {
  if ($("intervals").clientWidth === drawnAt) return;
  drawnAt = $("intervals").clientWidth;
  drawCharts();
}).observe($("intervals"));

// What is folded away on the screen belongs on paper.
/** @type {HTMLDetailsElement[]} */
let closed = [];
addEventListener("beforeprint", () => {
  closed = [.../** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details:not([open])"))];
  for (const box of closed) box.open = true;
});
addEventListener("afterprint", () => {
  for (const box of closed) box.open = false;
});
