// OME-Zarr: images written by zarr-python; valid and invalid attributes.
import { describe, expect, it } from "vitest";
import { create, createGroup, getBytes, isZarrError, open } from "zarr-wasm";
import {
  channelAxis,
  fieldPaths,
  isMultiscales,
  labelPaths,
  multiscales,
  sel,
  wellPaths,
} from "zarr-wasm/conventions";
import { bytesOf, errorOf, goldenCases, sha256, storeOf } from "../support/support.js";

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

  it("combine a level's transformations with the image's, in their order", async () => {
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

  it("take channels from omero, without malformed ones", async () => {
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
    expect([wrong._tag, wrong.code]).toEqual(["InvalidMetadata", "bad-convention"]);
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
    ["axes that are not a list", image({ axes: "yx" }), "InvalidMetadata"],
    ["no axes", image({ axes: [] }), "InvalidMetadata"],
    ["axes without names", image({ axes: [{ type: "space" }, { type: "space" }] }), "InvalidMetadata"],
    ["axes of one name", image({ axes: [yx[0], yx[0]] }), "InvalidMetadata"],
    ["a later version", image({ version: "0.7" }), "Unsupported"],
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

  it.each<[string, object, object | undefined, string]>([
    ["no axes in 0.5", { version: "0.5" }, { axes: undefined }, "axes"],
    ["no axes in 0.3", { version: "0.3" }, { version: "0.3", axes: undefined }, "axes"],
    ["no version", {}, {}, '"ome"'],
    ["a number for a version", { version: 6 }, {}, "got 6"],
    ["null for a version", { version: null }, {}, "got null"],
    ["a number for an image's version", { version: "0.5" }, { version: 0.5 }, "multiscales[0]"],
  ])("of `ome` are refused with %s", async (_, ome, fields, message) => {
    const { multiscales: images } = image({ version: undefined, ...fields });
    const error = await errorOf(async () =>
      multiscales(await groupOfV3({ ome: { ...ome, multiscales: images } })),
    );
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-convention"]);
    expect(error.message).toContain(message);
  });

  it("have the axes of 0.1 and 0.2 if the metadata names these versions, or neither a version nor axes", async () => {
    const plain = { datasets: [{ path: "0" }], axes: undefined };
    const axesOf = (group: Parameters<typeof multiscales>[0]) =>
      multiscales(group)[0]!
        .axes.map(({ name }) => name)
        .join("");
    for (const version of ["0.1", "0.2", undefined])
      expect(axesOf(await groupOf(image({ ...plain, version })))).toBe("tczyx");
    // Beside "multiscales" of old versions, "version" is not an OME-Zarr field.
    expect(
      axesOf(await groupOf({ ...image(plain), ...image({ ...plain, version: "0.2" }), version: 7 })),
    ).toBe("tczyx");
    for (const version of ["0.3", "0.4"])
      expect(
        await errorOf(async () => multiscales(await groupOf(image({ ...plain, version })))),
      ).toMatchObject({ code: "bad-convention" });
    expect(
      await errorOf(async () => multiscales(await groupOfV3(image({ ...plain, version: undefined })))),
    ).toMatchObject({ code: "bad-convention" });
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

  it("are not pyramids of GeoZarr, whose levels `sel` treats as other arrays", async () => {
    const store = new Map<string, Uint8Array>();
    await createGroup(store, { attributes: { multiscales: { layout: [{ asset: "0" }] } } });
    const options = { shape: [4], dtype: "uint8", dimensionNames: ["x"] } as const;
    const level = await create(store, { path: "0", ...options });
    expect(isMultiscales(await open(store, { kind: "group" }))).toBe(false);
    await expect(sel(level, { x: 3 })).rejects.toThrow(/"x" has no coordinates/);
  });
});

describe("OME-Zarr 0.6 images", () => {
  const axes = [{ name: "c", type: "channel", discrete: true }, ...yx];
  const systems = [
    { name: "world", axes: yx },
    { name: "physical", axes },
  ];
  const ends = (path: string, name: unknown) => ({ input: { path }, output: { name } });
  const one = (path: string, step: object, name: unknown = "physical") =>
    level(path, { ...step, ...ends(path, name) });
  const sequence = (...transformations: object[]) => ({ type: "sequence", transformations });
  const image6 = (fields: object = {}, version = "0.6rc0") => ({
    ome: {
      version,
      multiscales: [
        {
          coordinateSystems: systems,
          datasets: [
            one("s0", { type: "identity" }),
            one("s1", scale(1, 2, 3)),
            one("s2", sequence(scale(1, 4, 6), translation(0, 1.5, -2))),
          ],
          // Leads to another coordinate system and is not part of the sequence.
          coordinateTransformations: [
            { type: "affine", path: "a", input: { name: "physical" }, output: { name: "world" } },
          ],
          ...fields,
        },
      ],
      omero: { channels: [{ label: "DAPI" }] },
    },
  });

  it.each(["0.6", "0.6rc0", "0.6.dev4"])("are described as those before: %s", async (version) => {
    const [first] = multiscales(await groupOfV3(image6({}, version)));
    expect(first).toMatchObject({ version, intrinsic: "physical", coordinateSystems: systems });
    expect(first!.axes).toEqual([{ ...axes[0], unit: undefined }, ...yx]);
    expect(channelAxis(first!)).toBe(0);
    expect(first!.channels?.map(({ label }) => label)).toEqual(["DAPI"]);
    expect(first!.levels.map((l) => [l.path, l.scale, l.translation])).toEqual([
      ["s0", [1, 1, 1], [0, 0, 0]],
      ["s1", [1, 2, 3], [0, 0, 0]],
      ["s2", [1, 4, 6], [0, 1.5, -2]],
    ]);
  });

  it("have the optional fields of axes, if these are valid", async () => {
    const orientation = { type: "anatomical", value: "left-to-right" };
    const more = [
      { name: "z", longName: "depth", orientation, discrete: false },
      { name: "y", longName: 5, orientation: "up", discrete: "no" },
    ];
    const [first] = multiscales(
      await groupOfV3(
        image6({ coordinateSystems: [{ name: "physical", axes: more }], datasets: [one("0", scale(1, 1))] }),
      ),
    );
    expect(
      first!.axes.map((axis) => Object.entries(axis).filter(([, value]) => value !== undefined)),
    ).toEqual([Object.entries(more[0]!), [["name", "y"]]].map((entries) => expect.arrayContaining(entries)));
    expect(Object.keys(first!.axes[1]!)).toEqual(["name", "type", "unit"]);
  });

  it("are found by label, in the units of the intrinsic coordinate system", async () => {
    const store = new Map();
    await createGroup(store, { attributes: image6() as never });
    for (const path of ["s0", "s1", "s2"]) await create(store, { path, shape: [1, 8, 9], dtype: "uint8" });
    const group = await open(store, { kind: "group" });
    const wanted = { channel: "DAPI", y: 9.5, x: 4 };
    expect(await sel(group, wanted, { level: 2 })).toEqual([0, 2, 1]);
    expect(await sel(group, { y: 4, x: 6 }, { level: 1 })).toEqual([null, 2, 2]);
  });

  it.each<[string, object]>([
    ["no coordinate systems", { coordinateSystems: undefined }],
    ["axes in their place", { coordinateSystems: undefined, axes }],
    ["coordinate systems of one name", { coordinateSystems: [systems[1], systems[1]] }],
    ["a coordinate system without a name", { coordinateSystems: [{ axes }] }],
    ["a coordinate system without axes", { coordinateSystems: [{ name: "physical" }] }],
    ["very many coordinate systems", { coordinateSystems: new Array(5000).fill(systems[1]) }],
    ["no transformation", { datasets: [{ path: "0" }] }],
    [
      "two transformations",
      { datasets: [level("0", { ...scale(1, 1, 1), ...ends("0", "physical") }, scale(1, 1, 1))] },
    ],
    ["an output that does not exist", { datasets: [one("0", scale(1, 1, 1), "elsewhere")] }],
    ["an output that is not a name", { datasets: [one("0", scale(1, 1, 1), 7)] }],
    ["different outputs", { datasets: [one("0", scale(1, 1, 1)), one("1", scale(1, 1), "world")] }],
    ["a scale for other axes", { datasets: [one("0", scale(1, 1))] }],
    ["a translation alone", { datasets: [one("0", translation(1, 1, 1))] }],
    [
      "a sequence the other way round",
      { datasets: [one("0", sequence(translation(0, 0, 0), scale(1, 1, 1)))] },
    ],
    ["a sequence of one", { datasets: [one("0", sequence(scale(1, 1, 1)))] }],
    [
      "a sequence in a sequence",
      { datasets: [one("0", sequence(sequence(scale(1, 1, 1)), translation(0, 0, 0)))] },
    ],
    [
      "an affine",
      {
        datasets: [
          one("0", {
            type: "affine",
            affine: [
              [1, 0, 0, 0],
              [0, 1, 0, 0],
              [0, 0, 1, 0],
            ],
          }),
        ],
      },
    ],
    [
      "a rotation in a sequence",
      { datasets: [one("0", sequence({ type: "rotation" }, translation(0, 0, 0)))] },
    ],
  ])("are refused with %s", async (_, fields) => {
    const group = await groupOfV3(image6(fields));
    expect(await errorOf(() => multiscales(group))).toMatchObject({
      _tag: "InvalidMetadata",
      code: "bad-convention",
    });
  });
});

// Metadata as specified by each version from 0.1 on; 0.1 to 0.4 use Zarr v2.
describe.each(["0.1", "0.2", "0.3", "0.4", "0.5", "0.6rc0"])("OME-Zarr %s", (version) => {
  const isNew = version >= "0.5";
  /** Up to 0.4 each kind of metadata states the version; later it is stated once. */
  const attributesOf = (name: string, fields: object, more: object = {}) =>
    isNew ? { ome: { version, [name]: fields, ...more } } : { [name]: { version, ...fields }, ...more };
  const make = async (attributes: object, more: Record<string, object> = {}) => {
    const store = new Map();
    const zarrFormat = isNew ? 3 : 2;
    for (const [path, own] of [["", attributes] as const, ...Object.entries(more)])
      await createGroup(store, { path, zarrFormat, attributes: own as never });
    return open(store, { kind: "group" });
  };
  const datasets = [
    {
      path: "0",
      coordinateTransformations: [{ ...scale(1, 1), ...(version >= "0.6" ? { output: { name: "p" } } : {}) }],
    },
  ];
  const imageOf = () => {
    if (version >= "0.6") return { coordinateSystems: [{ name: "p", axes: yx }], datasets };
    if (version >= "0.4") return { axes: yx, datasets };
    return { datasets: [{ path: "0" }], ...(version === "0.3" ? { axes: ["y", "x"] } : {}) };
  };
  const imageAttributes = (more: object = {}) =>
    isNew
      ? { ome: { version, multiscales: [imageOf()], ...more } }
      : { multiscales: [{ version, ...imageOf() }], ...more };

  it("has images with labels", async () => {
    const group = await make(imageAttributes(), {
      labels: isNew ? { ome: { version, labels: ["cells/0"] } } : { labels: ["cells/0"] },
      "labels/cells": {},
      "labels/cells/0": imageAttributes({ "image-label": { version, colors: [] } }),
    });
    const [image] = multiscales(group);
    expect(image!.version).toBe(version);
    expect(image!.axes.map(({ name }) => name).join("")).toBe(version < "0.3" ? "tczyx" : "yx");
    expect(await labelPaths(group)).toEqual(["labels/cells/0"]);
    const label = await group.open("labels/cells/0", { kind: "group" });
    expect(multiscales(label)[0]!.levels[0]!.path).toBe("0");
  });

  it("has plates, wells and fields", async () => {
    const place = (rowIndex: number, columnIndex: number) =>
      version >= "0.4" ? { rowIndex, columnIndex } : {};
    const plate = attributesOf("plate", {
      rows: [{ name: "A" }, { name: "B" }],
      columns: [{ name: "1" }, { name: "2" }],
      wells: [
        { path: "A/1", ...place(0, 0) },
        { path: "B/2", ...place(1, 1) },
      ],
    });
    const well = attributesOf("well", { images: [{ path: "0", acquisition: 1 }, { path: "1" }] });
    const group = await make(plate, { A: {}, "A/1": well });
    expect(wellPaths(group)).toEqual(["A/1", "B/2"]);
    expect(isMultiscales(group)).toBe(false);
    expect(fieldPaths(await group.open("A/1", { kind: "group" }))).toEqual(["0", "1"]);
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
        code: "bad-convention",
      });
    }
  });
});
