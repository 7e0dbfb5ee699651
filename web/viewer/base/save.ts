/** Saves data as a file of the user's. */
import { h } from "./dom.js";

export function saveBlob({ blob, name }: { readonly blob: Blob; readonly name: string }): void {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
