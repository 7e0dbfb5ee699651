// Coordinate systems of OME-Zarr 0.6: transformed points (recorded by tests/golden/transforms.py), and invalid graphs.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, createGroup, isZarrError, open, set } from "zarr-wasm";
import {
  type CoordinateReference,
  coordinateGraph,
  type MappingOptions,
  multiscales,
} from "zarr-wasm/conventions";
import { errorOf, randomizer } from "../support/support.js";

type Nested = number | readonly Nested[];

interface Case {
  readonly name: string;
  readonly groups: Readonly<Record<string, object>>;
  readonly arrays: Readonly<Record<string, readonly Nested[]>>;
  readonly from: CoordinateReference;
  readonly to: CoordinateReference;
  readonly points: readonly (readonly number[])[];
  readonly expected: readonly (readonly (number | null)[])[];
  readonly steps: number | null;
}

const cases = JSON.parse(
  readFileSync(new URL("../../golden/transforms.json", import.meta.url), "utf8"),
) as Case[];

const shapeOf = (nested: Nested): number[] =>
  Array.isArray(nested) ? [nested.length, ...shapeOf(nested[0])] : [];

/** A store with these groups, by path, and arrays. */
async function stored({ groups, arrays }: Pick<Case, "groups"> & Partial<Pick<Case, "arrays">>) {
  const store = new Map<string, Uint8Array>();
  for (const [path, ome] of Object.entries(groups))
    await createGroup(store, { path, attributes: { ome } as never });
  for (const [path, values] of Object.entries(arrays ?? {})) {
    const shape = shapeOf(values);
    const array = await create(store, { path, shape, dtype: "float64" });
    await set(array, null, Float64Array.from((values as unknown[]).flat(Infinity) as number[]));
  }
  return store;
}

const graphOf = async (made: Parameters<typeof stored>[0]) =>
  coordinateGraph(await open(await stored(made), { kind: "group" }));

/** Relative to the magnitude of the operands: sums of rounded products are rounded, too. */
function expectNear(found: ArrayLike<number>, expected: readonly (number | null)[]): void {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, i) => {
    if (value === null) expect(found[i]).toBeNaN();
    else expect(Math.abs(found[i]! - value)).toBeLessThan(1e-9 * (1 + Math.abs(value)));
  });
}

describe("points are mapped as specified", () => {
  it.each(cases)("$name", async (recorded) => {
    const { from, to, points, expected, steps } = recorded;
    const mapping = await (await graphOf(recorded)).between(from, to);
    expectNear(mapping.apply(points.flat()), expected.flat());
    if (steps !== null) expect(mapping.steps).toHaveLength(steps);
    const { matrix } = mapping;
    const rows = points.flatMap((point) =>
      matrix?.map((row) => row.at(-1)! + point.reduce((sum, x, k) => sum + row[k]! * x, 0)),
    );
    if (matrix) expectNear(rows as number[], expected.flat());
  });

  it("and all but vector fields have a matrix", async () => {
    const withoutMatrix: string[] = [];
    for (const recorded of cases) {
      const mapping = await (await graphOf(recorded)).between(recorded.from, recorded.to);
      if (!mapping.matrix) withoutMatrix.push(recorded.name);
    }
    const fields = cases.filter(({ groups }) => /"(displacements|coordinates)"/.test(JSON.stringify(groups)));
    expect(fields.length).toBeGreaterThan(5);
    expect(withoutMatrix).toEqual(fields.map(({ name }) => name));
  });
});

const yx = [
  { name: "y", type: "space", unit: "micrometer", discrete: false },
  { name: "x", type: "space", unit: "micrometer", longName: "across" },
];
const system = (name: string, axes: object[] = yx) => ({ name, axes });
const scaled = (path: string, output: string, scale: readonly unknown[] = [2, 3]) => ({
  path,
  coordinateTransformations: [{ type: "scale", scale, input: { path }, output: { name: output } }],
});
const image = (fields: object = {}) => ({
  version: "0.6rc0",
  multiscales: [
    {
      coordinateSystems: [system("world"), system("physical")],
      datasets: [scaled("s0", "physical")],
      ...fields,
    },
  ],
});
const linked = (transformation: object, more: object = {}) =>
  image({
    coordinateTransformations: [
      { input: { name: "physical" }, output: { name: "world" }, ...transformation },
    ],
    ...more,
  });
