// Random reductions equal exact results, which tests/compute/cases.py computes with fractions and compares with xarray:
// integers, extremes and counts exactly, sums and means within 4 units in the last place. `npm run test:compat -- compute`
// makes 2000 of them; npm test has those in tests/golden/compute.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type CreateOptions,
  create,
  createGroup,
  type Selection,
  set,
  WorkerPool,
  type ZarrArray,
} from "zarr-wasm";
import { type LabelledRegion, type Method, type ReduceOptions, reduce } from "zarr-wasm/compute";

interface Case {
  readonly name: string;
  readonly array: {
    readonly shape: number[];
    readonly dtype: string;
    readonly version: 2 | 3;
    readonly chunks: number[];
    readonly shards: number[] | null;
    readonly fill: number | boolean | "NaN" | null;
    readonly attributes: Record<string, string | number>;
    readonly names: string[];
    readonly data: string;
  };
  readonly coords: Record<string, { dtype: string; data: string; attributes: Record<string, string> }>;
  readonly options: Omit<ReduceOptions, "weights"> & {
    readonly method: readonly Method[];
    readonly selection?: Selection;
    readonly weights?: { names: string[]; shape: number[]; data: string };
  };
  readonly dims: string[];
  readonly labels: Record<string, (string | number)[]>;
  readonly results: Record<string, { floats?: string; integers?: string[] }>;
  readonly error: string | null;
}

const place =
  process.env["ZARR_WASM_COMPUTE"] ?? path.join(import.meta.dirname, "../../golden/compute/cases.jsonl");
const cases = readFileSync(place, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const floatsOf = (base64: string) => new Float64Array(bytesOf(base64).buffer);

const arrays = {
  ...{ bool: Uint8Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array },
  ...{ int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array },
  ...{ float16: Float32Array, float32: Float32Array, float64: Float64Array },
};
const elementsOf = (dtype: string, base64: string) =>
  new arrays[dtype as keyof typeof arrays](bytesOf(base64).buffer);

/** Writes the array of a case, and its coordinates. */
async function arrayOf({ array, coords }: Case): Promise<ZarrArray> {
  const group = await createGroup(new Map(), { zarrFormat: array.version });
  const { attributes, chunks, dtype, fill, names, shape, shards } = array;
  const made = await create(group, {
    path: "values",
    ...{
      shape,
      dtype,
      attributes,
      dimensionNames: names,
      chunkShape: chunks,
      shardShape: shards ?? undefined,
    },
    fillValue: fill === "NaN" ? Number.NaN : fill,
    codecs: shape.length % 2 === 0 ? "zstd:1" : "none",
  } as CreateOptions);
  await set(made, null, elementsOf(dtype, array.data) as never);
  for (const [name, coordinate] of Object.entries(coords)) {
    const { data, ...own } = coordinate;
    const elements = elementsOf(own.dtype, data);
    const options = { path: name, shape: [elements.length], dimensionNames: [name], ...own };
    await set(await create(group, options as CreateOptions), null, elements as never);
  }
  return made;
}

/** Distance of two numbers in units in the last place of the second; 0 if both are NaN. */
function ulps(value: number, exact: number): number {
  if (Object.is(value, exact) || value === exact) return 0;
  if (!Number.isFinite(value) || !Number.isFinite(exact)) return Number.POSITIVE_INFINITY;
  const exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(exact))));
  return Math.abs(value - exact) / 2 ** (exponent - 52);
}

/** Methods whose results are rounded. */
const isRounded = (method: string) => /^(sum|mean|var|std)$/.test(method);

function compare(
  method: string,
  { data }: LabelledRegion,
  { floats, integers }: Case["results"][string],
): void {
  if (integers) {
    expect(Array.from(data, String)).toEqual(integers);
    return;
  }
  const exact = floatsOf(floats!);
  const given = Float64Array.from(data as ArrayLike<number>, Number);
  expect(given.length).toBe(exact.length);
  if (!isRounded(method)) {
    expect(given).toEqual(exact);
    return;
  }
  const far = given.findIndex((value, i) => !(ulps(value, exact[i]!) <= 4));
  if (far >= 0)
    expect({ [`${method} at ${far}`]: given[far] }).toEqual({ [`${method} at ${far}`]: exact[far] });
}

const pool = new WorkerPool({ size: 1 });
afterAll(() => pool.destroy());

describe("reductions of random arrays", () => {
  it.each(cases.map((one, i) => [one.name, i] as const))("%s", async (_name, i) => {
    const { dims, error, labels, options, results, ...source } = cases[i]!;
    const array = await arrayOf({ dims, error, labels, options, results, ...source });
    const { weights: given, selection, ...rest } = options;
    const weights = given && {
      dimensionNames: given.names,
      shape: given.shape,
      data: floatsOf(given.data),
    };
    const slices = (selection as (number | object | null)[] | undefined)?.map((entry) => entry) as
      | Selection
      | undefined;
    const run = reduce(array, { ...rest, weights, selection: slices, ...(i % 4 === 3 && { pool }) });
    if (error !== null) {
      await expect(run).rejects.toMatchObject({ _tag: error });
      return;
    }
    const found: Readonly<Record<string, LabelledRegion>> = await run;
    for (const method of options.method) {
      const region = found[method]!;
      expect(region.dimensionNames).toEqual(dims);
      for (const [name, values] of Object.entries(labels))
        expect(Array.from(region.coordinates[name]!.data as ArrayLike<unknown>)).toEqual(values);
      compare(method, region, results[method]!);
    }
  });
});
