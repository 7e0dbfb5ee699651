/** Saves data as a file of the user's. */
import { h } from "./dom.js";

export interface NamedBlob {
  readonly blob: Blob;
  readonly name: string;
}

export function saveBlob({ blob, name }: NamedBlob): void {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
