// The golden stores, copied into each Zarr version and read again: a sample of them in `npm test`.
import { expect, it } from "vitest";
import { get, getBytes } from "zarr-wasm";
import { type CopyOptions, copy } from "zarr-wasm/transfer";
import { amount } from "../support/amounts.js";
import { goldenCases, openArray, storeOf } from "../support/support.js";

/** Interval of the stores that are copied. */
const interval = amount(12, 1);

/** What versions cannot hold, whatever the codecs. */
const refusals = [
  /^Zarr v1 has no codec (vlen-|json2|msgpack2|categorize)/,
  /^Zarr v1 does not support (arrays without dimensions|elements of variable length)/,
  /^Zarr v[12] (cannot represent data type|requires names for all dimensions)/,
  /^Zarr v[12] has no form for this fill value/,
  /^Zarr v[12] (has no data type|does not support chunks of different lengths)/,
  /^Zarr v3 has no (data type for objects|subarrays in structured types)/,
];

type Store = Map<string, Uint8Array>;
type Place = Pick<CopyOptions, "path" | "v1Order">;

async function elementsOf(store: Store, place: Place) {
  const array = await openArray(store, { ...place, onWarning: () => {} });
  const data = array.dtype.isVariable ? (await get(array)).data : (await getBytes(array)).bytes;
  return { dtype: String(array.dtype), shape: array.shape, data };
}

/** Options for a copy if a version cannot hold the stored form of an array; undefined if no options help. */
async function otherOptions({ message }: Error, options: CopyOptions, source: Store, place: Place) {
  if (/different lengths/.test(message) && !options.chunkShape) {
    const { chunkShape } = await openArray(source, { ...place, onWarning: () => {} });
    return { chunkShape, shardShape: "none" } as const;
  }
  const isOfCodecs = /codec|compressor|byte order|order of axes/.test(message);
  return isOfCodecs && !options.codecs ? ({ codecs: "none" } as const) : undefined;
}

/**
 * Copies an array into a Zarr version. If the version lacks the array's codecs, order of axes or grid, the copy gets
 * others: the test is whether the version can hold the elements.
 */
async function copied(source: Store, place: Place, zarrFormat: 1 | 2 | 3): Promise<Store | Error> {
  let options: CopyOptions = { ...place, zarrFormat, onWarning: () => {} };
  for (;;) {
    const dest: Store = new Map();
    try {
      await copy(source, dest, options);
      return dest;
    } catch (reason) {
      const error = reason as Error & { _tag?: string };
      const others = await otherOptions(error, options, source, place);
      if (others === undefined) return error;
      options = { ...options, ...others };
    }
  }
}

it("arrays of other writers are the same in every version that can hold them", {
  timeout: amount(120_000, 1_800_000),
}, async () => {
  const cases = ["v1", "v2", "v3"].flatMap(goldenCases).filter((_, i) => i % interval === 0);
  let equal = 0;
  for (const golden of cases) {
    const source = storeOf(golden);
    const orders = golden.writerOrderSha256 ? ([undefined, "writer"] as const) : [undefined];
    for (const v1Order of orders) {
      const place = { path: golden.path ?? "", ...(v1Order && { v1Order }) };
      for (const version of [1, 2, 3] as const) {
        const title = `${golden.name} into v${version}`;
        const dest = await copied(source, place, version);
        if (dest instanceof Error) {
          expect(dest, title).toMatchObject({ _tag: "Unsupported" });
          expect(
            refusals.some((known) => known.test(dest.message)),
            `${title}: ${dest.message}`,
          ).toBe(true);
          continue;
        }
        expect(await elementsOf(dest, {}), title).toEqual(await elementsOf(source, place));
        equal++;
      }
    }
  }
  expect(equal).toBeGreaterThan(2 * cases.length);
});
