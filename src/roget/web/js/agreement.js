// The page of `roget agree`: the controls and the parts they update.
/** @import { Agreement } from "./types" */

import { drawPlaces, drawTree, showMatrix } from "./clusterings.js";
import { $, onResize } from "./dom.js";
import { preparePage } from "./page.js";

/** @type {Agreement} */
const agreed = JSON.parse($("data").textContent);
/** @type {HTMLSelectElement} */
const shownScore = $("score");

function drawAgreement() {
  const at = Number(shownScore.value),
    score = agreed.scores[at];
  for (const place of document.querySelectorAll(".of")) place.textContent = score.title;
  $("ways").textContent = score.symmetric ? "" : "Rows are taken as gold, columns as system.";
  if (!agreed.matrices.length) return;
  showMatrix($("matrix"), agreed.systems, agreed.orders[at], agreed.matrices[at], score);
  drawTree($("tree"), agreed.systems, agreed.trees[at], score);
  drawPlaces($("map"), agreed.systems, agreed.maps[at], score);
  const share = agreed.maps[at]?.share;
  $("share").textContent =
    share === undefined
      ? ""
      : `The map shows ${Math.round(share * 100)} % of the variance of the distances.`;
}

preparePage();
shownScore.addEventListener("change", drawAgreement);
drawAgreement();
onResize($("tree"), drawAgreement);
