// Tables of several elements with equal labels: selections keep the elements apart.
import { describe, expect, it } from "vitest";
import { create, createGroup, MapStore, open, set, type ZarrArray } from "zarr-wasm";
import { readLabelList } from "#src/viewer/model/label-look.js";
import { labelTable } from "#src/viewer/source/label-table.js";
import { groupAt } from "#src/viewer/source/nodes.js";
import { annDataObservations } from "#src/viewer/source/observations.js";
import { isRegionId, labelsIn, regionId } from "#src/viewer/source/row-id.js";

const { signal } = new AbortController();

/** Rows 0 and 1 annotate the labels 5 and 6 of `left`, row 2 label 5 of `right`. */
async function container(regions: readonly string[]): Promise<MapStore> {
  const store = new MapStore();
  const group = (path: string, attributes = {}) => createGroup(store, { path, zarrFormat: 3, attributes });
  const list = async (path: string, dtype: "int32" | "int8" | "string", values: readonly unknown[]) => {
    const array = await create(store, { path, shape: [values.length], dtype, zarrFormat: 3 });
    const typed = { int32: Int32Array, int8: Int8Array };
    await set(array, null, (dtype === "string" ? values : typed[dtype].from(values as number[])) as never);
  };
  await group("", { spatialdata_attrs: { version: "0.2" } });
  for (const name of regions)
    await create(store, { path: `labels/${name}/0`, shape: [4, 4], dtype: "int32", zarrFormat: 3 });
  const links = { region: [...regions], region_key: "where", instance_key: "label" };
  await group("tables");
  await group("tables/table", { "encoding-type": "anndata", ...links });
  const order = ["where", "label"];
  await group("tables/table/obs", { "encoding-type": "dataframe", _index: "_index", "column-order": order });
  await list("tables/table/obs/_index", "string", ["a", "b", "c"]);
  await list("tables/table/obs/label", "int32", [5, 6, 5]);
  await group("tables/table/obs/where", { "encoding-type": "categorical", ordered: false });
  await list("tables/table/obs/where/codes", "int8", [0, 0, regions.length - 1]);
  await list("tables/table/obs/where/categories", "string", regions);
  return store;
}

const rowsOf = async (store: MapStore) =>
  annDataObservations((await groupAt(store, "tables/table", 3, signal))!, 3, signal);
const tableOf = async (store: MapStore, name: string) =>
  (await labelTable((await open(store, { path: `labels/${name}/0` })) as ZarrArray, signal))!;

describe("tables of several elements", () => {
  it("identify their rows by element and label", async () => {
    const all = await rowsOf(await container(["left", "right"]));
    expect([0, 1, 2].map((row) => all.id(row))).toEqual(["left:5", "left:6", "right:5"]);
    expect([...all.rowsOf(["right:5"])]).toEqual([2]);
    expect([...all.rowsOf([5])]).toEqual([0, 2]);
    expect(all.row("right:5")).toBe(2);
  });

  it("select labels of one element only", async () => {
    const store = await container(["left", "right"]);
    const [left, right] = [await tableOf(store, "left"), await tableOf(store, "right")];
    expect([left.idOfLabel(5), right.idOfLabel(5), right.idOfLabel(9)]).toEqual(["left:5", "right:5", 9]);
    const selected = ["left:5", 6];
    expect([left.labelsIn(selected), right.labelsIn(selected)]).toEqual([[5, 6], [6]]);
    expect([left.row(5), right.row(5)]).toEqual([0, 0]);
  });

  it("of one element identify rows by labels, as without regions", async () => {
    const store = await container(["left"]);
    expect((await rowsOf(store)).id(1)).toBe(6);
    expect((await tableOf(store, "left")).idOfLabel(6)).toBe(6);
  });

  it("have names that a list can hold", () => {
    expect(readLabelList("3, left:5")).toEqual([3, "left:5"]);
    expect(regionId("a,b", 5)).toBe(5);
    expect(["left:5", "left:x", ":5", "a b:5"].map(isRegionId)).toEqual([true, false, false, false]);
    expect(labelsIn(["left:5", 6], undefined)).toEqual([6]);
  });
});
