// The session: a link works once, and this browser keeps the token for this address and port.

const KEPT = "roget-session";
let held = "";
try {
  held = localStorage.getItem(KEPT) ?? "";
} catch {
  /* Pages opened from disk may have no storage. */
}

// The token that each request carries.
export const token = () => held;

// Exchange the key of a link for a token. A used key has no effect on an open session.
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
    /* Without storage, the token lasts until the page is closed. */
  }
}