const between = async (
  ome: object,
  from: CoordinateReference = "physical",
  to: CoordinateReference = "world",
  options?: MappingOptions,
) => (await graphOf({ groups: { "": ome } })).between(from, to, options);

describe("a graph", () => {
  it("lists coordinate systems, arrays and transformations, of other groups, too", async () => {
    const { spaces, transformations } = await graphOf({
      groups: {
        "": linked({ type: "identity", name: "same", output: { path: "labels/cells", name: "physical" } }),
        "labels/cells": image(),
      },
    });
    expect(spaces.map(({ name, path, axes }) => [name, path, axes.length])).toEqual([
      ["world", "", 2],
      ["physical", "", 2],
      [undefined, "s0", 2],
      ["world", "labels/cells", 2],
      ["physical", "labels/cells", 2],
      [undefined, "labels/cells/s0", 2],
    ]);
    expect(spaces[0]!.axes[1]).toEqual({ ...yx[1], unit: "micrometer" });
    expect(
      transformations.map(({ type, name, input, output }) => [
        type,
        name,
        input.path,
        output.path,
        output.name,
      ]),
    ).toEqual([
      ["scale", undefined, "s0", "", "physical"],
      ["scale", undefined, "labels/cells/s0", "labels/cells", "physical"],
      ["identity", "same", "", "labels/cells", "physical"],
    ]);
  });

  it("reports the transformations of a mapping, and their directions", async () => {
    const mapping = await between(linked({ type: "translation", translation: [1, 2] }), "world", {
      path: "s0",
    });
    expect(mapping.steps.map(({ transformation, inverse }) => [transformation.type, inverse])).toEqual([
      ["translation", true],
      ["scale", true],
    ]);
    expect([mapping.input.name, mapping.output.path]).toEqual(["world", "s0"]);
    expect(mapping.matrix).toEqual([
      [1 / 2, 0, -1 / 2],
      [0, 1 / 3, -2 / 3],
    ]);
  });

  it("accepts bare names as ends, as in drafts", async () => {
    const mapping = await between(
      linked({ type: "scale", scale: [1, 2], input: "physical", output: "world" }),
    );
    expect([...mapping.apply([1, 1, 2, 2])]).toEqual([1, 2, 2, 4]);
  });

  it("of a type that is not known can be used as far as other transformations lead", async () => {
    const ome = linked({ type: "thinPlateSpline", path: "x" });
    expect((await between(ome, { path: "s0" }, "physical")).matrix).toBeDefined();
    const error = await errorOf(() => between(ome));
    expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-ome"]);
    expect(error.message).toContain("thinPlateSpline");
    expect((await errorOf(() => between(ome, "world", "physical"))).code).toBe("not-invertible");
  });
});

