// Volumes whose axes are sheared and turned (OME-Zarr 0.6), against rays in float64.
import { isWhole } from "../node/support/amounts.js";
import { gray, grayRows } from "../shared/pixels.js";
import { omeVolume, samplesOf, type Triple, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { change, errors, most, noise, serve, show, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const shape: Triple = [60, 50, 40];
const volume = volumeOf(new Uint8Array(60 * 50 * 40), shape, (x, y, z) =>
  Math.hypot(x - 32, y - 24, z - 20) < 21 ? noise(x, y, z) : 0,
);

type Rows = readonly [Triple, Triple, Triple];

/** An image of OME-Zarr 0.6 with an affine transformation, whose rows are along x, y and z. */
function transformed(rows: Rows): Map<string, Uint8Array> {
  const store = omeVolume([volume], [64, 64, 64]);
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer", discrete: false }));
  const ends = { input: { path: "0" }, output: { name: "physical" } };
  const affine = [...rows].reverse().map((row) => [...row].reverse().concat(7));
  const image = {
    coordinateSystems: [
      { name: "physical", axes },
      { name: "world", axes },
    ],
    datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1], ...ends }] }],
    coordinateTransformations: [
      { type: "affine", affine, input: { name: "physical" }, output: { name: "world" } },
    ],
  };
  const attributes = { ome: { version: "0.6", multiscales: [image] } };
  const document = JSON.stringify({ zarr_format: 3, node_type: "group", attributes });
  return store.set("zarr.json", new TextEncoder().encode(document));
}

const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const times = (rows: Rows, a: Triple): Triple => [dot(rows[0], a), dot(rows[1], a), dot(rows[2], a)];
const scaled = (rows: Rows, factor: number) =>
  rows.map((row) => row.map((value) => value * factor)) as unknown as Rows;

/** By the adjugate. */
function inverse([a, b, c]: Rows): Rows {
  const columns = [cross(b, c), cross(c, a), cross(a, b)] as const;
  const rows = [0, 1, 2].map((i) => columns.map((column) => column[i]! / dot(a, columns[0])));
  return rows as unknown as Rows;
}

test("volumes whose axes are sheared, turned and mirrored", async ({ viewer, page }) => {
  for (const [name, rows] of [
    [
      "sheared",
      [
        [1, 0, 0.5],
        [0.2, 1, 0],
        [0, 0, 1.5],
      ],
    ],
    [
      "turned",
      [
        [0.8, -0.6, 0],
        [0.6, 0.8, 0],
        [0, 0, 1],
      ],
    ],
    [
      "mirrored",
      [
        [-1, 0.3, 0],
        [0, 1, -0.4],
        [0.1, 0, 1],
      ],
    ],
  ] as const satisfies readonly (readonly [string, Rows])[]) {
    await serve(page, transformed(rows), name);
    await show(viewer, "mode=max", name);
    // The closest faces of a voxel have a distance of 1.
    const matrix = scaled(rows, Math.max(...inverse(rows).map((row) => Math.hypot(...row))));
    const back = inverse(matrix);
    const diagonal = Math.max(
      ...[0, 1, 2, 3].map((bits) =>
        Math.hypot(
          ...times(
            matrix,
            shape.map((length, i) => ((bits >> i) & 1 ? -length : length)) as unknown as Triple,
          ),
        ),
      ),
    );
    for (const [yaw, pitch] of [
      [0, 0],
      [35, 25],
    ] as const) {
      await change(viewer, `orbit=${yaw},${pitch},1&mode=max`, name);
      const picture = await viewer.canvas();
      const actual = grayRows(picture);
      const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
      const forward: Triple = [Math.cos(b) * Math.sin(a), Math.sin(b), Math.cos(b) * Math.cos(a)];
      const right: Triple = [Math.cos(a), 0, -Math.sin(a)];
      const down: Triple = [-Math.sin(b) * Math.sin(a), Math.cos(b), -Math.sin(b) * Math.cos(a)];
      const middle = times(matrix, shape.map((length) => length / 2) as unknown as Triple);
      const pixels = Math.min(picture.width, picture.height) / diagonal;
      const pairs: { actual: number; expected: number }[] = [];
      for (let row = 3; row < picture.height; row += 11)
        for (let column = 5; column < picture.width; column += 13) {
          const [u, v] = [
            (column + 0.5 - picture.width / 2) / pixels,
            (row + 0.5 - picture.height / 2) / pixels,
          ];
          const eye = middle.map((at, i) => at + u * right[i]! + v * down[i]! - 2 * diagonal * forward[i]!);
          const ray = { start: times(back, eye as unknown as Triple), direction: times(back, forward) };
          const samples = samplesOf(volume, ray);
          pairs.push({
            actual: actual[row]![column]!,
            expected: gray(samples.length === 0 ? 0 : most(samples), 0, 256),
          });
        }
      expect(errors(pairs).mean, `${name}: ${yaw}`).toBeLessThanOrEqual(2);
      expect(new Set(pairs.map(({ expected }) => expected)).size).toBeGreaterThan(isWhole ? 50 : 30);
    }
  }
});
