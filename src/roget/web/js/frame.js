// Links in a page that is embedded in an iframe without its own address, such as in a notebook.

/** @type {(link: string) => string} the full address of a link within this page */
export const within = (link) => location.href.replace(/#.*$/s, "") + link;

/** Follow links within this page by script if the browser would leave the page. */
export function stay() {
  if (location.protocol !== "about:") return;
  document.addEventListener("click", (event) => {
    const link =
      event.target instanceof Element ? event.target.closest("a")?.getAttribute("href") : null;
    if (!link?.startsWith("#") || event.defaultPrevented) return;
    event.preventDefault();
    location.hash = link;
  });
}