describe("vector fields", () => {
  const field = (fields: object = {}) => ({
    version: "0.6rc0",
    multiscales: [
      {
        coordinateSystems: [system("own", [{ name: "v", type: "displacement", discrete: true }, ...yx])],
        datasets: [scaled("s0", "own", [1, 1, 1])],
        ...fields,
      },
    ],
  });
  const zeros = (...shape: number[]): Nested =>
    shape.length === 0 ? 0 : Array.from({ length: shape[0]! }, () => zeros(...shape.slice(1)));
  const make = async (transformation: object, group: object = field(), values = zeros(2, 4, 4)) =>
    graphOf({
      groups: { "": linked({ type: "displacements", path: "f", ...transformation }), f: group },
      arrays: { "f/s0": values as readonly Nested[] },
    });
  const attempt = async (...made: Parameters<typeof make>) =>
    errorOf(async () => (await make(...made)).between("physical", "world"));

  it("of another interpolation are Unsupported, unless the caller asks for a supported one", async () => {
    const graph = await make({ interpolation: "bspline-cubic" });
    const error = await errorOf(() => graph.between("physical", "world"));
    expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-ome"]);
    const mapping = await graph.between("physical", "world", { interpolation: "nearest" });
    expect([...mapping.apply([1, 2])]).toEqual([1, 2]);
    expect(mapping.matrix).toBeUndefined();
  });

  it("are refused before they are read where they take more than is allowed", async () => {
    const graph = await make({});
    const error = await errorOf(() => graph.between("physical", "world", { maxBytes: 2 * 4 * 4 * 8 - 1 }));
    expect([error._tag, error.code]).toEqual(["LimitExceeded", "limit-exceeded"]);
    expect(await graph.between("physical", "world", { maxBytes: 2 * 4 * 4 * 8 })).toBeDefined();
  });

  it("have no inverse", async () => {
    const error = await errorOf(async () => (await make({})).between("world", "physical"));
    expect([error._tag, error.code]).toEqual(["Unsupported", "not-invertible"]);
  });

  it("must fit the coordinate system", async () => {
    const wrong = {
      "three components": await attempt({}, field(), zeros(3, 4, 4)),
      "no elements": await attempt({}, field(), zeros(2, 4, 0)),
      "no axis of vectors": await attempt(
        {},
        field({ coordinateSystems: [system("own", [{ name: "v", type: "coordinate" }, ...yx])] }),
      ),
      "a scale of 0": await attempt({}, field({ datasets: [scaled("s0", "own", [1, 0, 1])] })),
      "a path that leaves the store": await attempt({ path: "../f" }),
    };
    for (const [what, error] of Object.entries(wrong))
      expect([what, error._tag, error.code]).toEqual([what, "InvalidMetadata", "bad-convention"]);
    expect((await attempt({ path: "none" }))._tag).toBe("NotFound");
  });
});

