/** Refuses images that their metadata turn or shear: layers are placed along the axes of the picture. */
import type { ZarrArray } from "zarr-wasm";
import { omeAttributes, own, textAt } from "./attributes.js";
import { InvalidLayer } from "./features.js";
import { groupAt } from "./nodes.js";

/** Maximum nesting of sequences of transformations, and number of transformations. */
const maxDepth = 8;
const maxSteps = 256;

/** @param array a level of an image @throws InvalidLayer */
export async function refuseTurned(
  { store, path, zarrFormat }: ZarrArray,
  signal: AbortSignal,
): Promise<void> {
  if (path === "") return;
  const group = await groupAt(store, path.split("/").slice(0, -1).join("/"), zarrFormat, signal);
  const images = own(omeAttributes(group?.attributes), "multiscales");
  const image: unknown = Array.isArray(images) ? images[0] : undefined;
  const datasets = own(image, "datasets");
  const parts: readonly unknown[] = [image, ...(Array.isArray(datasets) ? datasets.slice(0, maxSteps) : [])];
  if (parts.some((part) => isTurned(own(part, "coordinateTransformations"), 0)))
    throw new InvalidLayer(
      "its metadata turn, shear or mirror it, but images can only be scaled and shifted: resample it first",
    );
}

/** Whether a list of transformations leaves the directions of the axes. */
function isTurned(list: unknown, depth: number): boolean {
  if (!Array.isArray(list)) return false;
  return list.slice(0, maxSteps).some((step: unknown) => {
    const type = textAt(step, "type");
    if (type === "sequence") return depth >= maxDepth || isTurned(own(step, "transformations"), depth + 1);
    if (type === "affine" || type === "rotation") return !isIdentity(own(step, type));
    return type !== undefined && !["identity", "scale", "translation"].includes(type);
  });
}

/** Whether rows form the identity; a last column of shifts is 0. */
const isIdentity = (rows: unknown): boolean =>
  Array.isArray(rows) &&
  rows.every((row: unknown, i) => Array.isArray(row) && row.every((value, k) => value === (i === k ? 1 : 0)));
