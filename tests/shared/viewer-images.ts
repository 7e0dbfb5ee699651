/**
 * Uncompressed Zarr v3 stores, written without the library: OME-Zarr images, pictures, a dataset on a map.
 * Every expected element is computed independently.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const types = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

interface ArraySpec {
  readonly shape: readonly number[];
  readonly type: keyof typeof types;
  readonly value: (index: readonly number[]) => number;
  /** Chunk shape, whose lengths divide the array's. Default: the whole array. */
  readonly chunks?: readonly number[];
  readonly names?: readonly string[];
  readonly attributes?: object;
}

/** Channels of `omero`: [channel, row, column] of uint16. */
export const omeroShape = [3, 24, 32] as const;
export const omeroValue = ([c, row, column]: readonly number[]) =>
  c === 0 ? 100 * column! : c === 1 ? 50 * row! : (row! + column!) % 2 === 0 ? 1000 : 0;
/** Ends of the display windows, and active channels. */
export const omeroWindows = [
  [0, 3200],
  [0, 1200],
  [0, 1000],
] as const;

/** [row, column, colour] of uint8. */
export const pictureValue = ([row, column, c]: readonly number[]) =>
  [8 * row!, 6 * column!, 255 - 5 * (row! + column!)][c!]!;
/** [colour, row, column]; the fourth component is alpha. */
export const maskedValue = ([c, row, column]: readonly number[]) =>
  c! < 3 ? pictureValue([row!, column!, c!]) : column! < 10 ? 0 : 255;

/** [z, y, x] of uint8. */
export const volumeShape = [10, 20, 30] as const;
export const volumeValue = ([z, y, x]: readonly number[]) => 20 * z! + 2 * y! + x!;

/** [time, lat, lon] of float32, stored from south to north; days since 2020-01-01. */
export const mapShape = [6, 18, 36] as const;
export const mapValue = ([t, lat, lon]: readonly number[]) => 100 * t! + lat! + lon! / 100;

/** [row, column] of uint8, each row four times as high as wide. */
export const plankValue = ([row]: readonly number[]) => (row! % 2 === 0 ? 40 : 200);
/** [row, column] of uint8: 0 and 255 by columns, so that the choice of samples matters. */
export const combValue = ([, column]: readonly number[]) => ([2, 5].includes(column! % 8) ? 255 : 0);

/** Depths in metres, at very different distances: [depth, lat] of float32. */
export const depths = [5, 15, 30, 60, 120, 250, 500, 1000] as const;
export const sectionValue = ([depth, lat]: readonly number[]) => 20 * depth! + lat!;

/** [lat, lon] of float32, from 0 to 360° east. */
export const oceanShape = [18, 36] as const;
export const oceanValue = ([lat, lon]: readonly number[]) => 10 * lat! + lon!;

/** [j, i] of float32: a grid turned by 30° around 10° E 50° N, cells of 1°. */
export const turnedShape = [12, 20] as const;
export const turnedValue = ([j, i]: readonly number[]) => 20 * j! + i!;
export const turnedPlace = ([j, i]: readonly number[]): readonly [longitude: number, latitude: number] => {
  const [x, y] = [i! - 9.5, j! - 5.5];
  const [sine, cosine] = [Math.sin(Math.PI / 6), Math.cos(Math.PI / 6)];
  return [10 + x * cosine - y * sine, 50 + x * sine + y * cosine];
};

