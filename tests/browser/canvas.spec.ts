// Tiles drawn smaller than their size: by WebGL2 and by a 2-D context.
import { grayRows } from "../shared/pixels.js";
import { expect, test } from "./site.js";
import { type ViewerPage, withoutWebGL } from "./viewer-page.js";

const colours = "map=gray&range=0:256";

/** The picture's gray values, pixel by pixel, once they no longer change. */
async function settled(viewer: ViewerPage): Promise<number[][]> {
  let last: number[][] = [];
  await expect
    .poll(async () => {
      const before = last;
      last = grayRows(await viewer.canvas());
      return JSON.stringify(before) === JSON.stringify(last);
    })
    .toBe(true);
  return last;
}

test("narrow, high elements stay sharp in their long direction", async ({ viewer, page }) => {
  await withoutWebGL(page);
  for (const [axes, at] of [
    ["0,1", "8,32,0.7"],
    ["1,0", "32,8,2.8"],
  ] as const) {
    await viewer.show(`source=/stores/planks&${colours}&axes=${axes}&at=${at}`);
    await expect(page.locator(".zw-canvas")).toHaveAttribute("data-renderer", "canvas");
    // The background around the array is not gray.
    const grays = (await settled(viewer)).flat().filter((value) => value !== -1);
    expect(new Set(grays)).toEqual(new Set([40, 200]));
  }
});

for (const how of ["webgl", "canvas"] as const)
  test(`a coarse level draws nothing beyond the array's edge (${how})`, async ({ viewer, page }) => {
    if (how === "canvas") await withoutWebGL(page);
    await viewer.show(`source=/stores/overhang&${colours}&at=45,61,4`);
    const rows = await settled(viewer);
    const [y, x] = [rows.length / 2, rows[0]!.length / 2].map(Math.floor) as [number, number];
    expect([rows[y - 2]![x - 2], rows[y - 2]![x + 2], rows[y + 2]![x - 2]]).toEqual([100, -1, -1]);
  });

test("a view looks the same however it was reached", async ({ viewer, page }) => {
  await withoutWebGL(page);
  const place = `source=/stores/comb&${colours}&at=32,2048`;
  await viewer.show(`${place},0.125`);
  const fresh = await settled(viewer);
  await viewer.show(`${place},1`);
  await settled(viewer);
  await viewer.box.focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press("-");
  await expect.poll(async () => (await viewer.seen()).columns / fresh[0]!.length).toBeCloseTo(8, 1);
  expect(await settled(viewer)).toEqual(fresh);
});
