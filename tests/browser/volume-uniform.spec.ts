// Bricks of equal voxels beside others: values between them are interpolated.
import { isWhole } from "../node/support/amounts.js";
import { omeVolume, type TestVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { compared, errors, most, noise, serve, show, shrinkWindow } from "./volume-page.js";

const mean = (samples: readonly number[]) => samples.reduce((sum, one) => sum + one, 0) / samples.length;
const shape = [128, 128, 64] as const;

/** One chunk of noise; those beside it are not stored, or hold another value everywhere. */
const cases: Record<string, TestVolume> = {
  "that are not stored": volumeOf(new Uint8Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? 40 + (noise(x, y, z) >> 1) : 0,
  ),
  "with other values": volumeOf(new Uint8Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? 40 + (noise(x, y, z) >> 2) : x < 64 ? 200 : y < 64 ? 90 : 0,
  ),
  "of float32": volumeOf(new Float32Array(128 * 128 * 64), shape, (x, y, z) =>
    x < 64 && y < 64 ? noise(x, y, z) : x < 64 ? 0 : 130,
  ),
  "whose parts have one value each, except one": volumeOf(
    new Uint8Array(128 * 128 * 64),
    shape,
    (x, y, z) => {
      if (x >= 64) return y < 64 ? 60 : 0;
      if (y >= 32 && y < 64 && z < 32) return 40 + (noise(x, y, z) >> 1);
      return y < 64 ? 90 : 200;
    },
  ),
};

for (const [i, [name, volume]] of Object.entries(cases).entries())
  test(`between bricks ${name}`, async ({ viewer, page, problems }) => {
    problems.expect(/404/);
    await shrinkWindow(page);
    await serve(page, omeVolume([volume], [64, 64, 64]));
    const modes = Object.entries({ max: most, mean });
    for (const [mode, of] of isWhole ? modes : [modes[i % 2]!]) {
      // Many pixels for each voxel, around the corner of the bricks.
      await show(viewer, `orbit=0,0,24&mode=${mode}`);
      expect(errors(await compared(viewer, volume, [0, 0, 24], of)).max).toBeLessThanOrEqual(1);
    }
    await show(viewer, "orbit=40,25,24&mode=max");
    expect(errors(await compared(viewer, volume, [40, 25, 24], most)).mean).toBeLessThanOrEqual(1);
  });
