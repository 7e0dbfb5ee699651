// Expressions: values and types of NumPy, broadcasting, CF data, parts of arrays, virtual arrays as sources of others.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, get, open, slice, WorkerPool, type ZarrArray } from "zarr-wasm";
import { copy } from "zarr-wasm/transfer";
import { expression } from "#src/compute/expression/expression.js";
import { errorOf } from "../support/support.js";

interface Golden {
  readonly kinds: readonly string[];
  readonly operands: Readonly<Record<string, readonly [kind: string, shape: number[], data: string]>>;
  readonly promotion: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly cases: readonly (readonly [text: string, kind: string, data: string])[];
}

const golden: Golden = JSON.parse(
  readFileSync(new URL("../../golden/expressions.json", import.meta.url), "utf8"),
);

const arrays: Readonly<Record<string, new (buffer: ArrayBuffer) => Float64Array>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as never;

const elements = (kind: string, base64: string) =>
  new arrays[kind]!(Uint8Array.from(Buffer.from(base64, "base64")).buffer);

type Options = Parameters<typeof create>[2];

/** A stored array. */
async function stored(
  dtype: string,
  shape: readonly number[],
  data: unknown,
  more: Partial<Options> = {},
): Promise<ZarrArray> {
  const options = { shape, dtype, chunks: shape, ...more } as unknown as Options;
  const array = (await create(new Map(), "", options)) as unknown as ZarrArray;
  const { set } = await import("zarr-wasm");
  await set(array, null, data as Float64Array);
  return array;
}

const operands = Object.fromEntries(
  await Promise.all(
    Object.entries(golden.operands).map(async ([name, [kind, shape, data]]) => [
      name,
      await stored(kind, shape, elements(kind, data)),
    ]),
  ),
) as Record<string, ZarrArray>;

/** Differences of two rounded results of functions such as exp. */
function expectClose(found: Float64Array, expected: Float64Array, text: string): void {
  expect(found.constructor, text).toBe(expected.constructor);
  expect(found.length, text).toBe(expected.length);
  const unit = expected instanceof Float32Array ? 2 ** -23 : 2 ** -52;
  const isRounded = /exp|log|sin|cos|\*\*/.test(text);
  for (const [i, value] of expected.entries()) {
    const other = found[i]!;
    const isSame = value === other || (Number.isNaN(value) && Number.isNaN(other));
    const isNear = isRounded && Math.abs(other - value) <= 4 * unit * Math.abs(value);
    expect(isSame || isNear, `${text}[${i}] is ${other}, not ${value}`).toBe(true);
  }
}

describe("as NumPy", () => {
  it("computes the same values of the same types", async () => {
    for (const [text, kind, data] of golden.cases) {
      const array = await expression(text, operands);
      expect(`${text}: ${array.dtype}`).toBe(`${text}: ${kind}`);
      expectClose((await get(array)).data as Float64Array, elements(kind, data), text);
    }
  });

  it("promotes types", async () => {
    for (const [operation, rows] of Object.entries(golden.promotion))
      for (const [i, row] of rows.entries())
        for (const [j, result] of row.entries()) {
          const text = `${golden.kinds[i]} ${operation} ${golden.kinds[j]}`;
          const made = expression(text, operands);
          if (result < 0) expect((await errorOf(made))._tag, text).toBe("InvalidArgument");
          else expect(`${text}: ${(await made).dtype}`).toBe(`${text}: ${golden.kinds[result]}`);
        }
  });
});
