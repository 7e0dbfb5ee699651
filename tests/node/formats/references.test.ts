// References of array files: read back as Zarr, joined along a dimension, refused by name.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { get, getBytes, MapStore, open } from "zarr-wasm";
import { ArrayFileStore, makeReferences, ReferenceStore, type ReferencesOptions } from "zarr-wasm/formats";
import { readRecords } from "#src/formats/kerchunk/records.js";
import { writeParquet } from "#src/formats/parquet/write.js";
import { skipFor } from "../../shared/skips.js";
import { type NewVariable, netcdf3 } from "../support/netcdf3.js";
import { hasXarray, missingModule, pythonJson } from "../support/python-zarr.js";
import { errorOf } from "../support/support.js";

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const folder = mkdtempSync(path.join(tmp, "file-references-"));
afterAll(() => rmSync(folder, { recursive: true }));
const golden = new URL("../../golden/files/netcdf3/", import.meta.url).pathname;

/** Writes a file below the folder of this test, and returns its path. */
function file(name: string, bytes: Uint8Array): string {
  const place = path.join(folder, name);
  writeFileSync(place, bytes);
  return place;
}

/** The reason to skip the comparison with xarray. */
const missingXarray = hasXarray()
  ? (missingModule("fsspec") ?? missingModule("dask") ?? missingModule("netCDF4"))
  : "xarray is not installed";

const sequence = (length: number, start = 0) => Array.from({ length }, (_, i) => start + i);

/** A file with some steps of a variable. */
const part = (steps: number, start: number, changes: Record<string, NewVariable> = {}, width = 3) =>
  netcdf3(
    { time: steps, x: width },
    {
      time: {
        dimensions: ["time"],
        values: sequence(steps, start),
        attributes: { units: "days since 2000-01-01" },
      },
      x: { dimensions: ["x"], values: sequence(width) },
      v: { dimensions: ["time", "x"], values: sequence(steps * width, start * width), type: "int16" },
      ...changes,
    },
  );

/** Reads references back, as JSON and as Parquet files. */
async function readBack(
  sources: string | readonly string[],
  options: ReferencesOptions = {},
  recordSize = 7,
) {
  const references = await makeReferences(sources, options);
  const place = path.join(folder, "refs.json");
  writeFileSync(place, [...references.text()].join(""));
  const files = new Map(
    [...references.parquet(recordSize)].map(([name, bytes]) => [`/${name}`, bytes] as const),
  );
  const base = `file://${folder}/`;
  return Promise.all([
    open(await ReferenceStore.open(place), { kind: "group" }),
    open(await ReferenceStore.open(new MapStore(files), { base }), { kind: "group" }),
  ]);
}

describe("references of a file", () => {
  const whole = readdirSync(golden).filter((name) => name.endsWith(".nc") && !/^(cut|bad)/.test(name));

  it.each(whole)("give the same values: %s", async (name) => {
    const source = path.join(golden, name);
    const file = await open(await ArrayFileStore.open(source), { kind: "group" });
    for (const group of await readBack(source)) {
      const members = await file.members();
      expect((await group.members()).map((member) => member.name).sort()).toEqual(
        members.map((member) => member.name).sort(),
      );
      for (const member of members) {
        const [wanted, found] = [await file.open(member.name), await group.open(member.name)];
        if (wanted.kind !== "array" || found.kind !== "array") throw new Error("not arrays");
        expect(found.shape).toEqual(wanted.shape);
        expect(found.dimensionNames ?? []).toEqual(wanted.dimensionNames);
        expect(await getBytes(found)).toEqual(await getBytes(wanted));
      }
    }
  });

  it("are equal for equal files, and inline small chunks", async () => {
    const place = file("one.nc", part(4, 0));
    const text = async (options: ReferencesOptions) =>
      [...(await makeReferences(place, options)).text()].join("");
    expect(await text({})).toBe(await text({}));
    const { refs } = JSON.parse(await text({ inline: 0 }));
    expect(refs["v/0.0"]).toEqual([place, expect.any(Number), 24]);
    const inlined = JSON.parse(await text({}));
    expect(inlined.refs["v/0.0"]).toMatch(/^base64:/);
    expect((await makeReferences(place)).toJSON()).toEqual(inlined);
  });

  it("name files as `target` says, and need it for bytes", async () => {
    const bytes = part(300, 0);
    const references = await makeReferences(bytes, { target: (location, i) => `${location}/${i}` });
    expect(references.toJSON().refs["v/0.0"]).toEqual(["undefined/0", expect.any(Number), 1800]);
    const error = await errorOf(() => makeReferences(bytes));
    expect(error).toMatchObject({ _tag: "Unsupported", code: "unsupported-reference" });
  });
});

