// The data of the views, from the server or from the blocks of the static page.
/** @import { Download, Given, Overview, Source, Views } from "./types" */

import { Blocks } from "./blocks.js";
import { $ } from "./dom.js";
import { Failure } from "./failure.js";
import { ROUTES } from "./routes.js";
import { token } from "./session.js";
import { offerFile } from "./sheet.js";
import { state } from "./state.js";

const MAX_CACHED = 300;

/**
 * Return the address of a view: path parameters are filled in, the others follow the question mark.
 * @param {keyof Views} view @param {Given} [params]
 */
export function address(view, params = {}) {
  const rest = { ...params };
  const route = ROUTES[view].find((one) =>
    [...one.matchAll(/{(\w+)}/g)].every(([, name]) => name in rest),
  );
  const path = String(route).replace(/{(\w+)}/g, (_, name) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(value);
  });
  const query = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, String(value)]);
  return query.length ? `${path}?${new URLSearchParams(query)}` : path;
}

/** @param {string} place @param {Given} [body] sent by POST @returns {Promise<Response>} */
async function request(place, body) {
  const headers = {
    "x-roget-token": token(),
    ...(body ? { "content-type": "application/json" } : {}),
  };
  try {
    const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
    return await fetch(place, { headers, ...options });
  } catch {
    throw new Failure("The server does not respond; start roget explore again", 503);
  }
}

/** @param {string} place @param {Given} [body] */
async function requestJson(place, body) {
  const response = await request(place, body);
  let data = null;
  try {
    data = await response.json();
  } catch {
    // A proxy may have answered: the status is reported below.
  }
  if (!response.ok || data === null) {
    const status = `${response.status} ${response.statusText}`.trim();
    throw new Failure(data?.error || status, response.status);
  }
  return data;
}

/** @implements {Source} */
class Server {
  /** @type {Map<string, any>} */
  cache = new Map();

  /** @param {keyof Views} view @param {Given} [params] @returns {Promise<any>} */
  async get(view, params) {
    const place = address(view, params);
    if (this.cache.has(place)) return this.cache.get(place);
    const data = await requestJson(place);
    if (this.cache.size >= MAX_CACHED) this.cache.delete([...this.cache.keys()][0]);
    this.cache.set(place, data);
    return data;
  }

  forget() {
    this.cache.clear();
  }

  /** @param {Download} download */
  links({ view, params = {}, name = view }) {
    /** @param {Given} [more] */
    const text = async (more) => (await request(address(view, { ...params, ...more }))).text();
    return [
      offerFile("JSON", `${name}.json`, "application/json", () => text()),
      offerFile("CSV", `${name}.csv`, "text/csv", () => text({ format: "csv" })),
    ];
  }

  /** @param {Given} edit @returns {Promise<Overview>} */
  async edit(edit) {
    const data = await requestJson("/api/edit", { ...edit, revision: state.about.revision });
    this.forget();
    return data;
  }
}

/** @type {Source} */
export const source = $("data-overview") ? new Blocks() : new Server();
