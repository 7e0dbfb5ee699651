// OME-Zarr: images that zarr-python wrote, and attributes that follow the specification or do not.
import { describe, expect, it } from "vitest";
import {
  channelAxis,
  fieldPaths,
  getBytes,
  isMultiscales,
  isZarrError,
  labelPaths,
  multiscales,
  open,
  wellPaths,
} from "zarr-wasm";
import { bytesOf, errorOf, goldenCases, sha256, storeOf } from "./support.js";

const golden = goldenCases("conventions") as unknown as (ReturnType<typeof goldenCases>[number] & {
  arrays: Record<string, string>;
})[];
const goldenGroup = async (part: string) => {
  const found = golden.find(({ name }) => name.includes(part))!;
  return { found, group: await open(storeOf(found), { kind: "group" }) };
};

/** A v2 group with these attributes. */
async function groupOf(attributes: object, more: Record<string, object> = {}) {
  const store = new Map([
    ["/.zgroup", bytesOf('{"zarr_format": 2}')],
    ["/.zattrs", bytesOf(JSON.stringify(attributes))],
    ...Object.entries(more).map(([key, value]) => [`/${key}`, bytesOf(JSON.stringify(value))] as const),
  ]);
  return open(store, { kind: "group" });
}

async function groupOfV3(attributes: object) {
  const document = { zarr_format: 3, node_type: "group", attributes };
  return open(new Map([["/zarr.json", bytesOf(JSON.stringify(document))]]), { kind: "group" });
}

const scale = (...values: number[]) => ({ type: "scale", scale: values });
const translation = (...values: number[]) => ({ type: "translation", translation: values });
const level = (path: string, ...steps: object[]) => ({ path, coordinateTransformations: steps });
const yx = [
  { name: "y", type: "space", unit: "micrometer" },
  { name: "x", type: "space", unit: "micrometer" },
];
const image = (fields: object = {}) => ({
  multiscales: [{ version: "0.4", axes: yx, datasets: [level("0", scale(2, 3))], ...fields }],
});
const v2Array = {
  zarr_format: 2,
  shape: [4, 6],
  chunks: [4, 6],
  dtype: "|u1",
  compressor: null,
  filters: null,
  order: "C",
  fill_value: 0,
};

