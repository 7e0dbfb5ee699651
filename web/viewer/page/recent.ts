/** Sources opened before, kept in IndexedDB: addresses, and handles of local files and folders. */
import { h } from "../base/dom.js";
import { shortened } from "../base/text.js";
import { text } from "../language/text.js";
import { writeQuery } from "../model/query.js";
import { type Dropped, type Handle, type NotDropped, storeOfHandle } from "../source/drop.js";
import { localScheme } from "./local.js";

interface RecentSource {
  /** Address; `local:NAME` for a local file or folder. */
  readonly source: string;
  readonly handle?: Handle | undefined;
}

interface KeptSource extends RecentSource {
  /** Milliseconds since 1970. */
  readonly time: number;
}

const maxSources = 20;
const [databaseName, storeName] = ["zarr-wasm-viewer", "recent"] as const;

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Runs a request in a transaction; undefined if the browser keeps no data for this page. */
async function inStore<T>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const opening = indexedDB.open(databaseName, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: "source" });
    const database = await done(opening);
    try {
      return await done(run(database.transaction(storeName, mode).objectStore(storeName)));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

/** The sources, the last one first. */
async function recentSources(): Promise<KeptSource[]> {
  const all = ((await inStore("readonly", (store) => store.getAll())) ?? []) as KeptSource[];
  return all.sort((a, b) => b.time - a.time);
}

/** Keeps a source that has been opened. */
export async function keepSource({ source, handle }: RecentSource): Promise<void> {
  await inStore("readwrite", (store) => store.put({ source, handle, time: Date.now() }));
  for (const old of (await recentSources()).slice(maxSources))
    await inStore("readwrite", (store) => store.delete(old.source));
}

/** Lists the sources in the menu. */
export async function showRecent(
  menu: HTMLDetailsElement,
  take: (found: readonly (Dropped | NotDropped)[]) => void,
  goTo: (query: string) => void,
): Promise<void> {
  const sources = await recentSources();
  const open = async ({ source, handle }: RecentSource) => {
    menu.open = false;
    if (!handle) goTo(writeQuery({ source }));
    else if (await isAllowed(handle)) take([await reopened(handle)]);
  };
  const close = (event: Event) => {
    const isKey = event instanceof KeyboardEvent;
    if (isKey ? event.key !== "Escape" : menu.contains(event.target as Node)) return;
    menu.open = false;
    if (isKey) menu.querySelector("summary")!.focus();
  };
  const end = new AbortController();
  for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, close, end);
  menu.addEventListener("toggle", () => end.abort(), { once: true });
  const clear = async () => {
    await inStore("readwrite", (store) => store.clear());
    menu.open = false;
  };
  menu.querySelector(".page-recent-list")!.replaceChildren(
    sources.length === 0
      ? h("p", {}, text.page.noRecent)
      : h(
          "ul",
          {},
          ...sources.map((one) =>
            h(
              "li",
              {},
              sourceButton(one, () => void open(one)),
            ),
          ),
        ),
    ...(sources.length === 0
      ? []
      : [h("button", { type: "button", onclick: () => void clear() }, text.page.clearRecent)]),
  );
}

function sourceButton({ source, handle }: RecentSource, onclick: () => void): HTMLElement {
  const address = handle ? source.slice(localScheme.length) : source;
  const name = address.split(/[?#]/)[0]!.split("/").filter(Boolean).at(-1) ?? address;
  const place = handle ? text.page.recentPlace[handle.kind] : address;
  return h(
    "button",
    { type: "button", onclick, title: shortened(address, 2000) },
    shortened(name, 80),
    h("span", {}, shortened(place, 200)),
  );
}

/** Browsers ask the user before they give access again. */
async function isAllowed(handle: Handle): Promise<boolean> {
  const asking = handle as Handle & { requestPermission?(options: object): Promise<PermissionState> };
  return ((await asking.requestPermission?.({ mode: "read" })) ?? "granted") === "granted";
}

async function reopened(handle: Handle): Promise<Dropped | NotDropped> {
  try {
    return await storeOfHandle(handle);
  } catch {
    return { name: handle.name, refused: text.page.moved(handle.name) };
  }
}
