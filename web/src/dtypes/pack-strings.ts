/** `packStrings` as the package exports it; store/archive.ts says why. */
import { packStrings as pack } from "./strings.js";

export const packStrings = pack;
