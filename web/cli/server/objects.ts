/** Serves objects of a store over HTTP, so that a page can read data that only this process can access. */
import { isZarrError, listChildren, type Store } from "zarr-wasm";
import { sendRangeHead } from "./ranges.js";
import { type Asked, contentType, type Head, notFound, refused, sendText } from "./response.js";

/** Responds with an object of a store, or with the list of a path. */
export async function sendObject(store: Store, key: string, asked: Asked, head: Head): Promise<void> {
  const controller = new AbortController();
  asked.response.once("close", () => controller.abort());
  try {
    if (key === "" || key.endsWith("/")) await sendChildren(store, key, asked, head);
    else await send(store, key, asked, { ...head, ...contentType(key, true) }, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) return;
    if (!isZarrError(error)) throw error;
    // No object can have a name that no store accepts.
    if (error._tag === "InvalidArgument") notFound(asked, head);
    else refused(asked, 502, head, error.message);
  }
}

/** The folders below a path, in the same form as for a folder on disk. */
async function sendChildren(store: Store, path: string, asked: Asked, head: Head): Promise<void> {
  const names = await listChildren(store, path);
  if (!names) return notFound(asked, head);
  const entries = names.map((name) => ({ name, type: "directory" }));
  sendText(asked, 200, { ...head, "content-type": "application/json" }, JSON.stringify(entries));
}

async function send(store: Store, key: string, asked: Asked, head: Head, signal: AbortSignal): Promise<void> {
  const bytes = await store.get(`/${key}`, { signal });
  if (!bytes) return notFound(asked, head);
  // Stores do not report an object's size without reading it: ranges are cut out of the whole object.
  const part = sendRangeHead(asked, bytes.byteLength, asked.request.headers.range, head);
  if (part) asked.response.end(bytes.subarray(part.start, part.end + 1));
}
