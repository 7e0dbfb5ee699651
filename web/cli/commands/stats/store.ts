/** Writes the results of reductions as a Zarr group that xarray opens: an array per method, and the coordinates. */
import {
  consolidate,
  create,
  createGroup,
  type Elements,
  set,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import type { LabelledRegion } from "zarr-wasm/compute";
import { copy } from "zarr-wasm/transfer";
import type { Values } from "../../options/options.js";
import { destinationUrl, hintForDestination } from "../../source/places.js";
import { note, printSummary } from "../../text/output.js";
import { nameOf } from "../read.js";
import type { Results } from "./results.js";

/** Writes a group to DEST, in the Zarr version of the array; v1 has no groups. */
export async function writeResults(
  results: Results,
  array: ZarrArray,
  dest: string,
  { bucket, json, overwrite }: Values,
): Promise<void> {
  const group = await groupOf(results, array);
  try {
    await copy(group, destinationUrl(dest), {
      ...{ bucket, overwrite },
      destinationName: dest,
      onWarning: ({ message }) => note(message),
    });
  } catch (error) {
    const hint = await hintForDestination(error, dest); // may replace the message
    if (error instanceof Error && !Object.isFrozen(error))
      error.message += hint.replace(/,? or --resume.*/, "");
    throw error;
  }
  const [region] = results.values();
  const names = variableNames(results, array);
  printSummary(json, { destination: dest, arrays: names, shape: region!.shape }, [
    `wrote ${names.join(", ")} to ${dest}`,
  ]);
}

/** Names of the arrays: that of the source, with the methods if there are several. */
function variableNames(results: Results, array: ZarrArray): string[] {
  const name = nameOf(array);
  return results.size === 1 ? [name] : Array.from(results.keys(), (method) => `${name}_${method}`);
}

/** Creates the group in memory, so that a failed command leaves nothing behind. */
async function groupOf(results: Results, array: ZarrArray): Promise<ZarrGroup> {
  const target = new Map<string, Uint8Array>();
  const group = await createGroup(target, { zarrFormat: array.zarrFormat === 3 ? 3 : 2 });
  const names = variableNames(results, array);
  const { coordinates, dimensionNames } = [...results.values()][0]!;
  const used = Object.entries(coordinates).filter(([name]) => !names.includes(name));
  for (const [name, coordinate] of used) await add(group, name, coordinate, coordinate.attributes);
  const others = used.flatMap(([name]) => (dimensionNames.includes(name) ? [] : [name]));
  for (const [i, region] of [...results.values()].entries()) {
    const { coordinates: _, ...attributes } = region.attributes;
    await add(group, names[i]!, region, {
      ...attributes,
      ...(others.length > 0 && { coordinates: others.join(" ") }),
    });
  }
  return consolidate(group);
}

async function add(
  group: ZarrGroup,
  path: string,
  { data, dimensionNames, dtype, shape }: LabelledRegion | LabelledRegion["coordinates"][string],
  attributes: LabelledRegion["attributes"],
): Promise<void> {
  const isFloat = /^b?float/.test(dtype.core);
  // xarray takes the fill value of v2 as a missing value.
  const fillValue = isFloat ? Number.NaN : group.zarrFormat === 2 && !dtype.isVariable ? null : undefined;
  const names = dimensionNames.map((name, axis) => name ?? `dim_${axis}`);
  const array = await create(group, { path, shape, dtype, dimensionNames: names, attributes, fillValue });
  await set(array, null, data as Elements as never);
}
