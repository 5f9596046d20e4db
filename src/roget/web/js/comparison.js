// The page of `roget compare`: the controls and the parts they update.

import { drawDrops, drawIntervals, drawRanks } from "./charts.js";
import { data } from "./data.js";
import { $, onResize } from "./dom.js";
import { showFlow } from "./flow.js";
import { sheetOfGroups, showGroups, showImpure, showPairs, worstGroup } from "./groups.js";
import { preparePage } from "./page.js";
import { offerSheet } from "./sheet.js";

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
    `${score.measure} under ${first} minus ${score.measure} under another estimator, by number of clusters. ` +
    `Numbers are ranks under ${first}.`;
  drawRanks($("ranks"), first, data.shifts[score.measure]);
  drawDrops($("drops"), first, drops);
}

function showSystem() {
  if (systemChoice === null) return;
  const system = Number(systemChoice.value);
  const detail = data.detail.systems[system];
  if (data.grouped) showGroups($("groups"), system, Number(scoreChoice.value));
  // Overlapping clusters have no contingency table, which counts each item once.
  $("tables").hidden = detail.overlapping;
  drawTables();
  showImpure($("mixed"), detail.mixed, ["cluster", "class", "classes"]);
  showImpure($("scattered"), detail.scattered, ["class", "cluster", "clusters"]);
}

function drawTables() {
  if (systemChoice === null) return;
  const system = Number(systemChoice.value),
    { groups, systems } = data.detail;
  showFlow(
    $("flow"),
    groups,
    systems[system].tables,
    worstGroup(system, Number(scoreChoice.value)),
  );
}

function showScore() {
  const at = Number(scoreChoice.value);
  for (const place of document.querySelectorAll(".of")) place.textContent = data.scores[at].title;
  if ($("pairs") !== null) showPairs($("pairs"), data.pairs[at], data.scores[at]);
  drawCharts();
  showSystem();
}

/** Hide all but the first scores of the leaderboard, until the button is clicked. */
function offerMoreScores() {
  /** @type {HTMLButtonElement | null} */ const button = $("more-scores");
  const board = document.querySelector(".board");
  if (button === null || board === null) return;
  const label = button.textContent;
  board.classList.add("short");
  button.addEventListener("click", () => {
    const short = board.classList.toggle("short");
    button.setAttribute("aria-expanded", String(!short));
    button.textContent = short ? label : "Show fewer scores";
  });
}

preparePage();
offerMoreScores();
scoreChoice.addEventListener("change", showScore);
systemChoice?.addEventListener("change", showSystem);
if (systemChoice !== null && data.grouped)
  $("sheet").append(offerSheet("scores of all groups and systems as CSV", "scores", sheetOfGroups));

// The best system of the leaderboard is shown first.
if (systemChoice !== null && data.intervals[0].length) {
  systemChoice.value = String(Math.max(0, data.systems.indexOf(data.intervals[0][0][0])));
}
showScore();
onResize($("intervals"), () => {
  drawCharts();
  drawTables();
});