describe("OME-Zarr images", () => {
  it.each(["omezarr-0.4", "omezarr-0.5"])("are described and opened: %s", async (name) => {
    const { found, group } = await goldenGroup(name);
    expect(isMultiscales(group)).toBe(true);
    const [first, ...others] = multiscales(group);
    expect(others).toEqual([]);
    expect(first!.version).toBe(name.slice(-3));
    expect(first!.axes.map((axis) => [axis.name, axis.type])).toEqual([
      ["t", "time"],
      ["c", "channel"],
      ["y", "space"],
      ["x", "space"],
    ]);
    expect(channelAxis(first!)).toBe(1);
    const finest = name === "omezarr-0.4" ? 0.5 : 1;
    expect(first!.levels.map((l) => [l.path, l.scale, l.translation])).toEqual(
      [1, 2, 4].map((step, i) => [String(i), [1, 1, finest * step, finest * step], [0, 0, 0, 0]]),
    );
    const coarsest = await first!.levels[2]!.open();
    expect(coarsest.shape).toHaveLength(4);
    const { bytes } = await getBytes(coarsest);
    expect(sha256(bytes)).toBe(found.arrays["2"]);
  });

  it("have label images", async () => {
    const { found, group } = await goldenGroup("omezarr-0.4");
    const paths = await labelPaths(group);
    expect(paths).toEqual(["labels/cells"]);
    const array = await group.open(`${paths[0]}/0`, { kind: "array" });
    expect(sha256((await getBytes(array)).bytes)).toBe(found.arrays["labels/cells/0"]);
    const without = await goldenGroup("omezarr-0.5");
    expect(await labelPaths(without.group)).toEqual([]);
  });

  it("combine the transformations of a level with those of the image, in their order", async () => {
    const group = await groupOf(
      image({
        datasets: [level("0", scale(2, 3), translation(10, 20)), level("1", scale(4, 6))],
        coordinateTransformations: [scale(0.5, 10), translation(1, 1)],
      }),
    );
    const [{ levels }] = multiscales(group) as [ReturnType<typeof multiscales>[number]];
    expect(levels.map((l) => [l.scale, l.translation])).toEqual([
      [
        [1, 30],
        [6, 201],
      ],
      [
        [2, 60],
        [1, 1],
      ],
    ]);
  });

  it("may name other coordinate systems, as SpatialData does, which do not count", async () => {
    const output = { name: "global" };
    const steps = [
      { type: "identity", output },
      { type: "affine", affine: [[1]], output },
      { type: "identity" },
    ];
    const attributes = {
      ome: {
        version: "0.5-dev-spatialdata",
        ...image({ version: undefined, coordinateTransformations: steps }),
      },
    };
    const [first] = multiscales(await groupOfV3(attributes));
    expect([first!.version, first!.levels[0]!.scale]).toEqual(["0.5-dev-spatialdata", [2, 3]]);
  });

  it("before 0.4 have axes by name or by position, and no scales", async () => {
    const datasets = [{ path: "0" }, { path: "1" }];
    const [oldest] = multiscales(await groupOf({ multiscales: [{ version: "0.1", datasets }] }));
    expect(oldest!.axes.map(({ name }) => name)).toEqual(["t", "c", "z", "y", "x"]);
    expect(oldest!.levels.map((l) => [l.path, l.scale])).toEqual([
      ["0", undefined],
      ["1", undefined],
    ]);
    const named = { multiscales: [{ version: "0.3", axes: ["c", "y", "x"], datasets }] };
    expect(multiscales(await groupOf(named))[0]!.axes[0]).toEqual({
      name: "c",
      type: "channel",
      unit: undefined,
    });
    const [silent] = multiscales(await groupOf({ multiscales: [{ datasets }] }));
    expect([silent!.version, silent!.levels[0]!.scale]).toEqual(["0.4", undefined]);
  });

  it("take channels from omero, leaving out what is malformed", async () => {
    const channels = [
      { label: "DAPI", color: "0000ff", active: true, window: { min: 0, max: 255, start: 5, end: 99 } },
      { label: 1, color: "blue", active: "yes", window: { start: "0", end: null } },
      null,
    ];
    const [first] = multiscales(await groupOf({ ...image(), omero: { channels } }));
    const nothing = { label: undefined, color: undefined, active: undefined, window: undefined };
    expect(first!.channels).toEqual([channels[0], { ...nothing, label: "1" }, nothing]);
    expect(multiscales(await groupOf({ ...image(), omero: { channels: 7 } }))[0]!.channels).toBeUndefined();
  });

  it("open only levels with a dimension per axis", async () => {
    const rank1 = { ...v2Array, shape: [4], chunks: [4] };
    const group = await groupOf(
      image({ datasets: ["0", "1", "2"].map((path) => level(path, scale(1, 1))) }),
      {
        "0/.zarray": v2Array,
        "1/.zarray": rank1,
      },
    );
    const [{ levels }] = multiscales(group) as [ReturnType<typeof multiscales>[number]];
    expect((await levels[0]!.open()).shape).toEqual([4, 6]);
    const wrong = await errorOf(() => levels[1]!.open());
    expect([wrong._tag, wrong.code]).toEqual(["InvalidMetadata", "bad-ome"]);
    expect(wrong.message).toContain("1 dimensions, the image has 2 axes (y, x)");
    expect(await errorOf(() => levels[2]!.open())).toMatchObject({ _tag: "NotFound" });
  });

  const invalid: [string, object, string][] = [
    ["no list", { multiscales: {} }, "InvalidMetadata"],
    ["an empty list", { multiscales: [] }, "InvalidMetadata"],
    ["null in the list", { multiscales: [null] }, "InvalidMetadata"],
    ["no datasets", image({ datasets: undefined }), "InvalidMetadata"],
    ["empty datasets", image({ datasets: [] }), "InvalidMetadata"],
    ["a dataset that is a string", image({ datasets: ["0"] }), "InvalidMetadata"],
    ["no path", image({ datasets: [{ coordinateTransformations: [scale(1, 1)] }] }), "InvalidMetadata"],
    ["an empty path", image({ datasets: [level("", scale(1, 1))] }), "InvalidMetadata"],
    ["a path out of the group", image({ datasets: [level("../x", scale(1, 1))] }), "InvalidMetadata"],
    [
      "a path that is a number",
      image({ datasets: [{ ...level("", scale(1, 1)), path: 0 }] }),
      "InvalidMetadata",
    ],
    ["no transformations", image({ datasets: [{ path: "0" }] }), "InvalidMetadata"],
    ["no scale", image({ datasets: [level("0", translation(1, 1))] }), "InvalidMetadata"],
    ["two scales", image({ datasets: [level("0", scale(1, 1), scale(1, 1))] }), "InvalidMetadata"],
    [
      "a translation before the scale",
      image({ datasets: [level("0", translation(1, 1), scale(1, 1))] }),
      "InvalidMetadata",
    ],
    ["a short scale", image({ datasets: [level("0", scale(1))] }), "InvalidMetadata"],
    [
      "a scale of text",
      image({ datasets: [level("0", { type: "scale", scale: ["1", "1"] })] }),
      "InvalidMetadata",
    ],
    ["a scale in __proto__", image({ datasets: [level("0", { type: "scale" })] }), "InvalidMetadata"],
    ["an affine", image({ coordinateTransformations: [{ type: "affine" }] }), "InvalidMetadata"],
    [
      "a scale in an array",
      image({ coordinateTransformations: [{ type: "scale", path: "s" }] }),
      "Unsupported",
    ],
    ["axes that are no list", image({ axes: "yx" }), "InvalidMetadata"],
    ["no axes", image({ axes: [] }), "InvalidMetadata"],
    ["axes without names", image({ axes: [{ type: "space" }, { type: "space" }] }), "InvalidMetadata"],
    ["axes of one name", image({ axes: [yx[0], yx[0]] }), "InvalidMetadata"],
    ["a later version", image({ version: "0.6" }), "Unsupported"],
    ["version 0.40", image({ version: "0.40" }), "Unsupported"],
    ["another version", image({ version: "latest" }), "Unsupported"],
    ["no multiscales", { ome: { version: "0.5" } }, "NotFound"],
  ];
  it.each(invalid)("are refused with %s", async (_, attributes, tag) => {
    const group = await groupOf(attributes);
    const error = await errorOf(() => multiscales(group));
    expect(isZarrError(error)).toBe(true);
    expect(error._tag).toBe(tag);
  });

  it("are not found in properties that attributes inherit", async () => {
    const group = await open(
      new Map([
        ["/.zgroup", bytesOf('{"zarr_format": 2}')],
        ["/.zattrs", bytesOf('{"__proto__": {"multiscales": []}, "constructor": {"ome": {}}}')],
      ]),
      { kind: "group" },
    );
    expect(isMultiscales(group)).toBe(false);
  });
});

describe("OME-Zarr plates", () => {
  it("list wells, and wells their fields, by path", async () => {
    const plate = await groupOf({ plate: { version: "0.4", wells: [{ path: "A/1" }, { path: "B/2" }] } });
    expect([wellPaths(plate), fieldPaths(plate)]).toEqual([["A/1", "B/2"], undefined]);
    const well = await groupOfV3({
      ome: { version: "0.5", well: { images: [{ path: "0" }, { path: "1" }] } },
    });
    expect([fieldPaths(well), wellPaths(well)]).toEqual([["0", "1"], undefined]);
  });

  it("must give their wells paths", async () => {
    for (const wells of [undefined, {}, [{ path: "../A" }], [{}], ["A/1"]]) {
      const plate = await groupOf({ plate: { wells } });
      expect(await errorOf(() => wellPaths(plate))).toMatchObject({
        _tag: "InvalidMetadata",
        code: "bad-ome",
      });
    }
  });
});