describe("invalid metadata is rejected", () => {
  const deep = (depth: number): object =>
    depth === 0 ? { type: "identity" } : { type: "sequence", transformations: [deep(depth - 1)] };
  const part = (transformation: object, inputAxes: unknown, outputAxes: unknown) => ({
    transformation,
    inputAxes,
    outputAxes,
  });
  const one = { type: "scale", scale: [1] };
  const parts = (...transformations: object[]) => ({ type: "byDimension", transformations });
  const inverses = [
    { type: "scale", scale: [1, 1] },
    { type: "scale", scale: [1, 1, 1] },
  ];

  it.each<[string, object]>([
    ["numbers for other axes", { type: "scale", scale: [1, 2, 3] }],
    ["a number that is none", { type: "translation", translation: [1, null] }],
    ["a number that is a string", { type: "translation", translation: [1, "2"] }],
    [
      "numbers too large together",
      { type: "sequence", transformations: [1, 2].map(() => ({ type: "scale", scale: [1e200, 1] })) },
    ],
    ["a mapAxis that repeats", { type: "mapAxis", mapAxis: [0, 0] }],
    ["a mapAxis out of range", { type: "mapAxis", mapAxis: [0, 2] }],
    ["a mapAxis that is too short", { type: "mapAxis", mapAxis: [0] }],
    ["a mapAxis of fractions", { type: "mapAxis", mapAxis: [0, 0.5] }],
    ["a projectAxis without axes", { type: "projectAxis" }],
    ["a projectAxis to other axes", { type: "projectAxis", createdOutputs: [0] }],
    ["a projectAxis that repeats", { type: "projectAxis", createdOutputs: [0, 0], droppedInputs: [0, 1] }],
    ["a projectAxis out of range", { type: "projectAxis", createdOutputs: [2], droppedInputs: [0] }],
    ["a projectAxis to very many axes", { type: "projectAxis", createdOutputs: new Array(20_000).fill(0) }],
    ["an affine without numbers", { type: "affine" }],
    [
      "an affine with short rows",
      {
        type: "affine",
        affine: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    ["an affine to other axes", { type: "affine", affine: [[1, 2, 3]] }],
    ["an affine of very many rows", { type: "affine", affine: new Array(20_000).fill([1, 2, 3]) }],
    [
      "a rotation that is none",
      {
        type: "rotation",
        rotation: [
          [1, 1],
          [0, 1],
        ],
      },
    ],
    [
      "a rotation that is a reflection",
      {
        type: "rotation",
        rotation: [
          [0, 1],
          [1, 0],
        ],
      },
    ],
    [
      "a rotation that is an affine",
      {
        type: "rotation",
        rotation: [
          [1, 0, 0],
          [0, 1, 0],
        ],
      },
    ],
    ["an empty sequence", { type: "sequence", transformations: [] }],
    [
      "a sequence whose parts do not fit",
      {
        type: "sequence",
        transformations: [
          { type: "affine", affine: [[1, 2, 3]] },
          { type: "scale", scale: [1, 2] },
        ],
      },
    ],
    ["transformations deep in one another", deep(18)],
    ["a bijection that is half there", { type: "bijection", forward: { type: "identity" } }],
    [
      "a bijection whose inverse does not fit",
      { type: "bijection", forward: inverses[0], inverse: inverses[1] },
    ],
    ["an output twice", parts(part(one, [0], [1]), part(one, [1], [1]))],
    ["an output that does not exist", parts(part(one, [0], [2]), part(one, [1], [1]))],
    ["a missing output", parts(part(one, [0], [0]))],
    ["inputs that do not exist", parts(part(one, [0], [0]), part(one, [2], [1]))],
    ["names for indices", parts(part(one, ["y"], ["y"]), part(one, ["x"], ["x"]))],
    ["a part for other axes", parts(part({ type: "scale", scale: [1, 2] }, [0], [0]), part(one, [1], [1]))],
    [
      "parts without a transformation",
      parts({ ...one, inputAxes: [0], outputAxes: [0] }, part(one, [1], [1])),
    ],
  ])("%s", async (_what, transformation) => {
    const error = await errorOf(() => between(linked(transformation)));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-convention"]);
    expect(error.message).toContain("coordinateTransformations");
    expect(error.message.length).toBeLessThan(500);
  });

  it.each<[string, object]>([
    ["a transformation from nowhere", linked({ type: "identity", input: { name: "elsewhere" } })],
    ["a transformation without an end", linked({ type: "identity", output: undefined })],
    ["a transformation to itself", linked({ type: "identity", output: { name: "physical" } })],
    ["a transformation without a type", linked({ type: 5 })],
    ["no list", image({ coordinateTransformations: {} })],
    ["no objects", image({ coordinateTransformations: ["identity"] })],
    ["a path that leaves the store", linked({ type: "identity", output: { path: "../x", name: "a" } })],
    ["levels to different systems", image({ datasets: [scaled("s0", "physical"), scaled("s1", "world")] })],
  ])("%s, at once", async (_what, ome) => {
    const error = await errorOf(() => graphOf({ groups: { "": ome } }));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-convention"]);
  });

  it("stored matrices of a wrong shape or type", async () => {
    const ome = linked({ type: "affine", path: "m" });
    for (const m of [
      [
        [1, 2],
        [3, 4],
      ],
      [1, 2, 3],
    ]) {
      const graph = await graphOf({ groups: { "": ome }, arrays: { m } });
      const error = await errorOf(() => graph.between("physical", "world"));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-convention"]);
    }
    // Far too large: nothing is read.
    const store = await stored({ groups: { "": ome } });
    await create(store, { path: "m", shape: [2 ** 30, 3], dtype: "float64" });
    const graph = await coordinateGraph(await open(store, { kind: "group" }));
    expect((await errorOf(() => graph.between("physical", "world"))).code).toBe("bad-convention");
  });

  it("very many transformations", async () => {
    const identity = { type: "identity" };
    const nested = { type: "sequence", transformations: new Array(200).fill(identity) };
    const all = { type: "sequence", transformations: new Array(200).fill(nested) };
    const error = await errorOf(() => between(linked(all)));
    expect([error._tag, error.code]).toEqual(["LimitExceeded", "limit-exceeded"]);
    const edge = { ...identity, input: { name: "physical" }, output: { name: "world" } };
    const many = image({ coordinateTransformations: new Array(10_001).fill(edge) });
    expect((await errorOf(() => between(many)))._tag).toBe("LimitExceeded");
  });

  it("missing paths, and inverse paths over transformations without an inverse", async () => {
    const codes = async (ome: object, from: CoordinateReference, to: CoordinateReference) => {
      const { _tag, code } = await errorOf(() => between(ome, from, to));
      return [_tag, code];
    };
    expect(await codes(image(), "physical", "world")).toEqual(["NotFound", "no-transformation"]);
    expect(await codes(image(), "physical", "nowhere")).toEqual(["NotFound", "no-transformation"]);
    expect(await codes(image(), { path: "s7" }, "world")).toEqual(["NotFound", "no-transformation"]);
    const singular = linked({
      type: "affine",
      affine: [
        [1, 2, 3],
        [2, 4, 6],
      ],
    });
    expect(await codes(singular, "world", "physical")).toEqual(["Unsupported", "not-invertible"]);
    const flat = linked({ type: "scale", scale: [0, 1] });
    expect(await codes(flat, "world", "physical")).toEqual(["Unsupported", "not-invertible"]);
    expect(await codes(flat, "physical", 7 as never)).toEqual(["InvalidArgument", "invalid-argument"]);
  });

  it("rejects groups that are neither image nor scene, and those of other versions", async () => {
    const tags = async (ome: object) => {
      const { _tag, code } = await errorOf(() => graphOf({ groups: { "": ome } }));
      return [_tag, code];
    };
    expect(await tags({ version: "0.6rc0" })).toEqual(["NotFound", "no-convention"]);
    const older = {
      version: "0.5",
      multiscales: [
        {
          axes: yx,
          datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }],
        },
      ],
    };
    expect(await tags(older)).toEqual(["Unsupported", "unsupported-ome"]);
    expect(await tags({ ...image(), version: "0.7" })).toEqual(["Unsupported", "unsupported-ome"]);
    for (const version of [6, null, undefined])
      expect(await tags({ ...image(), version })).toEqual(["InvalidMetadata", "bad-convention"]);
    const missing = linked({ type: "identity", output: { path: "labels/none", name: "physical" } });
    expect((await tags(missing))[0]).toBe("NotFound");
    expect((await errorOf(() => coordinateGraph({} as never)))._tag).toBe("InvalidArgument");
  });

  it("incomplete points, and invalid options", async () => {
    const mapping = await between(linked({ type: "identity" }));
    for (const points of [[1], [1, 2, 3], null, undefined])
      expect((await errorOf(() => mapping.apply(points as never)))._tag).toBe("InvalidArgument");
    expect([...mapping.apply([])]).toEqual([]);
    for (const options of [{ maxBytes: "1" }, { interpolation: "cubic" }, null])
      expect(
        (await errorOf(() => between(linked({ type: "identity" }), "physical", "world", options as never)))
          ._tag,
      ).toBe("InvalidArgument");
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(between(linked({ type: "identity" }), "physical", "world", { signal })).rejects.toBe(reason);
  });
});

