/** Volumes of the tests, as OME-Zarr stores in memory, and rays through them in float64. */
import type { Orbit } from "../../build/viewer/model/volume.js";

export type Triple = readonly [number, number, number];

export interface TestVolume {
  /** Along x, y and z. */
  readonly shape: Triple;
  readonly data: Uint8Array | Uint16Array | Float32Array;
}

export const volumeOf = <T extends TestVolume["data"]>(
  data: T,
  shape: Triple,
  value: (x: number, y: number, z: number) => number,
): TestVolume & { data: T } => {
  let at = 0;
  for (let z = 0; z < shape[2]; z++)
    for (let y = 0; y < shape[1]; y++) for (let x = 0; x < shape[0]; x++) data[at++] = value(x, y, z);
  return { shape, data };
};

/** Means of two by two by two voxels. */
export function halved({ shape, data }: TestVolume): TestVolume {
  const half = shape.map((length) => Math.ceil(length / 2)) as unknown as Triple;
  const made = new (data.constructor as new (length: number) => Uint8Array)(half[0] * half[1] * half[2]);
  return volumeOf(made, half, (x, y, z) => {
    let [sum, count] = [0, 0];
    for (let k = 2 * z; k < Math.min(2 * z + 2, shape[2]); k++)
      for (let j = 2 * y; j < Math.min(2 * y + 2, shape[1]); j++)
        for (let i = 2 * x; i < Math.min(2 * x + 2, shape[0]); i++) {
          sum += data[(k * shape[1] + j) * shape[0] + i]!;
          count++;
        }
    return sum / count;
  });
}

const typeNames = { Uint8Array: "uint8", Uint16Array: "uint16", Float32Array: "float32" } as const;

/**
 * The documents and chunks of an OME-Zarr 0.5 image, finest level first. Chunks of fill values are omitted.
 * @param chunk along z, y and x
 */
export function omeVolume(levels: readonly TestVolume[], chunk: Triple, fill = 0): Map<string, Uint8Array> {
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" }));
  const store = new Map<string, Uint8Array>();
  const datasets = levels.map((_, i) => ({
    path: `${i}`,
    coordinateTransformations: [
      { type: "scale", scale: [2 ** i, 2 ** i, 2 ** i] },
      { type: "translation", translation: [(2 ** i - 1) / 2, (2 ** i - 1) / 2, (2 ** i - 1) / 2] },
    ],
  }));
  const ome = { version: "0.5", multiscales: [{ axes, datasets }] };
  store.set("zarr.json", encode({ zarr_format: 3, node_type: "group", attributes: { ome } }));
  for (const [i, { shape, data }] of levels.entries()) {
    const own = [...shape].reverse();
    const size = chunk.map((length, axis) => Math.min(length, own[axis]!)) as unknown as Triple;
    const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
    store.set(
      `${i}/zarr.json`,
      encode({
        zarr_format: 3,
        node_type: "array",
        shape: own,
        data_type: typeNames[data.constructor.name as "Uint8Array"],
        chunk_grid: { name: "regular", configuration: { chunk_shape: size } },
        chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
        fill_value: fill,
        codecs,
      }),
    );
    for (const [key, bytes] of chunksOf({ shape, data }, size, fill)) store.set(`${i}/c/${key}`, bytes);
  }
  return store;
}

export function* chunksOf(
  { shape, data }: TestVolume,
  [cz, cy, cx]: Triple,
  fill: number,
): Generator<[string, Uint8Array]> {
  const Kind = data.constructor as new (length: number) => Uint8Array;
  for (let z = 0; z * cz < shape[2]; z++)
    for (let y = 0; y * cy < shape[1]; y++)
      for (let x = 0; x * cx < shape[0]; x++) {
        const part = new Kind(cz * cy * cx).fill(fill);
        for (let k = 0; k < Math.min(cz, shape[2] - z * cz); k++)
          for (let j = 0; j < Math.min(cy, shape[1] - y * cy); j++) {
            const from = ((z * cz + k) * shape[1] + y * cy + j) * shape[0] + x * cx;
            const row = (data as Uint8Array).subarray(from, from + Math.min(cx, shape[0] - x * cx));
            part.set(row, (k * cy + j) * cx);
          }
        if (part.some((value) => value !== fill)) yield [`${z}/${y}/${x}`, new Uint8Array(part.buffer)];
      }
}

