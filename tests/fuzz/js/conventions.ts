/** Attributes of conventions: OME-Zarr, CF, xarray. */

import {
  coordinateGraph,
  coordinatesOf,
  decodeCF,
  fieldPaths,
  isMultiscales,
  labelPaths,
  multiscales,
  wellPaths,
} from "../../../dist/conventions.js";
import { open, ZarrArray, type ZarrGroup } from "../../../dist/index.js";
import { mutatedText } from "./mutations.js";
import { goldenDocuments } from "./seeds.js";
import { type FuzzTarget, holds, jsonBytes, textBytes, throwFirst } from "./target.js";

const attributesOf = (text: string): string[] => {
  const { attributes } = JSON.parse(text.replaceAll(/\bNaN\b/g, "null")) as { attributes?: object };
  return attributes && Object.keys(attributes).length > 0 ? [JSON.stringify(attributes)] : [];
};

const seeds = [
  ...goldenDocuments(".zattrs"),
  ...goldenDocuments("zarr.json").flatMap(attributesOf),
  '{"scale_factor":0.01,"add_offset":273.15,"_FillValue":-32768,"_Unsigned":"true","units":"K","valid_range":[0,100]}',
  '{"units":"days since 1970-01-01 12:30:00 +2:00","calendar":"noleap","coordinates":"lat lon","_ARRAY_DIMENSIONS":["y"]}',
  '{"missing_value":[1,2],"dtype":"bool","flag_values":[0,1]}',
  '{"plate":{"wells":[{"path":"A/1"}]},"well":{"images":[{"path":"0"}]},"labels":["cells"]}',
];

/** OME-Zarr 0.6: `a` and `b` have the same attributes as the group that refers to them. */
const systems = ["p", "w"].map((name) => ({
  name,
  axes: [{ name: "y", type: "displacement" }, { name: "x" }],
}));
const ends = { input: { name: "p" }, output: { name: "w" } };
const level = {
  path: "y",
  coordinateTransformations: [{ type: "scale", scale: [2, 3], input: { path: "y" }, output: { name: "p" } }],
};
const transformations = [
  {
    type: "affine",
    affine: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  },
  { type: "rotation", path: "y" },
  {
    type: "sequence",
    transformations: [
      { type: "mapAxis", mapAxis: [1, 0] },
      { type: "translation", translation: [1, 2] },
    ],
  },
  {
    type: "byDimension",
    transformations: [
      { transformation: { type: "scale", scale: [2] }, inputAxes: [0], outputAxes: [1] },
      { transformation: { type: "displacements", path: "a" }, inputAxes: [1], outputAxes: [0] },
    ],
  },
  {
    type: "bijection",
    forward: { type: "identity" },
    inverse: { type: "projectAxis", createdOutputs: [0], droppedInputs: [1] },
  },
];
seeds.push(
  ...transformations.map((one) =>
    JSON.stringify({
      ome: {
        version: "0.6rc0",
        multiscales: [
          { coordinateSystems: systems, datasets: [level], coordinateTransformations: [{ ...one, ...ends }] },
        ],
      },
    }),
  ),
  JSON.stringify({
    ome: {
      version: "0.6rc0",
      scene: {
        coordinateSystems: systems,
        coordinateTransformations: [{ ...transformations[0], ...ends }],
      },
    },
  }),
);

const conventions: FuzzTarget = {
  name: "conventions",
  inputs: mutatedText(seeds),
  covers: ["conventions/"],
  tags: ["InvalidMetadata", "Unsupported", "NotFound", "LimitExceeded"],
  run: async (input) => {
    const group = '{"zarr_format":3,"node_type":"group","attributes":';
    const array = {
      zarr_format: 2,
      shape: [4],
      chunks: [4],
      dtype: "<i2",
      compressor: null,
      fill_value: 1,
      order: "C",
      filters: null,
    };
    const document = Buffer.concat([textBytes(group), input, textBytes("}")]);
    const store = new Map<string, Uint8Array>([
      ...["", "/labels", "/a"].map((path) => [`${path}/zarr.json`, document] as const),
      ["/y/.zarray", jsonBytes(array)],
      ["/y/.zattrs", input],
    ]);
    const root = (await open(store, { kind: "group" })) as ZarrGroup;
    const failures: unknown[] = [];
    for (const look of [lookAtImages, lookAtPlates, lookAtArray, lookAtSystems]) {
      await look(root).catch((error: unknown) => failures.push(error));
    }
    throwFirst(failures);
  },
};

async function lookAtImages(group: ZarrGroup): Promise<void> {
  await labelPaths(group);
  if (!isMultiscales(group)) return;
  for (const { axes, levels } of multiscales(group)) {
    holds(levels.length > 0, "an image has a level");
    for (const { scale } of levels)
      holds(!scale || scale.length === axes.length, "a scale has a factor per axis");
  }
}

async function lookAtPlates(group: ZarrGroup): Promise<void> {
  const paths = [...(wellPaths(group) ?? []), ...(fieldPaths(group) ?? [])];
  holds(
    paths.every((path) => typeof path === "string"),
    "paths are strings",
  );
}

async function lookAtSystems(group: ZarrGroup): Promise<void> {
  const { spaces, between } = await coordinateGraph(group);
  const failures: unknown[] = [];
  for (const from of spaces.slice(0, 4)) {
    for (const to of spaces.slice(0, 4)) {
      const way = await between(from, to).catch((error: unknown) => void failures.push(error));
      if (!way) continue;
      const points = way.apply(new Float64Array(from.axes.length * 2).fill(1));
      holds(points.length === to.axes.length * 2, "points have a coordinate per axis");
      const isFitting = way.matrix?.every((row) => row.length === from.axes.length + 1) ?? true;
      holds(isFitting && (way.matrix?.length ?? to.axes.length) === to.axes.length, "a matrix fits");
    }
  }
  throwFirst(failures);
}

async function lookAtArray(group: ZarrGroup): Promise<void> {
  const array = await group.open("y");
  if (!(array instanceof ZarrArray)) return;
  const region = { data: Int16Array.of(1, -2, 300, -32768), shape: [4], stride: [1] };
  for (const times of ["milliseconds", "counts"] as const) {
    for (const validRange of [false, true]) {
      const { data } = decodeCF(array, region, { times, validRange });
      holds(data.length === 4, "a decoded region has as many elements as before");
    }
  }
  await coordinatesOf(group, array);
}

export const conventionTargets = [conventions];
