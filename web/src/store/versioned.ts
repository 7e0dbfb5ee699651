/** The store of Icechunk repositories as the package exports it; archive.ts says why. */
import { IcechunkStore as Store } from "./icechunk.js";

export const IcechunkStore = Store;
export type IcechunkStore = Store;
export type { IcechunkCommit, IcechunkRef } from "./icechunk/repo.js";
export type { IcechunkVersion } from "./icechunk/version.js";
export type { VirtualBase } from "./icechunk/virtual.js";
export type { IcechunkOptions } from "./icechunk.js";
