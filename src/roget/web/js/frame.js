// A page within a frame of another, such as a notebook's, where it has no address of its own.

/** @type {(link: string) => string} the address of a place on this page: links are relative to the page around it */
export const within = (link) => location.href.replace(/#.*$/s, "") + link;

/** Follow links to places on this page by hand where the browser would leave it. */
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
