/**
 * The store of archives as the package exports it. `open` loads zip.ts itself, as a part of its own (util/lazy.ts). esbuild
 * would count a name that is handed on from there to whatever is taken from the package; a constant it can leave out.
 */
import { ZipStore as Store } from "./zip/store.js";

export const ZipStore = Store;
export type ZipStore = Store;
export type { ZipStoreOptions } from "./zip/store.js";
