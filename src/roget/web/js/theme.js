// Light and dark.

import { $ } from "./dom.js";

export function theme() {
  const button = $("theme"),
    system = matchMedia("(prefers-color-scheme: dark)");
  /** @type {string | null} */ let chosen = null;
  try {
    chosen = localStorage.getItem("roget-theme");
  } catch {
    /* Pages opened from disk may have no storage. */
  }
  const set = () => {
    const dark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("roget-theme", chosen);
    } catch {
      /* Without storage, the theme is kept for this visit only. */
    }
    set();
  });
  system.addEventListener("change", set);
  set();
}
