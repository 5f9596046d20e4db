// Downloads that need no server.

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

// Quote a CSV cell as the server does; other texts are unchanged.
/** @type {(cell: unknown) => string} */
const quoted = (cell) => {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** @typedef {unknown[][] | Promise<unknown[][]>} Rows */
/** @type {(label: string, name: string, sheet: () => Rows) => HTMLElement} */
export const offerSheet = (label, name, sheet) =>
  offerFile(label, `${name}.csv`, "text/csv", async () => {
    const lines = (await sheet()).map((row) => row.map(quoted).join(","));
    return `${lines.join("\n")}\n`;
  });
