// Wiring: what each control changes.

const scoreChoice = byId("score");
const systemChoice = byId("system");

function drawCharts() {
  const at = Number(scoreChoice.value);
  const score = data.scores[at];
  drawIntervals(byId("intervals"), data.intervals[at], score);
  const section = document.querySelector(".estimators");
  if (section === null) return;
  const drops = data.drops[score.measure];
  section.hidden = drops === undefined || Object.keys(drops).length === 0;
  if (section.hidden) return;
  const first = data.first[score.measure];
  section.querySelector(".of-measure").textContent = score.measure;
  byId("drops-caption").textContent =
    `${score.measure} under ${first} minus ${score.measure} under another estimator, against clusters. ` +
    `Numbers are ranks under ${first}.`;
  drawRanks(byId("ranks"), first, data.shifts[score.measure]);
  drawDrops(byId("drops"), first, drops);
}

function showSystem() {
  if (systemChoice === null) return;
  const system = Number(systemChoice.value);
  const detail = data.detail.systems[system];
  showGroups(byId("groups"), system, Number(scoreChoice.value));
  showImpure(byId("mixed"), detail.mixed, ["cluster", "class", "classes"]);
  showImpure(byId("scattered"), detail.scattered, ["class", "cluster", "clusters"]);
}

function showScore() {
  const at = Number(scoreChoice.value);
  for (const place of document.querySelectorAll(".of")) place.textContent = data.scores[at].title;
  if (byId("pairs") !== null) showPairs(byId("pairs"), data.pairs[at], data.scores[at]);
  drawCharts();
  showSystem();
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}

async function copySignature() {
  const code = byId("signature");
  try {
    await navigator.clipboard.writeText(code.textContent);
    byId("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(code);
    byId("copied").textContent = "Selected: copy it with the keyboard.";
  }
}

for (const node of document.querySelectorAll(".scripted, #theme, #copy")) node.hidden = false;
for (const made of document.querySelectorAll("table.sortable")) sortable(made);

const theme = byId("theme");
theme.setAttribute("aria-pressed", dark());
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  theme.setAttribute("aria-pressed", dark());
});
byId("copy").addEventListener("click", copySignature);
scoreChoice.addEventListener("change", showScore);
systemChoice?.addEventListener("change", showSystem);

// The first system shown is the best one, as in the leaderboard.
if (systemChoice !== null && data.intervals[0].length) {
  systemChoice.value = Math.max(0, data.systems.indexOf(data.intervals[0][0][0]));
}
showScore();

let drawnAt = byId("intervals").clientWidth;
new ResizeObserver(() => {
  if (byId("intervals").clientWidth === drawnAt) return;
  drawnAt = byId("intervals").clientWidth;
  drawCharts();
}).observe(byId("intervals"));

// What is folded away on the screen belongs on paper.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const box of folded) box.open = true;
});
addEventListener("afterprint", () => {
  for (const box of folded) box.open = false;
});