describe("references of several files", () => {
  const lengths = [4, 3, 5];
  const parts = (change?: (i: number) => Record<string, NewVariable>) =>
    lengths.map((steps, i) => file(`part${i}.nc`, part(steps, i === 0 ? 0 : i === 1 ? 4 : 7, change?.(i))));

  it.each([0, 500])("are joined along a dimension (inline: %i)", async (inline) => {
    for (const group of await readBack(parts(), { along: "time", inline })) {
      const time = await group.open("time", { kind: "array" });
      expect([...(await get(time)).data]).toEqual(sequence(12));
      const v = await group.open("v", { kind: "array" });
      expect([v.shape, v.dimensionNames]).toEqual([
        [12, 3],
        ["time", "x"],
      ]);
      expect([...(await get(v)).data]).toEqual(sequence(36));
      expect((await group.open("x", { kind: "array" })).shape).toEqual([3]);
    }
  });

  it("are stacked along a new dimension", async () => {
    const sources = [0, 1].map((i) =>
      file(`run${i}.nc`, part(2, 0, { v: { dimensions: ["time", "x"], values: sequence(6, 10 * i) } })),
    );
    for (const group of await readBack(sources, { along: "run", inline: 0 })) {
      const v = await group.open("v", { kind: "array" });
      expect([v.shape, v.dimensionNames]).toEqual([
        [2, 2, 3],
        ["run", "time", "x"],
      ]);
      expect([...(await get(v)).data]).toEqual([...sequence(6), ...sequence(6, 10)]);
      expect((await group.open("time", { kind: "array" })).shape).toEqual([2]);
    }
  });

  it.each([
    [
      "another length",
      () => part(3, 4, {}, 2),
      /"\/v": shape is \[3,2\] in .*part1.nc, but \[4,3\] in .*part0.nc/,
    ],
    [
      "another type",
      () => part(3, 4, { v: { dimensions: ["time", "x"], values: sequence(9) } }),
      /"\/v": dtype is ">f8"/,
    ],
    [
      "other units",
      () =>
        part(3, 0, {
          time: { dimensions: ["time"], values: [0, 1, 2], attributes: { units: "days since 2000-01-05" } },
        }),
      /"\/time": the attribute units is "days since 2000-01-05" in .*part1.nc/,
    ],
    [
      "another coordinate",
      () => part(3, 4, { x: { dimensions: ["x"], values: [5, 6, 7] } }),
      /"\/x" does not have the dimension "time", but other values/,
    ],
    [
      "one more variable",
      () => part(3, 4, { w: { dimensions: [], values: [1] } }),
      /"\/w" of .*part1.nc is missing in .*part0.nc/,
    ],
  ])("are refused for %s", async (_, bytes, message) => {
    const sources = [file("part0.nc", part(4, 0)), file("part1.nc", bytes())];
    const error = await errorOf(() => makeReferences(sources, { along: "time" }));
    expect(error._tag).toBe("InvalidArgument");
    expect(error.message).toMatch(message);
  });

  it("need a dimension", async () => {
    const error = await errorOf(() => makeReferences(parts()));
    expect(error).toMatchObject({ _tag: "InvalidArgument", code: "bad-option" });
  });

  it("report other attributes that differ, and take those of the first", async () => {
    const warnings: string[] = [];
    const change = (i: number) => ({
      v: { dimensions: ["time", "x"], values: sequence(3 * lengths[i]!), attributes: { note: String(i) } },
    });
    const options = {
      along: "time",
      onWarning: ({ message }: { message: string }) => warnings.push(message),
    };
    const { refs } = (await makeReferences(parts(change), options)).toJSON();
    expect(JSON.parse(refs["v/.zattrs"] as string).note).toBe("0");
    expect(warnings.length).toBe(2);
  });

  it("are read by xarray and fsspec", skipFor(missingXarray), async () => {
    const references = await makeReferences(parts(), { along: "time", inline: 0 });
    const place = file("python.json", new TextEncoder().encode([...references.text()].join("")));
    const script = `
import json, sys, fsspec, xarray
places = json.load(sys.stdin)
ds = xarray.open_zarr(fsspec.get_mapper("reference://", fo=places["refs"]), consolidated=False)
wanted = xarray.open_mfdataset(places["files"], combine="nested", concat_dim="time", data_vars="minimal")
print(json.dumps([ds.equals(wanted.load()), ds.v.shape, str(ds.time.values[-1])[:10], ds.v.values.ravel().tolist()]))`;
    expect(pythonJson(script, { refs: place, files: parts() })).toEqual([
      true,
      [12, 3],
      "2000-01-12",
      sequence(36),
    ]);
  });
});

describe("Parquet files of references", () => {
  it.each([1, 2, 3, 20, 300])("of %i targets are read back", async (targets) => {
    const rows = sequence(700);
    const isSet = (i: number) => i % 7 !== 3;
    const name = (i: number) => `file:///data/${(i * 31) % targets}.nc`;
    const bytes = (text: string) => new TextEncoder().encode(text);
    const written = writeParquet([
      { name: "path", strings: rows.map((i) => (isSet(i) && i % 5 ? name(i) : undefined)) },
      { name: "offset", integers: rows.map((i) => i * 2 ** 40) },
      { name: "size", integers: rows.map((i) => i + 1) },
      { name: "raw", bytes: rows.map((i) => (i % 5 ? undefined : bytes(`raw ${i}`))) },
    ]);
    const records = await readRecords(written, { rows: 700, bytes: 2 ** 20 });
    for (const i of rows) {
      const found = records.at(i, "key");
      if (i % 5 === 0) expect(found).toEqual({ bytes: bytes(`raw ${i}`) });
      else if (!isSet(i)) expect(found).toBeUndefined();
      else expect(found).toEqual({ url: name(i), offset: i * 2 ** 40, length: i + 1 });
    }
  });
});
