// Labels in volumes: their colours where they are cut, thin, or hide others.
import { colorTable, pixelBytes } from "../../build/viewer/base/color-tables.js";
import { omeVolume, type TestVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import type { ViewerPage } from "./viewer-page.js";
import { serve, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const size = 64;
const labels = [5, 7, 9, 300];
const colors = labels.map((label) => pixelBytes(colorTable("labels")[label]!));

const segmented = (labelAt: (x: number, y: number, z: number) => number): TestVolume =>
  volumeOf(new Uint16Array(size ** 3), [size, size, size], labelAt);

const cases = {
  /** Whole bricks and cells have one label, and hide another one. */
  around: segmented((x, y, z) => {
    const isInside = [x, y, z].every((at) => at >= 12 && at < size - 12);
    return isInside ? 5 : x + y < size ? 7 : z > 20 ? 9 : 300;
  }),
  thin: segmented((x, y, z) => (x % 16 === 8 ? 7 : y % 16 === 8 ? 9 : z % 16 === 8 ? 300 : 0)),
  single: segmented((x, y, z) => ([x, y, z].every((at) => at % 8 === 4) ? 7 : 0)),
};

/** How often each label is drawn, lit by 0.25 to 1; −1 counts other colours. */
async function drawnLabels(viewer: ViewerPage): Promise<Map<number, number>> {
  const { data } = await viewer.canvas();
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const pixel = data.subarray(at, at + 3);
    if (pixel[0] === 16 && pixel[1] === 20 && pixel[2] === 24) continue; // the ground
    const found = colors.findIndex((color) => {
      const light = Math.max(...pixel) / Math.max(...color);
      return (
        light > 0.24 && light < 1.01 && color.every((value, i) => Math.abs(pixel[i]! - light * value) <= 2)
      );
    });
    const label = labels[found] ?? -1;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}

test("labels all around another one, one voxel thick and single have their colours", async ({
  viewer,
  page,
}) => {
  for (const [name, volume] of Object.entries(cases)) {
    await serve(page, omeVolume([volume], [32, 32, 32]), name);
    const address = `source=/${name}&view=volume&map=labels`;
    await viewer.show(address);
    for (const view of ["0,0,1", "30,20,1", "30,20,1&clip=3:60,4:61,5:59", "30,20,1&cut=20,30,-0.7"]) {
      await viewer.change(`${address}&orbit=${view}`);
      const drawn = await drawnLabels(viewer);
      expect(drawn.get(-1), `${name}: ${view}`).toBeUndefined();
      expect(drawn.get(7), `${name}: ${view}`).toBeGreaterThan(100);
      expect(drawn.get(5), `label 5 is hidden: ${view}`).toBeUndefined();
    }
  }
});
