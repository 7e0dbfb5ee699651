/** Attributes of a new image's group: OME-Zarr 0.5 or 0.6 in Zarr v3, 0.4 in Zarr v2. */
import type { NewAttributes } from "../../../edit/options.js";
import type { DownsamplingMethod, OmeVersion } from "../multiscale-options.js";
import type { Axis } from "./axes.js";
import type { Level } from "./plan.js";

export interface Image {
  readonly axes: readonly Axis[];
  readonly levels: readonly (Level & { readonly path: string })[];
  readonly method: DownsamplingMethod;
  readonly name: string | undefined;
}

/** Description of each method in the metadata. */
const descriptions: Readonly<Record<DownsamplingMethod, string>> = {
  mean: "mean of each block of the level before, without NaNs; of integers rounded to the nearest, a half to the even one",
  mode: "most frequent element of each block of the level before; of several the first in C order",
  max: "greatest element of each block of the level before, without NaNs",
  nearest: "first element of each block of the level before",
};

/** Returns the attributes that OME-Zarr defines, as stored: below `ome` in v3. */
export function imageAttributes(
  { axes, levels, method, name }: Image,
  version: OmeVersion,
  more: NewAttributes,
): NewAttributes {
  const hasSystems = version === "0.6rc0";
  const axesJson = axes.map(axisJson);
  const image = {
    ...(version === "0.4" ? { version } : {}),
    ...(name === undefined ? {} : { name }),
    ...(hasSystems ? { coordinateSystems: [{ name: intrinsic, axes: axesJson }] } : { axes: axesJson }),
    datasets: levels.map((level) => ({
      path: level.path,
      coordinateTransformations: hasSystems ? [namedSteps(level)] : steps(level),
    })),
    type: method,
    metadata: {
      description: descriptions[method],
      method: "zarr-wasm writeMultiscale",
      kwargs: { method, factors: levels.slice(1).map(({ factors }) => factors) },
    },
  };
  const all = { multiscales: [image], ...more };
  return version === "0.4" ? all : { ome: { version, ...all } };
}

/** The intrinsic coordinate system, under the name used in the specification. */
const intrinsic = "intrinsic";

type Placed = Pick<Image["levels"][number], "path" | "scale" | "translation">;

/** Returns the transformations from a level's indices to units. */
const steps = ({ scale, translation }: Placed) => [
  { type: "scale", scale },
  ...(translation.some((start) => start !== 0) ? [{ type: "translation", translation }] : []),
];

/** Returns the steps as one transformation between two coordinate systems (0.6). */
function namedSteps(level: Placed) {
  const ends = { input: { path: level.path }, output: { name: intrinsic } };
  const [scale, ...more] = steps(level);
  return more.length === 0
    ? { ...scale, ...ends }
    : { type: "sequence", transformations: [scale, ...more], ...ends };
}

/** Omits undefined properties: the specification does not allow null. */
function axisJson({ name, type, unit }: Axis) {
  return { name, ...(type === undefined ? {} : { type }), ...(unit === undefined ? {} : { unit }) };
}
