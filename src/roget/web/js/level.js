// A level: the classes of a cut through the tree, and the path of the search.
/** @import { Page, PathView, Route } from "./types" */

import { source } from "./api.js";
import { $, clear, el, bdi, svg } from "./dom.js";
import { count, decimal, many, percent } from "./format.js";
import { within } from "./frame.js";
import { icicle } from "./icicle.js";
import { classLink, levelLink, parseNumber } from "./links.js";
import { crumbs, links, trustText } from "./parts.js";
import { state } from "./state.js";
import { term } from "./terms.js";

const CARDS = 96;
/** @type {Record<string, string>} */
const valueName = { beta: "β", bits: "description length (bits)", none: "merge cost" };

/** @param {PathView} data @param {HTMLElement} place */
function chart(data, place) {
  const points = data.steps,
    width = Math.max(place.clientWidth, 240),
    height = 176,
    left = data.kind === "bits" ? 84 : 56,
    right = 12,
    top = 14,
    foot = 24;
  const drawing = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${valueName[data.kind]} by the number of classes`,
  });
  const most = state.tree.classes,
    low = Math.min(...points.map((one) => one.value)),
    high = Math.max(...points.map((one) => one.value));
  /** @param {number} k */
  const x = (k) => left + ((k - 1) / Math.max(most - 1, 1)) * (width - left - right);
  /** @param {number} value */
  const y = (value) => top + (1 - (value - low) / (high - low || 1)) * (height - top - foot);
  if (points.length) {
    for (let at = 0; at <= 3; at++) {
      const value = low + ((high - low) * at) / 3;
      drawing.append(
        svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg("text", {
          x: left - 10,
          y: y(value) + 4,
          "text-anchor": "end",
          text: data.kind === "bits" ? count(value) : value.toPrecision(3),
        }),
      );
    }
    drawing.append(
      svg("path", {
        class: "line",
        d: points
          .map(
            (one, at) => `${at ? "L" : "M"}${x(one.classes).toFixed(1)} ${y(one.value).toFixed(1)}`,
          )
          .join(""),
      }),
    );
  }
  const ticks = Math.min(8, most - 1) || 1,
    seen = new Set();
  for (let at = 0; at <= ticks; at++) {
    const k = Math.round(1 + ((most - 1) * at) / ticks);
    if (!seen.has(k))
      drawing.append(
        svg("text", { x: x(k), y: height - 5, "text-anchor": "middle", text: count(k) }),
      );
    seen.add(k);
  }
  drawing.append(
    svg("text", { class: "axis", x: left, y: top - 4, text: valueName[data.kind] }),
    svg("text", {
      class: "axis",
      x: width - right,
      y: height - foot - 4,
      "text-anchor": "end",
      text: "classes",
    }),
  );
  const line = svg("line", { class: "at", y1: top, y2: height - foot }),
    spot = svg("circle", { class: "spot", r: 6 });
  drawing.append(line, spot);
  /** @param {number} k */
  const mark = (k) => {
    const one = points.filter((point) => point.classes <= k).pop() || points[0];
    line.setAttribute("x1", String(x(k)));
    line.setAttribute("x2", String(x(k)));
    spot.setAttribute("cx", String(x(k)));
    spot.setAttribute("cy", String(one ? y(one.value) : height - foot));
    return one;
  };
  return { drawing, mark, left, right };
}

/** @param {Partial<Route>} route @param {() => boolean} alive */
async function drawLevel({ k = 1, node: focus = 0 }, alive) {
  const data = await source.get("path");
  if (!alive()) return;
  const place = clear($("cutter")),
    tree = state.tree;
  const what = el("h1", { tabindex: -1 }),
    note = el("p", { class: "quiet" });
  const number = /** @type {HTMLInputElement} */ (
    el("input", {
      class: "field",
      type: "number",
      id: "classes",
      min: 1,
      max: tree.classes,
      value: k,
      required: true,
    })
  );
  const chosen = el(
    "form",
    { class: "choose" },
    el("label", { for: "classes", text: "Classes" }),
    number,
    el("button", { type: "submit", class: "button", text: "Show" }),
    el("span", {}, term("level", "What is a level?")),
  );
  const slider = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "range",
      min: 1,
      max: tree.classes,
      step: 1,
      value: k,
      id: "slider",
      "aria-label": "Number of classes",
    })
  );
  const hold = el("div"),
    slide = el("div", { class: "slide" }, slider);
  place.append(el("div", { class: "lead" }, what, note, chosen), hold, slide);
  const cards = el("ol", { class: "cards" });
  const foot = el("div"),
    rest = el("button", { type: "button", class: "button" });
  clear($("panel")).append(cards, el("div", { class: "actions" }, rest), foot);
  let drawn = chart(data, hold),
    latest = 0;
  const fit = () => {
    if (!data.steps.length) return;
    clear(hold).append(drawn.drawing);
    slide.style.paddingLeft = `${drawn.left - 8}px`;
    slide.style.paddingRight = `${drawn.right - 8}px`;
  };
  /** @param {number} now */
  const update = (now) => {
    // A class below the cut cannot have the focus.
    while (tree.isLeaf(focus, now) && focus) focus = tree.parent[focus];
    state.route = { view: "level", k: now, node: focus };
    const one = drawn.mark(now),
      nodes = tree.cut(now),
      ranked = [...nodes].sort((a, b) => tree.byTrust(a, b));
    what.textContent = many(nodes.length, "class");
    const value = !one
      ? ""
      : data.kind === "bits"
        ? `${count(one.value)} bits describe the counts`
        : data.kind === "beta"
          ? `at β ${decimal(one.value, 3)}`
          : `merge cost ${decimal(one.value, 2)}`;
    clear(note).append(
      value,
      ...(value ? [" ", term(data.kind === "none" ? "merged" : data.kind, "What is that?")] : []),
    );
    number.value = String(now);
    slider.setAttribute("aria-valuetext", `${many(nodes.length, "class")}, ${value}`);
    icicle.show({ focus, k: now });
    crumbs(focus, (one) => levelLink(now, one));
    $("crumbs").hidden = focus === 0;
    // The slider redraws while it moves, so only the first classes are listed at first.
    clear(cards).append(...ranked.slice(0, CARDS).map(card));
    rest.hidden = nodes.length <= CARDS;
    rest.textContent = `Show all ${many(nodes.length, "class")}`;
    rest.onclick = () => {
      cards.append(...ranked.slice(CARDS).map(card));
      rest.hidden = true;
      fill(cards);
    };
    const classes = nodes.map((node) => ({
      node,
      label: tree.label[node],
      words: tree.words[node],
      share: tree.share[node],
    }));
    clear(foot).append(
      links(
        {
          view: "cut",
          params: { k: now },
          name: `level-${now}`,
          data: { k: nodes.length, classes },
          sheet: () => cutRows(nodes),
        },
        {
          view: "path",
          label: "The path of the search as",
          data,
          sheet: () => [
            ["classes", data.kind],
            ...data.steps.map((one) => [one.classes, one.value]),
          ],
        },
      ),
    );
    document.title = `${many(nodes.length, "class")} · ${state.about.name}`;
    const mine = ++latest;
    setTimeout(() => {
      if (mine === latest && alive()) fill(cards);
    }, 120);
  };
  /** @param {number} now */
  const turn = (now) => {
    update(now);
    history.replaceState(null, "", within(levelLink(now, focus)));
  };
  slider.addEventListener("input", () => turn(Number(slider.value)));
  chosen.addEventListener("submit", (event) => {
    event.preventDefault();
    slider.value = number.value;
    turn(Number(slider.value));
  });
  state.resized = () => {
    drawn = chart(data, hold);
    fit();
    drawn.mark(Number(slider.value));
  };
  fit();
  update(k);
}

/** One row per word with its class, as the server writes them. @param {number[]} nodes */
async function cutRows(nodes) {
  const rows = [];
  for (const [at, node] of nodes.entries()) {
    const leaves = state.tree.leaves(node);
    for (const leaf of leaves) {
      const { typical } = await source.get("class", { node: leaf, n: state.tree.words[leaf] });
      rows.push(...typical.map((one) => [one.id, one.word, at + 1, state.tree.label[node]]));
    }
  }
  rows.sort((one, two) => Number(one[0]) - Number(two[0]));
  return [["item", "label", "class"], ...rows.map((row) => row.slice(1))];
}

/** @param {number} node */
function card(node) {
  const tree = state.tree;
  return el(
    "li",
    {},
    el(
      "a",
      { href: classLink(node), "data-node": node, style: { "--h": tree.hue(node).toFixed(1) } },
      el("b", {}, bdi(tree.name(node))),
      el("p", {
        text: [
          many(tree.words[node], "word"),
          `${percent(tree.share[node])} of the ${state.about.whole}`,
          ...(trustText(node) === null ? [] : [`${trustText(node)} trust`]),
          ...(tree.unsorted.has(node) ? ["unsorted"] : []),
        ].join(" · "),
      }),
      el("p", { class: "others" }),
    ),
  );
}

// Load further words of a class when its card becomes visible.
/** @param {HTMLElement} cards */
function fill(cards) {
  const watch = new IntersectionObserver((seen) =>
    seen
      .filter((one) => one.isIntersecting)
      .forEach(async ({ target }) => {
        watch.unobserve(target);
        const card = /** @type {HTMLElement} */ (target),
          others = card.querySelector(".others");
        try {
          const data = await source.get("class", { node: Number(card.dataset.node), n: 12 }),
            named = new Set(data.label.split(", "));
          if (others)
            clear(others).append(
              ...data.typical
                .filter((one) => !named.has(one.word))
                .slice(0, 9)
                .flatMap((one, at) => [at ? ", " : "", bdi(one.word)]),
            );
        } catch {
          /* The card stays with its label. */
        }
      }),
  );
  cards.querySelectorAll("a:has(.others:empty)").forEach((one) => watch.observe(one));
}

/** @type {Page} */
export const levelPage = {
  // Old links contain "cut".
  names: ["level", "cut"],
  place: 2,
  title: "Level",
  key: "l",
  isAvailable: () => true,
  parse: ([k, id]) => {
    const { classes } = state.tree;
    return {
      k: Math.min(Math.max(parseNumber(k) ?? Math.min(8, classes), 1), classes),
      node: Math.max(state.tree.node(parseNumber(id) ?? 0), 0),
    };
  },
  isWide: () => true,
  draw: drawLevel,
};
