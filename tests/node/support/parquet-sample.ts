/** References in Parquet files to a file beside them, and the expected arrays: for the tests of stores and commands. */
import { referenceFolder, type TestReference } from "./parquet-writer.js";
import { randomBytes } from "./support.js";

/** The file that references point to. */
export const data = randomBytes(4096, 7);

const meta = (shape: number[], chunks: number[], more = {}) => ({
  zarr_format: 2,
  shape,
  chunks,
  dtype: "|u1",
  compressor: null,
  filters: null,
  fill_value: 9,
  order: "C",
  ...more,
});

const metadata = {
  ".zgroup": { zarr_format: 2 },
  ".zattrs": { title: "sample" },
  "t/.zarray": meta([7], [2]),
  "t/.zattrs": { _ARRAY_DIMENSIONS: ["t"] },
  "deep/.zgroup": { zarr_format: 2 },
  "deep/grid/.zarray": meta([3, 6], [2, 2]),
  "slashed/.zarray": meta([4, 4], [2, 2], { dimension_separator: "/" }),
  "scalar/.zarray": meta([], []),
  "empty/.zarray": meta([5], [2]),
};

/** References by the arrays' chunks, in row-major order. @param url of the file. */
const references = (url: string): Record<string, TestReference[]> => ({
  t: [[url, 10, 2], [url, 20, 2], null, Uint8Array.of(1, 2)],
  "deep/grid": Array.from({ length: 6 }, (_, i): TestReference => (i === 4 ? null : [url, 100 + 10 * i, 4])),
  slashed: Array.from({ length: 4 }, (_, i): TestReference => [url, 200 + 4 * i, 4]),
  scalar: [Uint8Array.of(77)],
});

/** Three references per file. @param url of the file that they point to. */
export const sampleFolder = (url: string): Record<string, Uint8Array> =>
  referenceFolder(metadata, references(url), 3);

/** The same in kerchunk's JSON form. */
export function sampleJson(url: string): Record<string, unknown> {
  const names: Record<string, (i: number) => string> = {
    t: String,
    "deep/grid": (i) => `${Math.floor(i / 3)}.${i % 3}`,
    slashed: (i) => `${Math.floor(i / 2)}/${i % 2}`,
    scalar: String,
  };
  const chunks = Object.entries(references(url)).flatMap(([array, list]) =>
    list.map((reference, i) => [
      `${array}/${names[array]!(i)}`,
      reference instanceof Uint8Array ? `base64:${Buffer.from(reference).toString("base64")}` : reference,
    ]),
  );
  return { ...metadata, ...Object.fromEntries(chunks.filter(([, reference]) => reference !== null)) };
}

const at = (...offsets: number[]) => offsets.map((offset) => data[offset]!);

/** The elements of the arrays, in C order. */
export const sampleValues: Record<string, number[]> = {
  t: [...at(10, 11, 20, 21), 9, 9, 1],
  "deep/grid": [
    ...[100, 101, 110, 111, 120, 121, 102, 103, 112, 113, 122, 123].map((offset) => data[offset]!),
    ...at(130, 131),
    ...[9, 9],
    ...at(150, 151),
  ],
  slashed: [200, 201, 204, 205, 202, 203, 206, 207, 208, 209, 212, 213, 210, 211, 214, 215].map(
    (offset) => data[offset]!,
  ),
  scalar: [77],
  empty: [9, 9, 9, 9, 9],
};
