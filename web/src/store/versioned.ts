/** The store of Icechunk repositories as the package exports it; archive.ts says why. */
import { IcechunkStore as Store } from "../formats/icechunk/store.js";

export const IcechunkStore = Store;
export type IcechunkStore = Store;
export type { IcechunkCommit, IcechunkRef } from "../formats/icechunk/repo.js";
export type { IcechunkOptions } from "../formats/icechunk/store.js";
export type { IcechunkVersion } from "../formats/icechunk/version.js";
export type { VirtualBase } from "../formats/icechunk/virtual.js";
