// docs/download-size.md shows what pages download: node bench/page-sizes.mjs writes its table.
import { expect, it } from "vitest";
import { measurePages } from "../../../bench/page-sizes.mjs";
import { textOf } from "../support/doc-samples.js";

/** Tolerated change of a size, in KB, before the table must be regenerated. */
const tolerance = 5;

it("docs/download-size.md shows the measured sizes", { timeout: 120_000 }, async () => {
  const measured = await measurePages();
  const shown = [...textOf("docs/download-size.md").matchAll(/^\| (.+?) \| (\d+) \|/gm)];
  expect(shown.map(([, what]) => what)).toEqual(measured.map(({ what }) => what));
  for (const [i, { what, size }] of measured.entries())
    expect(Math.abs(Number(shown[i]![2]) - size), `${what}: ${size} KB`).toBeLessThan(tolerance);
});
