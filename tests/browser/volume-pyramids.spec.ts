// Pyramids whose levels are not halves of each other, or begin at other places.
import { gray } from "../shared/pixels.js";
import { omeVolume, samplesOf, type Triple, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { change, comparedRays, errors, most, noise, serve, show } from "./volume-page.js";

test.use({ viewport: { width: 640, height: 464 } });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const shape: Triple = [300, 100, 70];
const finest = volumeOf(new Uint8Array(300 * 100 * 70), shape, () => 7);

/** The levels' voxels in those of level 0. */
interface Coarse {
  readonly shape: Triple;
  readonly factor: Triple;
  readonly origin: Triple;
}

const cases: Readonly<Record<string, Coarse>> = {
  odd: {
    shape: [97, 33, 23],
    factor: [300 / 97, 100 / 33, 70 / 23],
    origin: [0, 0, 0],
  },
  displaced: { shape: [75, 25, 18], factor: [4, 4, 4], origin: [-0.5, 0.5, -2] },
  elsewhere: { shape: [99, 33, 23], factor: [3, 3, 3], origin: [1.5, -1.5, 1] },
};

test("pyramids whose levels have odd lengths, are displaced, or begin elsewhere", async ({
  viewer,
  page,
}) => {
  for (const [name, coarse] of Object.entries(cases)) {
    const { factor, origin } = coarse;
    const count = coarse.shape[0] * coarse.shape[1] * coarse.shape[2];
    const level = volumeOf(new Uint8Array(count), coarse.shape, (x, y, z) => 40 + (noise(x >> 1, y, z) >> 1));
    const store = omeVolume([finest, level], [64, 64, 64]);
    const document = JSON.parse(new TextDecoder().decode(store.get("zarr.json")));
    const reversed = (list: readonly number[]) => [...list].reverse();
    document.attributes.ome.multiscales[0].datasets[0].coordinateTransformations = [
      { type: "scale", scale: [1, 1, 1] },
    ];
    // Translations refer to the centres of elements.
    document.attributes.ome.multiscales[0].datasets[1].coordinateTransformations = [
      { type: "scale", scale: reversed(factor) },
      { type: "translation", translation: reversed(origin.map((at, i) => at - 0.5 + factor[i]! / 2)) },
    ];
    store.set("zarr.json", new TextEncoder().encode(JSON.stringify(document)));
    await serve(page, store, name);
    await show(viewer, "orbit=0,0,0.3&mode=max", name);
    for (const [yaw, pitch] of [
      [0, 0],
      [35, 25],
    ] as const) {
      await change(viewer, `orbit=${yaw},${pitch},0.3&mode=max`, name);
      await expect(viewer.box).toHaveAttribute("aria-label", /Volume of/);
      const own = (point: Triple) =>
        point.map((at, i) => (at - origin[i]!) / factor[i]!) as unknown as Triple;
      const part = { from: own([0, 0, 0]), to: own(shape), step: Math.min(...factor) / 2 };
      const pairs = await comparedRays(
        viewer,
        finest,
        [yaw, pitch, 0.3],
        ({ start, direction }) => {
          const way = direction.map((at, i) => at / factor[i]!) as unknown as Triple;
          const samples = samplesOf(level, { start: own(start), direction: way }, part);
          return gray(samples.length === 0 ? 0 : most(samples), 0, 256);
        },
        2,
      );
      expect(pairs.filter(({ expected }) => expected > 0).length).toBeGreaterThan(100);
      expect(errors(pairs).mean, name).toBeLessThanOrEqual(1);
      // Rounding decides whether a ray meets the edge of the volume.
      const wrong = pairs.filter(({ actual, expected: value }) => Math.abs(actual - value) > 40);
      expect(wrong.length, name).toBeLessThanOrEqual(yaw === 0 ? 0 : 2);
    }
  }
});
