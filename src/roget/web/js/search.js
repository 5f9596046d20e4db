// Search with completion: arrow keys choose, Enter opens, Escape closes.

import { source } from "./api.js";
import { $, clear, el, bdi, short } from "./dom.js";
import { announce } from "./edit.js";
import { many } from "./format.js";
import { classLink, go, wordLink } from "./links.js";
import { state } from "./state.js";

export function startSearch() {
  const input = $("search"),
    list = $("found");
  let at = -1,
    asked = 0;
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  /** @param {number} to */
  const choose = (to) => {
    /** @type {HTMLElement[]} */ const options = [...list.querySelectorAll("[data-link]")];
    if (!options.length) return;
    at = (to + options.length) % options.length;
    options.forEach((one, n) => one.setAttribute("aria-selected", String(n === at)));
    input.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  };
  /** @param {HTMLElement | null | undefined} option */
  const open = (option) => {
    if (!option?.dataset.link) return;
    input.value = "";
    close();
    input.blur();
    go(option.dataset.link);
  };
  /** @type {(link: string, name: HTMLElement, note: string) => HTMLElement} */
  const entry = (link, name, note) =>
    el(
      "li",
      { role: "option", "data-link": link, "aria-selected": "false" },
      name,
      el("small", { text: short(note, 60) }),
    );
  const look = async () => {
    const typed = input.value,
      mine = ++asked;
    if (!typed.trim()) {
      close();
      return;
    }
    let found;
    try {
      found = await source.get("search", { q: typed, n: 10 });
    } catch (error) {
      announce(String(/** @type {Error} */ (error).message));
      return;
    }
    if (mine !== asked) return;
    const options = [
      ...found.words.map((one) =>
        entry(wordLink(one), bdi(one.word), state.tree.name(one.class.node)),
      ),
      ...found.classes.map((one) =>
        entry(
          classLink(one.node),
          bdi(state.tree.name(one.node)),
          `class of ${many(one.words, "word")}`,
        ),
      ),
    ];
    options.forEach((one, n) => {
      one.id = `found-${n}`;
    });
    clear(list).append(...options);
    if (!options.length)
      list.append(
        el("li", { class: "none", role: "option", "aria-disabled": "true", text: "Nothing found" }),
      );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    choose(0);
    if (!options.length) input.removeAttribute("aria-activedescendant");
  };
  input.addEventListener("input", look);
  input.addEventListener("focus", look);
  // Keep the list open if the field has regained the focus.
  input.addEventListener("blur", () =>
    setTimeout(() => {
      if (document.activeElement !== input) close();
    }, 120),
  );
  input.addEventListener("keydown", async (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      choose(at + 1);
    } else if (event.key === "ArrowUp") {
      event.preventDefault();
      choose(at - 1);
    } else if (event.key === "Escape") {
      if (list.hidden) input.value = "";
      close();
    } else if (event.key === "Enter") {
      event.preventDefault();
      await look();
      open(list.querySelectorAll("[data-link]")[Math.max(at, 0)]);
    }
  });
  list.addEventListener("pointerdown", (/** @type {any} */ event) => {
    event.preventDefault();
    open(event.target.closest("[data-link]"));
  });
}
