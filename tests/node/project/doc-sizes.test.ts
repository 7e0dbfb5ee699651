// docs/download-size.md shows what pages download: node bench/page-sizes.mjs writes its table.
import { expect, it } from "vitest";
import { pages } from "../../../bench/page-sizes.mjs";
import { amount } from "../support/amounts.js";
import { textOf } from "../support/doc-samples.js";

/** Tolerated change of a size, in KB, before the table must be regenerated. */
const tolerance = 5;

const shown = [...textOf("docs/download-size.md").matchAll(/^\| (.+?) \| (\d+) \|/gm)];

it("docs/download-size.md has a row for each measured page", () => {
  expect(shown.map(([, what]) => what)).toEqual(pages.map(({ what }) => what));
});

/** Every fifth row is measured, or all. */
const step = amount(5, 1);
const measured = pages.map((page, i) => ({ ...page, row: i })).filter(({ row }) => row % step === 0);

it.each(measured)("docs/download-size.md shows the size of a page that $what", async ({ measure, row }) => {
  expect(Math.abs(Number(shown[row]![2]) - (await measure()))).toBeLessThan(tolerance);
});
