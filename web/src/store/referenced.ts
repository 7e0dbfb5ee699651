/** The store of references as the package exports it; archive.ts says why. */
import { ReferenceStore as Store } from "../formats/kerchunk/store.js";

export const ReferenceStore = Store;
export type ReferenceStore = Store;
export type { ReferenceStoreOptions } from "../formats/kerchunk/store.js";
