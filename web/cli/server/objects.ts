/** Objects of a store over HTTP: what only this process can read, a page can then, too. */
import { isZarrError, listChildren, type Store } from "zarr-wasm";
import { sendRangeHead } from "./ranges.js";
import { type Asked, type Head, notFound, refused, sendText, typeOf } from "./response.js";

/** Answers with an object of a store, or with what lies below a path. */
export async function sendObject(store: Store, key: string, asked: Asked, head: Head): Promise<void> {
  const controller = new AbortController();
  asked.response.once("close", () => controller.abort());
  try {
    if (key === "" || key.endsWith("/")) await sendChildren(store, key, asked, head);
    else await send(store, key, asked, { ...head, ...typeOf(key, true) }, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return;
    if (!isZarrError(error)) throw error;
    // A name that no store takes is one that none has.
    if (error._tag === "InvalidArgument") notFound(asked, head);
    else refused(asked, 502, head, error.message);
  }
}

/** The folders below a path; the same form as a folder on disk has. */
async function sendChildren(store: Store, path: string, asked: Asked, head: Head): Promise<void> {
  const names = await listChildren(store, path);
  if (!names) return notFound(asked, head);
  const entries = names.map((name) => ({ name, type: "directory" }));
  sendText(asked, 200, { ...head, "content-type": "application/json" }, JSON.stringify(entries));
}

async function send(store: Store, key: string, asked: Asked, head: Head, signal: AbortSignal): Promise<void> {
  const bytes = await store.get(`/${key}`, { signal });
  if (!bytes) return notFound(asked, head);
  // Stores do not say how large an object is without reading it: parts are cut out of the whole.
  const part = sendRangeHead(asked, bytes.byteLength, asked.request.headers.range, head);
  if (part) asked.response.end(bytes.subarray(part.start, part.end + 1));
}
