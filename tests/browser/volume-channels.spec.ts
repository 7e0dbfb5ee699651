// Channels of a volume: each is composited with its own opacities, and added.
import { gray } from "../shared/pixels.js";
import { omeVolume, rayOf, samplesOf, type TestVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { noise, serve } from "./volume-page.js";

const shape = [60, 50, 40] as const;
const channels = [0, 1].map((c) =>
  volumeOf(new Uint8Array(60 * 50 * 40), shape, (x, y, z) => noise(x + 9 * c, y, z) >> (x > 30 ? c : 1 - c)),
);

/** The parts of documents that gain an axis. */
interface Document {
  readonly attributes: {
    readonly ome: {
      readonly multiscales: readonly [
        {
          readonly axes: unknown[];
          readonly datasets: readonly [
            {
              readonly coordinateTransformations: readonly { scale?: number[]; translation?: number[] }[];
            },
          ];
        },
      ];
    };
  };
  readonly shape: number[];
  readonly chunk_grid: { readonly configuration: { readonly chunk_shape: number[] } };
}

/** An image of two channels, each in one chunk. */
function twoChannels(): Map<string, Uint8Array> {
  const store = omeVolume([channels[0]!], [40, 50, 60]);
  const edit = (key: string, change: (document: Document) => void) => {
    const document = JSON.parse(new TextDecoder().decode(store.get(key))) as Document;
    change(document);
    store.set(key, new TextEncoder().encode(JSON.stringify(document)));
  };
  edit("zarr.json", ({ attributes }) => {
    const { axes, datasets } = attributes.ome.multiscales[0];
    axes.unshift({ name: "c", type: "channel" });
    for (const { scale, translation } of datasets[0].coordinateTransformations) {
      scale?.unshift(1);
      translation?.unshift(0);
    }
  });
  edit("0/zarr.json", ({ shape: lengths, chunk_grid: { configuration } }) => {
    lengths.unshift(2);
    configuration.chunk_shape.unshift(1);
  });
  store.delete("0/c/0/0/0");
  for (const [c, { data }] of channels.entries()) store.set(`0/c/${c}/0/0/0`, data);
  return store;
}

/** The colour that a translucent channel adds: opacities are for one voxel, of which a ray takes two samples. */
function translucent(volume: TestVolume, ray: ReturnType<typeof rayOf>, opacity: (share: number) => number) {
  let [colour, clear] = [0, 1];
  for (const value of samplesOf(volume, ray)) {
    const own = 1 - (1 - Math.min(opacity(Math.floor(value) / 255), 0.999)) ** 0.5;
    colour += clear * own * gray(value, 0, 256);
    clear *= 1 - own;
  }
  return colour;
}

/** From 0.3 of the range, and a band in the middle of it. */
const curves = [
  (share: number) => Math.max(0, (share - 0.3) / 0.7) * 0.6,
  (share: number) => Math.max(0, 0.08 * (1 - Math.abs(share - 0.5) / 0.25)),
] as const;
const texts = ["0.3/0;1/0.6", "0.25/0;0.5/0.08;0.75/0"];

test("every channel has its own opacities", async ({ viewer, page }) => {
  await serve(page, twoChannels());
  const list = ["ff0000", "00ff00"].map((color, c) => `${c}:${color}:0..256:1:${texts[c]}`).join();
  await viewer.show(`source=/volume&view=volume&mode=composite&orbit=30,20,1&channels=${list}`);
  const picture = await viewer.canvas();
  const errors: number[] = [];
  for (let row = 3; row < picture.height; row += 11)
    for (let column = 5; column < picture.width; column += 13) {
      const ray = rayOf(channels[0]!, { yaw: 30, pitch: 20, zoom: 1 }, picture, [column, row]);
      for (const c of [0, 1] as const) {
        const expected = translucent(channels[c]!, ray, curves[c]);
        errors.push(Math.abs(picture.data[4 * (row * picture.width + column) + c]! - expected));
      }
    }
  expect(Math.max(...errors)).toBeLessThanOrEqual(5);
  expect(errors.reduce((sum, one) => sum + one, 0) / errors.length).toBeLessThanOrEqual(0.5);
});

test("the curve of a channel in its controls and the address", async ({ viewer, page }) => {
  await serve(page, twoChannels());
  await viewer.show("source=/volume&view=volume&mode=composite");
  const row = page.getByRole("group", { name: "Limits and gamma of channel 2, Channel 1" });
  const points = row.getByRole("button", { name: /^Point/ });
  await expect(points).toHaveCount(5);
  await points.nth(4).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/1:[0-9a-f]{6}:auto:1:0\/0;0\.25\/0\.063;0\.5\/0\.25;0\.75\/0\.563;1\/0\.98/);
  await points.nth(1).focus();
  await page.keyboard.press("Delete");
  await expect(page).toHaveURL(/:0\/0;0\.5\/0\.25;0\.75/);
  await expect(points).toHaveCount(4);
  await points.nth(1).dblclick();
  await expect(points).toHaveCount(3);
  await row.getByRole("button", { name: "Default opacity" }).click();
  await expect(page).not.toHaveURL(/channels=/);
  await page.getByLabel("Along each ray").selectOption("Maximum");
  await expect(points.first()).toBeHidden();
});