it("attributes that are changed at random are read or refused, never anything else", async () => {
  const whole = JSON.stringify(
    linked({
      type: "sequence",
      transformations: [
        {
          type: "rotation",
          rotation: [
            [0, -1],
            [1, 0],
          ],
        },
        {
          type: "byDimension",
          transformations: [
            { transformation: { type: "scale", scale: [2] }, inputAxes: [0], outputAxes: [1] },
            { transformation: { type: "identity" }, inputAxes: [1], outputAxes: [0] },
          ],
        },
        {
          type: "bijection",
          forward: { type: "mapAxis", mapAxis: [1, 0] },
          inverse: { type: "mapAxis", mapAxis: [1, 0] },
        },
      ],
    }),
  );
  const tokens = whole.match(/"[^"]*"|[-\w.]+|[[\]{},:]/g)!;
  const others = ["null", "-1", "1e308", "[]", "{}", '"identity"', '"affine"', '"__proto__"', "2", "true"];
  let read = 0;
  const uniform = randomizer(1);
  const random = (below: number) => Math.floor(uniform() * below);
  for (let i = 0; i < 1500; i++) {
    const changed = [...tokens];
    const at = random(changed.length);
    changed[at] = i % 2 ? tokens[random(tokens.length)]! : others[random(others.length)]!;
    let ome: object;
    try {
      ome = JSON.parse(changed.join(""));
    } catch {
      continue;
    }
    read++;
    try {
      const graph = await graphOf({ groups: { "": ome } });
      for (const [from, to] of [
        ["physical", "world"],
        ["world", "physical"],
      ] as const)
        (await graph.between(from, to)).apply([1, 2]);
      multiscales(await open(await stored({ groups: { "": ome } }), { kind: "group" }));
    } catch (error) {
      expect(isZarrError(error), String((error as Error).stack)).toBe(true);
    }
  }
  expect(read).toBeGreaterThan(200);
});