/** The value of the voxel that holds a point; undefined outside the volume. */
export function nearest({ shape, data }: TestVolume, point: Triple): number | undefined {
  const [x, y, z] = point.map(Math.floor) as unknown as Triple;
  const isInside = [x, y, z].every((at, i) => at >= 0 && at < shape[i]!);
  return isInside ? data[(z * shape[1] + y) * shape[0] + x] : undefined;
}

/** The value between voxels, whose middles are at 0.5, 1.5, …; edges are repeated. */
export function trilinear({ shape, data }: TestVolume, [x, y, z]: Triple): number {
  // Without arrays: rays call this millions of times.
  const [i, j, k] = [Math.floor(x - 0.5), Math.floor(y - 0.5), Math.floor(z - 0.5)];
  const [u, v, w] = [x - 0.5 - i, y - 0.5 - j, z - 0.5 - k];
  let sum = 0;
  for (let bits = 0; bits < 8; bits++) {
    const [right, lower, farther] = [bits & 1, (bits >> 1) & 1, bits >> 2];
    const weight = (right ? u : 1 - u) * (lower ? v : 1 - v) * (farther ? w : 1 - w);
    if (weight === 0) continue;
    const row = clamped(k + farther, shape[2]) * shape[1] + clamped(j + lower, shape[1]);
    sum += weight * data[row * shape[0] + clamped(i + right, shape[0])]!;
  }
  return sum;
}

const clamped = (at: number, length: number) => Math.min(Math.max(at, 0), length - 1);

export interface Ray {
  readonly start: Triple;
  /** Of length 1. */
  readonly direction: Triple;
}

/** The ray of a pixel in a parallel projection of a volume of cubic voxels. */
export function rayOf(
  { shape }: TestVolume,
  { yaw, pitch, zoom }: Pick<Orbit, "yaw" | "pitch" | "zoom">,
  picture: { readonly width: number; readonly height: number },
  [column, row]: readonly [number, number],
): Ray {
  const [a, b] = [(yaw * Math.PI) / 180, (pitch * Math.PI) / 180];
  const length = Math.hypot(...shape);
  const scale = (Math.min(picture.width, picture.height) / length) * zoom;
  const [u, v] = [(column + 0.5 - picture.width / 2) / scale, (row + 0.5 - picture.height / 2) / scale];
  // Turned about the vertical axis, then inclined.
  const forward: Triple = [Math.cos(b) * Math.sin(a), Math.sin(b), Math.cos(b) * Math.cos(a)];
  const right: Triple = [Math.cos(a), 0, -Math.sin(a)];
  const down: Triple = [-Math.sin(b) * Math.sin(a), Math.cos(b), -Math.sin(b) * Math.cos(a)];
  const start = shape.map(
    (side, i) => side / 2 + u * right[i]! + v * down[i]! - 2 * length * forward[i]!,
  ) as unknown as Triple;
  return { start, direction: forward };
}

/** The part of a volume that is drawn: inside a box, and where the product with a normal exceeds an offset. */
export interface TestPart {
  readonly from?: Triple;
  readonly to?: Triple;
  readonly normal?: Triple;
  readonly offset?: number;
  /** Distance along the ray at which it ends. */
  readonly until?: number;
  /** Distance between samples. Default: 0.5 */
  readonly step?: number;
}

/** The samples of a ray: two per voxel, the first at the surface of the volume or of its part. */
export function samplesOf(
  volume: TestVolume,
  { start, direction }: Ray,
  {
    from = [0, 0, 0],
    to = volume.shape,
    normal,
    offset = 0,
    until = Number.POSITIVE_INFINITY,
    step = 0.5,
  }: TestPart = {},
): number[] {
  let [enter, leave] = [Number.NEGATIVE_INFINITY, until];
  for (const i of [0, 1, 2]) {
    const way = Math.abs(direction[i]!) < 1e-9 ? 1e-9 : direction[i]!;
    const [a, b] = [(from[i]! - start[i]!) / way, (to[i]! - start[i]!) / way];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  }
  if (normal) {
    const product = (at: Triple) => at[0] * normal[0] + at[1] * normal[1] + at[2] * normal[2];
    const toward = product(direction);
    const ahead = (offset - product(start)) / toward;
    if (Math.abs(toward) < 1e-9)
      return product(start) >= offset ? samplesOf(volume, { start, direction }) : [];
    if (toward > 0) enter = Math.max(enter, ahead);
    else leave = Math.min(leave, ahead);
  }
  const values: number[] = [];
  for (let t = enter; t < leave; t += step)
    values.push(
      trilinear(volume, [
        start[0] + t * direction[0],
        start[1] + t * direction[1],
        start[2] + t * direction[2],
      ]),
    );
  return values;
}
