// Selections by label: what xarray selects (tests/golden/labels.py records it), and what it has no answer to.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  create,
  createGroup,
  type DimensionSelection,
  get,
  type LabelSelection,
  open,
  type SelOptions,
  type Store,
  sel,
  set,
  type slice,
  writeMultiscale,
  type ZarrArray,
} from "zarr-wasm";
import { errorOf } from "./support.js";

type Numbers = readonly number[];
interface Query {
  readonly label?: number | string;
  readonly interval?: readonly [number | string | null, number | string | null];
  readonly each?: readonly (number | string)[];
  readonly method?: SelOptions["method"];
  readonly found: number | Numbers | null;
}
interface Axis {
  readonly name: string;
  readonly values: readonly (number | string)[];
  readonly dtype: string;
  readonly attributes: Record<string, string>;
  readonly queries: readonly Query[];
}

const recorded = JSON.parse(readFileSync(new URL("../golden/labels.json", import.meta.url), "utf8")) as {
  axes: Axis[];
};

type NewAxis = Pick<Axis, "values" | "dtype"> & { attributes?: Record<string, unknown>; chunk?: number };

/** A group with coordinates of one dimension each, and an array of all of these dimensions. */
async function groupOf(axes: Record<string, NewAxis>, store: Store = new Map()) {
  const group = await createGroup(store, {});
  for (const [path, { values, dtype, attributes = {}, chunk = values.length }] of Object.entries(axes)) {
    const array = await create(store, {
      path,
      shape: [values.length],
      chunkShape: [chunk],
      dtype,
      dimensionNames: [path],
      attributes: attributes as never,
    });
    const data = dtype === "string" ? values : (await get(array)).data;
    if (ArrayBuffer.isView(data))
      (data as Float64Array).set(values.map((v) => (dtype === "int64" ? BigInt(v) : v)) as number[]);
    await set(array, null, data as never);
  }
  const shape = Object.values(axes).map(({ values }) => values.length);
  const data = await create(store, {
    path: "data",
    shape,
    dtype: "int16",
    dimensionNames: Object.keys(axes),
  });
  return { group, data, store };
}

/** The elements that an entry of a selection means. */
function elementsOf(entry: DimensionSelection, length: number): number | Numbers {
  if (typeof entry === "number") return entry;
  if (Array.isArray(entry)) return entry as Numbers;
  const { start, stop, step } = entry as ReturnType<typeof slice>;
  const all = Array.from({ length }, (_, i) => i).slice(start ?? 0, stop ?? length);
  return all.filter((_, i) => i % (step ?? 1) === 0);
}

const wantedBy = ({ label, interval, each }: Query): LabelSelection => {
  if (interval) return { start: interval[0], stop: interval[1] };
  return each ? { each } : label!;
};

describe.each(recorded.axes.map((axis) => [axis.name, axis] as const))("as xarray: %s", (_, axis) => {
  it.each([
    ["in one chunk", 1e9],
    ["in small chunks", 7],
  ] as const)("%s", async (_, chunk) => {
    const { group, data } = await groupOf({ x: { ...axis, chunk: Math.min(chunk, axis.values.length) } });
    for (const query of axis.queries) {
      const wanted = { x: wantedBy(query) };
      const what = axis.name + JSON.stringify({ ...query, found: undefined });
      const options = { method: query.method };
      if (query.found === null) {
        expect((await errorOf(() => sel(group, wanted, options)))._tag, what).toBe("InvalidSelection");
        continue;
      }
      const selection = (await sel(group, wanted, options)) as { x: DimensionSelection };
      expect(elementsOf(selection.x, axis.values.length), what).toEqual(query.found);
      expect(await sel(data, wanted, options), what).toEqual([selection.x]);
    }
  });
});
