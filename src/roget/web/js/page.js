// Functions of all report pages: light and dark theme, sorting, copying the signature, printing.

import { $ } from "./dom.js";
import { stay } from "./frame.js";
import { sortable } from "./sort.js";
import { theme } from "./theme.js";

async function copySignature() {
  const code = $("signature");
  try {
    await navigator.clipboard.writeText(code.textContent);
    $("copied").textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(code);
    $("copied").textContent = "Selected. Press Ctrl+C to copy.";
  }
}

export function preparePage() {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(".scripted, #theme, #copy")
  ))
    node.hidden = false;
  for (const made of /** @type {NodeListOf<HTMLTableElement>} */ (
    document.querySelectorAll("table.sortable")
  ))
    sortable(made);
  theme();
  stay();
  $("copy").addEventListener("click", copySignature);
  // Open all collapsed sections for printing.
  /** @type {HTMLDetailsElement[]} */
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [
      .../** @type {NodeListOf<HTMLDetailsElement>} */ (
        document.querySelectorAll("details:not([open])")
      ),
    ];
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => {
    for (const box of closed) box.open = false;
  });
}
