/** zarrita's writing calls. */
import { UnsupportedError } from "./errors.js";

const reason = "this library does not write arrays yet; use zarrita for that, with the same stores";

/** @throws UnsupportedError always. */
export async function create(..._: readonly unknown[]): Promise<never> {
  throw new UnsupportedError(`create: ${reason}`);
}

/** @throws UnsupportedError always. */
export async function set(..._: readonly unknown[]): Promise<never> {
  throw new UnsupportedError(`set: ${reason}`);
}
