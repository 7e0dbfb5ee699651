// Groups: the arrays in them are offered.

import { grayTable } from "../shared/pixels.js";
import { groupValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";

test("at a group its arrays are offered, and opened", async ({ viewer, page }) => {
  await viewer.goto("source=/stores/group&map=gray&range=0:255");
  await viewer.reaches("error");
  await expect(viewer.error.getByRole("heading")).toHaveText("This is a group of arrays");
  const notes = page.getByRole("list", { name: "Notes" }).getByRole("listitem");
  await expect(notes).toHaveCount(2);
  await expect(notes.nth(1)).toContainText("image: y 4 × x 6, uint8");
  await notes.nth(1).getByRole("button", { name: "Open" }).click();
  await viewer.reaches("ready");
  await expect(viewer.error).toHaveCount(0);
  expect(page.url()).toContain("path=image");
  await viewer.show("source=/stores/group&path=image&map=gray&range=0:255");
  await viewer.showsGray(grayTable(4, 6, [0, 255], (y, x) => groupValue([y, x])));
});

test("strings of any length are a table", async ({ viewer, page, problems }) => {
  problems.expect(/404/); // the only chunk is missing: fill value
  await viewer.show("source=/stores/group&path=deep/words");
  await expect(page.getByRole("cell", { name: '"none"' })).toHaveCount(2);
});
