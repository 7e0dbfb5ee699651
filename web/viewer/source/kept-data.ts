/** Keeps data that have been read on this device, for later visits and without a connection. */

import { isZarrError } from "zarr-wasm";
import type { PersistentCache } from "zarr-wasm/cache";

/** Readers of metadata: called when data are read from another place, the server or this device. */
export const readers = new Set<{ reload(): unknown }>();

/** Loaded after the first scripts of the page; undefined if that fails. */
const loading: Promise<PersistentCache | undefined> = import("zarr-wasm/cache").then(
  (entry) => new entry.PersistentCache({ name: "zarr-viewer" }),
  () => undefined,
);

/** Whether data may have been read offline. */
let wasOffline = false;

/** The settings, and the methods that stores call. */
const settings = {
  enabled: true,
  offline: false,
  /** Opens the sources again if their data turn out to have changed. */
  async respond(...request: Parameters<PersistentCache["respond"]>) {
    const [send, ...given] = request;
    const cache = settings.enabled ? await loading : undefined;
    if (!cache) return send(...given);
    cache.offline = settings.offline;
    wasOffline ||= globalThis.navigator?.onLine === false;
    try {
      return await cache.respond(...request);
    } catch (error) {
      if (isZarrError(error, "Network") && error.code === "outdated") reloadSoon();
      throw error;
    }
  },
  forget: (url: URL) => void loading.then((cache) => cache?.forget(url)),
  clear: async () => (await loading)?.clear(),
};

/** For all viewers of an origin. */
export const keptData = settings as typeof settings & PersistentCache;

/** In the local storage if it is switched off. */
const setting = "zarr-viewer: keep data";
/** In the local storage if no requests are sent. */
const offlineSetting = "zarr-viewer: offline";

try {
  keptData.enabled = localStorage.getItem(setting) !== "no";
  keptData.offline = keptData.enabled && localStorage.getItem(offlineSetting) === "yes";
} catch {
  keptData.enabled = false; // pages without storage
}

/** Stores a setting; undefined for the default. Without a storage it applies to this page only. */
function store(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Applies to this page only.
  }
}

/** Switches keeping on or off; off also removes the data. */
export function keepData(isOn: boolean): void {
  keptData.enabled = isOn;
  store(setting, isOn ? undefined : "no");
  if (isOn) return;
  keptData.clear().catch(() => {});
  if (keptData.offline) workOffline(false);
}

/** Shows kept data without requests, or reads from servers again. Opens the sources anew: both may have other versions. */
export function workOffline(isOn: boolean): void {
  keptData.offline = isOn;
  store(offlineSetting, isOn ? "yes" : undefined);
  reloadAll();
}

function reloadAll(): void {
  for (const reader of readers) reader.reload();
}

let isReloading = false;

/** Once for all requests that fail for the same reason. */
function reloadSoon(): void {
  if (isReloading) return;
  isReloading = true;
  setTimeout(() => {
    isReloading = false;
    reloadAll();
  }, 100);
}

// Data that were read offline are not combined with later responses.
globalThis.addEventListener?.("online", () => {
  if (!wasOffline || !keptData.enabled || keptData.offline) return;
  wasOffline = false;
  reloadAll();
});
