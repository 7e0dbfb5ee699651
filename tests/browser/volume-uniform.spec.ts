// Bricks of equal voxels beside others: values between them are interpolated.
import { isWhole } from "../node/support/amounts.js";
import { omeVolume, type TestVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { average, change, compared, errors, most, noise, serve, show, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const shape = [128, 128, 64] as const;

/** One chunk of noise; those beside it are not stored, or hold another value everywhere. */
const cases: Record<string, TestVolume> = {
  missing: volumeOf(new Uint8Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? 40 + (noise(x, y, z) >> 1) : 0,
  ),
  others: volumeOf(new Uint8Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? 40 + (noise(x, y, z) >> 2) : x < 64 ? 200 : y < 64 ? 90 : 0,
  ),
  floats: volumeOf(new Float32Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? noise(x, y, z) : x < 64 ? 0 : 130,
  ),
  parts: volumeOf(new Uint8Array(128 * 128 * 64), shape, (x, y, z) => {
    if (x >= 64) return y < 64 ? 60 : 0;
    if (y >= 32 && y < 64 && z < 32) return 40 + (noise(x, y, z) >> 1);
    return y < 64 ? 90 : 200;
  }),
};

test("between bricks that are not stored, with other values, of floats, and with parts of one value", async ({
  viewer,
  page,
}) => {
  for (const [i, [name, volume]] of Object.entries(cases).entries()) {
    await serve(page, omeVolume([volume], [64, 64, 64]), name);
    await show(viewer, "orbit=0,0,24", name);
    const modes = Object.entries({ max: most, mean: average });
    for (const [mode, of] of isWhole ? modes : [modes[i % 2]!]) {
      // Many pixels for each voxel, around the corner of the bricks.
      await change(viewer, `orbit=0,0,24&mode=${mode}`, name);
      expect(errors(await compared(viewer, volume, [0, 0, 24], of)).max, name).toBeLessThanOrEqual(1);
    }
    await change(viewer, "orbit=40,25,24&mode=max", name);
    expect(errors(await compared(viewer, volume, [40, 25, 24], most)).mean, name).toBeLessThanOrEqual(1);
  }
});
