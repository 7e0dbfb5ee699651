// Every file of tests/bad has the outcome stated in bad.json. The native fuzzer runs its share of them, too (npm test -- fuzz).
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { badFiles, outcomeOfBad, readBad } from "../../fuzz/js/bad.js";

describe("tests/bad", () => {
  const rows = badFiles();

  it("has a row for every file", () => {
    const files = readdirSync(new URL("../../bad/", import.meta.url), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile() && entry.name !== "bad.json")
      .map((entry) => `${entry.parentPath.split(/[\\/]/).at(-1)}/${entry.name}`);
    expect(rows.map(({ file }) => file).sort()).toEqual(files.sort());
  });

  it.each(rows)("$file: $about", async ({ file, outcome }) => {
    expect(await outcomeOfBad(file, readBad(file))).toBe(outcome);
  });
});
