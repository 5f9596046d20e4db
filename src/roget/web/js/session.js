// The session: a link opens it, once, and this browser keeps its token for this address and port.

const KEPT = "roget-session";
let held = "";
try {
  held = localStorage.getItem(KEPT) ?? "";
} catch {
  /* Pages from disk may have no store. */
}

// What each request carries.
export const token = () => held;

// If the address is that of a link, use its key; one that was used before does no harm to who is in already.
export async function openLink() {
  const [, key] = /^#\/open\/([\w-]+)$/.exec(location.hash) ?? [];
  if (!key) return;
  history.replaceState(null, "", "#/");
  const answer = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  if (!answer.ok) return;
  held = (await answer.json()).token;
  try {
    localStorage.setItem(KEPT, held);
  } catch {
    /* It holds for this visit. */
  }
}
