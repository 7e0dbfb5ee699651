// Reads docs/site/examples.md: the examples of the API reference, by entry and name.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** @returns {{ entry: string, name: string, line: number, isBrowser: boolean, code: string }[]} */
export function apiExamples() {
  const text = readFileSync(path.join(root, "docs/site/examples.md"), "utf8");
  const found = [];
  let entry = "";
  let name = "";
  for (const part of text.matchAll(/^(##|###) (.+)$|^```js( browser)?\n([\s\S]*?)^```$/gm)) {
    const [, level, title, browser, code] = part;
    if (level === "##") entry = title;
    else if (level === "###") name = title;
    else {
      const line = text.slice(0, part.index).split("\n").length;
      found.push({ entry, name, line, isBrowser: browser !== undefined, code });
    }
  }
  return found;
}
