/** The attribute `ome` of images in array files. */

import { jsonObject } from "../../metadata/print.js";
import type { Json, JsonObject } from "../../util/json.js";
import { floatJson } from "./documents.js";

export interface OmeAxis {
  readonly name: string;
  readonly type: "time" | "channel" | "space";
  readonly unit?: string | undefined;
}

/** A level of resolution, with a number per axis. */
export interface OmeLevel {
  readonly path: string;
  readonly scale: readonly number[];
  /** Default: zeros. */
  readonly translation?: readonly number[];
}

interface OmeImage {
  readonly name?: string | undefined;
  readonly axes: readonly OmeAxis[];
  /** Finest first. */
  readonly levels: readonly OmeLevel[];
  readonly omero?: Json | undefined;
}

/** Returns the attribute `ome` of an image, in version 0.5. */
export function omeAttribute({ name, axes, levels, omero }: OmeImage): JsonObject {
  const datasets = levels.map(({ path, scale, translation = [] }) => {
    const steps: JsonObject[] = [step("scale", scale)];
    if (translation.some((value) => value !== 0)) steps.push(step("translation", translation));
    return jsonObject([
      ["path", path],
      ["coordinateTransformations", steps],
    ]);
  });
  const image = jsonObject([
    ["name", name],
    ["axes", axes.map(axisJson)],
    ["datasets", datasets],
  ]);
  return jsonObject([
    ["version", "0.5"],
    ["multiscales", [image]],
    ["omero", omero],
  ]);
}

const axisJson = ({ name, type, unit }: OmeAxis): JsonObject =>
  jsonObject([
    ["name", name],
    ["type", type],
    ["unit", unit],
  ]);

const step = (type: string, values: readonly number[]): JsonObject =>
  jsonObject([
    ["type", type],
    [type, values.map(floatJson)],
  ]);
