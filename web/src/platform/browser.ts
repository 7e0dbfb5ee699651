/** Browsers, workers and edge runtimes: everything is fetched. */
import type { Store } from "../store/store.js";

export function loadWasm(url: URL): Promise<Response> {
  return fetch(url);
}

export function openUrl(_url: URL): Store | undefined {
  return undefined;
}
