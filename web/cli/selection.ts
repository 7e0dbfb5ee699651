/** `--select`. */
import { type Selection, slice } from "zarr-wasm";
import { UsageError } from "./usage.js";

/** Parses "0:10,5,...,::2,:" as in Python, without negative steps. */
export function parseSelection(text: string): Selection {
  return text.split(",").map((part) => {
    const entry = part.trim();
    if (entry === "...") return entry;
    if (/^-?\d+$/.test(entry)) return Number(entry);
    const match = /^(-?\d+)?:(-?\d+)?(?::(\d+)?)?$/.exec(entry);
    if (!match)
      throw new UsageError(`--select: "${entry}" is neither an index nor a slice such as 0:10 or ::2`);
    const [start, stop, step] = match
      .slice(1)
      .map((digits) => (digits === undefined ? null : Number(digits)));
    return slice(start!, stop!, step!);
  });
}