const images: Readonly<Record<string, () => Readonly<Record<string, ArraySpec | object>>>> = {
  omero: () => ({
    "": omeGroup("cyx", [1, 0.5, 0.5], {
      channels: omeroWindows.map(([start, end], i) => ({
        label: ["DAPI", "GFP", "RFP"][i],
        color: ["0000FF", "00FF00", "FF0000"][i],
        active: i < 2,
        window: { min: 0, max: 65535, start, end },
      })),
    }),
    "0": { shape: omeroShape, type: "uint16", chunks: [1, 24, 32], value: omeroValue } satisfies ArraySpec,
  }),
  picture: () => ({ "": { shape: [20, 30, 3], type: "uint8", value: pictureValue } satisfies ArraySpec }),
  masked: () => ({ "": { shape: [4, 20, 30], type: "uint8", value: maskedValue } satisfies ArraySpec }),
  planks: () => ({
    "": omeGroup("yx", [4, 1]),
    "0": { shape: [16, 64], type: "uint8", chunks: [8, 32], value: plankValue } satisfies ArraySpec,
  }),
  comb: () => ({
    "": { shape: [64, 4096], type: "uint8", chunks: [64, 512], value: combValue } satisfies ArraySpec,
  }),
  // The coarser level extends beyond the finer one.
  overhang: () => ({
    "": omeGroup("yx", [1, 1], undefined, 2),
    "0": { shape: [45, 61], type: "uint8", value: () => 100 } satisfies ArraySpec,
    "1": { shape: [23, 31], type: "uint8", value: () => 200 } satisfies ArraySpec,
  }),
  depths: () => ({
    "": omeGroup("zyx", [2, 0.5, 0.5]),
    "0": { shape: volumeShape, type: "uint8", chunks: [1, 20, 30], value: volumeValue } satisfies ArraySpec,
  }),
  weather: () => ({
    "": { zarr_format: 3, node_type: "group", attributes: { Conventions: "CF-1.10" } },
    time: {
      shape: [6],
      type: "int32",
      value: ([i]) => i!,
      names: ["time"],
      attributes: { units: "days since 2020-01-01", calendar: "standard", standard_name: "time" },
    } satisfies ArraySpec,
    lat: {
      shape: [18],
      type: "float64",
      value: ([i]) => -85 + 10 * i!,
      names: ["lat"],
      attributes: { units: "degrees_north", standard_name: "latitude" },
    } satisfies ArraySpec,
    lon: {
      shape: [36],
      type: "float64",
      value: ([i]) => -175 + 10 * i!,
      names: ["lon"],
      attributes: { units: "degrees_east", standard_name: "longitude" },
    } satisfies ArraySpec,
    t2m: {
      shape: mapShape,
      type: "float32",
      chunks: [1, 18, 36],
      value: mapValue,
      names: ["time", "lat", "lon"],
      attributes: { units: "K", long_name: "air temperature" },
    } satisfies ArraySpec,
  }),
  section: () => ({
    "": { zarr_format: 3, node_type: "group", attributes: { Conventions: "CF-1.10" } },
    depth: {
      shape: [depths.length],
      type: "float64",
      value: ([i]) => depths[i!]!,
      names: ["depth"],
      attributes: { units: "m", positive: "down", standard_name: "depth" },
    } satisfies ArraySpec,
    lat: degrees("lat", "latitude", 18, (i) => -85 + 10 * i),
    salt: {
      shape: [depths.length, 18],
      type: "float32",
      chunks: [4, 9],
      value: sectionValue,
      names: ["depth", "lat"],
    } satisfies ArraySpec,
  }),
  ocean: () => ({
    "": { zarr_format: 3, node_type: "group", attributes: { Conventions: "CF-1.10" } },
    lat: degrees("lat", "latitude", 18, (i) => -85 + 10 * i),
    lon: degrees("lon", "longitude", 36, (i) => 5 + 10 * i),
    sst: {
      shape: oceanShape,
      type: "float32",
      chunks: [9, 9],
      value: oceanValue,
      names: ["lat", "lon"],
    } satisfies ArraySpec,
  }),
  turned: () => ({
    "": { zarr_format: 3, node_type: "group", attributes: { Conventions: "CF-1.10" } },
    ...Object.fromEntries(
      (["lon", "lat"] as const).map((name, part) => [
        name,
        {
          shape: turnedShape,
          type: "float64",
          value: (index) => turnedPlace(index)[part]!,
          names: ["j", "i"],
          attributes: { units: part === 0 ? "degrees_east" : "degrees_north" },
        } satisfies ArraySpec,
      ]),
    ),
    speed: {
      shape: turnedShape,
      type: "float32",
      chunks: [6, 10],
      value: turnedValue,
      names: ["j", "i"],
      attributes: { coordinates: "lon lat" },
    } satisfies ArraySpec,
  }),
};

/** A coordinate in degrees. */
const degrees = (
  name: string,
  standardName: string,
  length: number,
  value: (index: number) => number,
): ArraySpec => ({
  shape: [length],
  type: "float64",
  value: ([i]) => value(i!),
  names: [name],
  attributes: {
    units: standardName === "latitude" ? "degrees_north" : "degrees_east",
    standard_name: standardName,
  },
});

function omeGroup(axes: string, scale: readonly number[], omero?: object, levels = 1): object {
  const known: Readonly<Record<string, object>> = { c: { type: "channel" } };
  const list = [...axes].map((name) => ({ name, ...(known[name] ?? { type: "space", unit: "micrometer" }) }));
  const datasets = Array.from({ length: levels }, (_, level) => ({
    path: String(level),
    coordinateTransformations: [{ type: "scale", scale: scale.map((step) => step * 2 ** level) }],
  }));
  const ome = { version: "0.5", multiscales: [{ axes: list, datasets }], ...(omero ? { omero } : {}) };
  return { zarr_format: 3, node_type: "group", attributes: { ome } };
}

/** Writes all stores to a folder. */
export function writeImages(folder: string): void {
  for (const [name, nodes] of Object.entries(images))
    for (const [place, node] of Object.entries(nodes())) {
      const own = path.join(folder, name, place);
      mkdirSync(own, { recursive: true });
      if ("zarr_format" in node) writeFileSync(path.join(own, "zarr.json"), JSON.stringify(node));
      else writeArray(own, node as ArraySpec);
    }
}

function writeArray(
  folder: string,
  { shape, type, value, chunks = shape, names, attributes }: ArraySpec,
): void {
  const meta = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    dimension_names: names,
    attributes: attributes ?? {},
  };
  writeFileSync(path.join(folder, "zarr.json"), JSON.stringify(meta));
  for (const place of indicesOf(shape.map((length, axis) => length / chunks[axis]!))) {
    const start = place.map((at, axis) => at * chunks[axis]!);
    const numbers = indicesOf(chunks).map((own) => value(own.map((at, i) => start[i]! + at)));
    const values = new types[type](numbers);
    const file = path.join(folder, "c", ...place.map(String));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, values);
  }
}

/** Every index of a shape in C order. */
function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (lists, length) => lists.flatMap((list) => Array.from({ length }, (_, at) => [...list, at])),
    [[]],
  );
}
