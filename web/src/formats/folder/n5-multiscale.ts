/** Resolution levels of N5 groups, by the conventions of n5-viewer (BigDataViewer, Neuroglancer) and of COSEM. */

import { isJsonObject, type Json, type JsonObject } from "../../util/json.js";
import { type OmeAxis, type OmeLevel, omeAttribute } from "../file/ome.js";
import { numbersIn, positive } from "./context.js";

/** The document of an array in the group. */
export type Child = JsonObject;
type Children = (name: string) => Promise<Child | undefined>;

/** Maximum number of levels. */
const maxLevels = 64;
const groupKeys = [
  "multiscales",
  "pixelResolution",
  "resolution",
  "scales",
  "downsamplingFactors",
  "multiScale",
];

/** Whether a group may have levels; others are not asked for their members. */
export const mayBeMultiscale = (group: JsonObject): boolean =>
  groupKeys.some((key) => Object.hasOwn(group, key));

/** Returns the image that a group's metadata describes exactly; undefined for others, whose attributes tell it. */
export async function n5Multiscale(
  group: JsonObject,
  child: Children,
): Promise<{ readonly ome: Json; readonly paths: readonly string[] } | undefined> {
  const image = cosem(group) ?? (await viewer(group, child));
  if (!image || image.levels.length === 0) return undefined;
  return { ome: omeAttribute(image), paths: image.levels.map(({ path }) => path) };
}

interface Image {
  readonly axes: readonly OmeAxis[];
  readonly levels: readonly OmeLevel[];
}

/** `multiscales` of COSEM: each level has a transformation in the order of Zarr. */
function cosem(group: JsonObject): Image | undefined {
  const [first] = Array.isArray(group["multiscales"]) ? group["multiscales"] : [];
  const datasets = isJsonObject(first) ? first["datasets"] : undefined;
  if (!Array.isArray(datasets) || datasets.length > maxLevels) return undefined;
  const levels = datasets.map(cosemLevel);
  const axes = levels[0]?.axes;
  if (!axes || levels.some((level) => JSON.stringify(level?.axes) !== JSON.stringify(axes))) return undefined;
  return { axes, levels: levels as OmeLevel[] };
}

function cosemLevel(dataset: Json): (OmeLevel & { readonly axes: OmeAxis[] }) | undefined {
  if (!isJsonObject(dataset) || !isJsonObject(dataset["transform"])) return undefined;
  const { path, transform } = dataset as { path?: Json; transform: JsonObject };
  const scale = numbersIn(transform["scale"]);
  const translation = numbersIn(transform["translate"]);
  const isFortran = transform["order"] !== undefined && transform["order"] !== "C";
  if (typeof path !== "string" || isFortran || !scale?.every(positive.test)) return undefined;
  if (!translation?.every(Number.isFinite) || translation.length !== scale.length) return undefined;
  const axes = axesOf(transform["axes"], transform["units"], scale.length);
  return axes && { path, scale, translation, axes };
}

/** Levels s0, s1, … with factors, in the order of N5. Voxels of a level are the means of those below. */
async function viewer(group: JsonObject, child: Children): Promise<Image | undefined> {
  const pixel = group["pixelResolution"];
  const given = isJsonObject(pixel) ? pixel["dimensions"] : (pixel ?? group["resolution"]);
  const listed = group["scales"] ?? group["downsamplingFactors"];
  const levels: { path: string; factors: number[] }[] = [];
  for (let i = 0; i < maxLevels; i++) {
    const path = `s${i}`;
    const array = await child(path);
    if (!array) break;
    const dimensions = numbersIn(array["dimensions"]);
    const own =
      numbersIn(array["downsamplingFactors"]) ?? (Array.isArray(listed) ? numbersIn(listed[i]) : undefined);
    const factors = own ?? (i === 0 ? dimensions?.map(() => 1) : undefined);
    if (!factors?.every(positive.test) || factors.length !== dimensions?.length) return undefined;
    levels.push({ path, factors });
  }
  const rank = levels[0]?.factors.length ?? 0;
  if (levels.some(({ factors }) => factors.length !== rank)) return undefined;
  const pixels = given === undefined ? new Array<number>(rank).fill(1) : numbersIn(given);
  if (!pixels?.every(positive.test) || pixels.length !== rank) return undefined;
  const units = isJsonObject(pixel) ? pixel["unit"] : group["units"];
  const axes = axesOf(
    group["axes"],
    Array.isArray(units) ? units : new Array(rank).fill(units ?? null),
    rank,
  );
  if (!axes) return undefined;
  return {
    axes: axes.reverse(),
    levels: levels.map(({ path, factors }) => ({
      path,
      scale: factors.map((factor, axis) => factor * pixels[axis]!).reverse(),
      translation: factors.map((factor, axis) => ((factor - 1) / 2) * pixels[axis]!).reverse(),
    })),
  };
}

/** Units of OME-Zarr by their usual abbreviations. */
const unitNames: Readonly<Record<string, string>> = {
  nm: "nanometer",
  um: "micrometer",
  µm: "micrometer",
  μm: "micrometer",
  micron: "micrometer",
  mm: "millimeter",
  cm: "centimeter",
  m: "meter",
  s: "second",
  ms: "millisecond",
};
/** Names of axes without names, in the order of N5. */
const defaultNames = ["x", "y", "z"];

/** Returns axes; undefined if their names are invalid or unknown. Axes t and c are times and channels. */
function axesOf(names: Json | undefined, units: Json | undefined, rank: number): OmeAxis[] | undefined {
  const list = names ?? (rank <= defaultNames.length ? defaultNames.slice(0, rank) : undefined);
  if (!Array.isArray(list) || list.length !== rank || new Set(list).size !== rank) return undefined;
  const axes = list.map((name, axis): OmeAxis | undefined => {
    if (typeof name !== "string" || name === "") return undefined;
    const unit = Array.isArray(units) ? units[axis] : undefined;
    const type = name === "t" ? "time" : name === "c" ? "channel" : "space";
    if (typeof unit !== "string" || unit === "") return { name, type };
    return { name, type, unit: Object.hasOwn(unitNames, unit) ? unitNames[unit] : unit };
  });
  return axes.every((axis) => axis !== undefined) ? axes : undefined;
}
