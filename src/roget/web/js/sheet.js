// Files that a page offers without a server.

import { el } from "./dom.js";

/** @type {(label: string, file: string, type: string, text: () => string | Promise<string>) => HTMLElement} */
export const offerFile = (label, file, type, text) =>
  el("button", {
    type: "button",
    text: label,
    on: {
      click: async () => {
        const address = URL.createObjectURL(new Blob([await text()], { type }));
        el("a", { href: address, download: file }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
      },
    },
  });

// As the server's sheets: every text as it is.
/** @type {(cell: unknown) => string} */
const quoted = (cell) => {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** @type {(label: string, name: string, sheet: () => unknown[][]) => HTMLElement} */
export const offerSheet = (label, name, sheet) =>
  offerFile(
    label,
    `${name}.csv`,
    "text/csv",
    () =>
      sheet()
        .map((row) => row.map(quoted).join(","))
        .join("\n") + "\n",
  );
