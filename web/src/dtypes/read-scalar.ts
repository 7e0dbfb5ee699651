/** `readScalar` as the package exports it; store/archive.ts says why. */
import { readScalar as read } from "./scalar.js";

export const readScalar = read;
export type { Scalar } from "./scalar.js";
