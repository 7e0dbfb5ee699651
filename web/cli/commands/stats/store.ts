/** Writes the results of reductions as a Zarr group that xarray opens: an array per method, and the coordinates. */
import {
  consolidate,
  create,
  createGroup,
  type Elements,
  type Store,
  set,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import type { LabelledRegion } from "zarr-wasm/compute";
import { openDestination } from "#internal";
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
  const files = await filesOf(results, array);
  try {
    const destination = await openDestination(destinationUrl(dest), { bucket, overwrite, name: dest });
    const lock = await destination.lock({ onWarning: ({ message }) => note(message) });
    try {
      if (destination.kind !== "zip") {
        await createGroup(destination.store, { zarrFormat: versionOf(array), overwrite });
        await writeFiles(destination.store, emptyArrays(files));
      }
      await writeFiles(destination.store, files);
      await destination.close();
      await lock.finish();
    } catch (error) {
      await destination.abort(error);
      throw error;
    } finally {
      await lock.release();
    }
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

/** Files of a store; chunks come before the documents of arrays, and those before the documents of the group. */
type Files = readonly (readonly [key: string, bytes: Uint8Array])[];

const documentName = /\/(zarr\.json|\.zarray|\.zattrs|\.zgroup|\.zmetadata)$/;
const inOrder = (files: Files): Files => {
  const order = (key: string) => (!documentName.test(key) ? 0 : key.lastIndexOf("/") > 0 ? 1 : 2);
  return files.toSorted(([a], [b]) => order(a) - order(b));
};

async function writeFiles(store: Store, files: Files): Promise<void> {
  for (const [key, bytes] of files) await store.set!(key, bytes);
}

/** Documents of arrays without elements: until the last file is written, no array opens as a complete one. */
function emptyArrays(files: Files): Files {
  return files.flatMap(([key, bytes]) => {
    if (!/\/.+\/(zarr\.json|\.zarray)$/.test(key)) return [];
    const document = JSON.parse(new TextDecoder().decode(bytes)) as { shape: number[] };
    const empty = { ...document, shape: document.shape.map(() => 0) };
    return [[key, new TextEncoder().encode(JSON.stringify(empty))] as const];
  });
}

const versionOf = ({ zarrFormat }: ZarrArray) => (zarrFormat === 3 ? 3 : 2);

/** Names of the arrays: that of the source, with the methods if there are several. */
function variableNames(results: Results, array: ZarrArray): string[] {
  const name = nameOf(array);
  return results.size === 1 ? [name] : Array.from(results.keys(), (method) => `${name}_${method}`);
}

/** Makes the group in memory, so that a failed command leaves nothing behind. */
async function filesOf(results: Results, array: ZarrArray): Promise<Files> {
  const target = new Map<string, Uint8Array>();
  const group = await createGroup(target, { zarrFormat: versionOf(array) });
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
  await consolidate(group);
  return inOrder([...target]);
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
