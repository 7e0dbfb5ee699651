/** What a new image's group says: OME-Zarr 0.5 in Zarr v3, 0.4 in Zarr v2. */
import type { NewAttributes } from "../../hierarchy/create.js";
import type { DownsamplingMethod } from "../multiscale.js";
import type { Axis } from "./axes.js";
import type { Level } from "./plan.js";

export interface Image {
  readonly axes: readonly Axis[];
  readonly levels: readonly (Level & { readonly path: string })[];
  readonly method: DownsamplingMethod;
  readonly name: string | undefined;
}

/** How each method is described, for people. */
const descriptions: Readonly<Record<DownsamplingMethod, string>> = {
  mean: "mean of each block of the level before, without NaNs; of integers rounded to the nearest, a half to the even one",
  mode: "most frequent element of each block of the level before; of several the first in C order",
  max: "greatest element of each block of the level before, without NaNs",
  nearest: "first element of each block of the level before",
};

/** The attributes that OME-Zarr defines, as they are stored: below `ome` in v3. */
export function imageAttributes(
  { axes, levels, method, name }: Image,
  version: 2 | 3,
  more: NewAttributes,
): NewAttributes {
  const image = {
    ...(version === 2 ? { version: "0.4" } : {}),
    ...(name === undefined ? {} : { name }),
    axes: axes.map(axisJson),
    datasets: levels.map(({ path, scale, translation }) => ({
      path,
      coordinateTransformations: [
        { type: "scale", scale },
        ...(translation.some((start) => start !== 0) ? [{ type: "translation", translation }] : []),
      ],
    })),
    type: method,
    metadata: {
      description: descriptions[method],
      method: "zarr-wasm writeMultiscale",
      kwargs: { method, factors: levels.slice(1).map(({ factors }) => factors) },
    },
  };
  const all = { multiscales: [image], ...more };
  return version === 2 ? all : { ome: { version: "0.5", ...all } };
}

/** Absent rather than null, which the specification does not have. */
function axisJson({ name, type, unit }: Axis) {
  return { name, ...(type === undefined ? {} : { type }), ...(unit === undefined ? {} : { unit }) };
}
