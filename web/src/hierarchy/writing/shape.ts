/** Shapes of arrays that are there: made smaller and larger, whatever other programs make of them meanwhile. */
import { invalidArgument, notFound, shown } from "../../base/errors.js";
import type { AxisGrid } from "../../base/grid.js";
import type { JsonObject } from "../../base/json.js";
import type { CodecMetadata } from "../../chain/chain.js";
import type { ZarrVersion } from "../../codecs/definition.js";
import { v1AttrsKey, v1MetaKey, v2ArrayKey, v3Key } from "../../metadata/keys.js";
import { type ArrayMetadata, asArguments, withShape } from "../../metadata/model.js";
import { type ArraySpec, readLengths } from "../../metadata/spec.js";
import { joinKey } from "../../store/store.js";
import { deleteObject } from "../../store/write.js";
import { checkOptions } from "../arguments.js";
import { ZarrArray } from "../array.js";
import type { ResizeOptions } from "../create.js";
import { replaceDocument, updateConsolidated } from "./consolidated.js";
import { edgeClearer } from "./edges.js";
import { type Cells, cellsCut, cellsOutside, cellsWithin } from "./outside.js";
import { readDocument } from "./place.js";

export async function resize(
  array: ZarrArray,
  shape: readonly number[],
  options: ResizeOptions,
): Promise<void> {
  checkOptions(options);
  const { signal, edges = "clear" } = options;
  if (!(array instanceof ZarrArray)) throw invalidArgument("resize needs an array");
  if (edges !== "clear" && edges !== "keep")
    throw invalidArgument(`edges must be "clear" or "keep", not ${shown(edges)}`);
  const wanted = checkShape(shape, array.shape.length);
  let outside: Cells = [];
  let cut: Cells = [];
  let clear: (cell: readonly number[]) => Promise<void>;
  await changeShape(array, { signal }, async (now, axesOf) => {
    // What is stored goes by the array's shape as it is: another handle, or another program, may have changed it.
    const axes = await axesOf(now);
    const ends = edges === "clear" ? endsOf(axes, wanted) : wanted;
    outside = cellsOutside(array, axes, wanted, signal);
    cut = cellsCut(array, axes, wanted, ends, signal);
    clear = edgeClearer(array, { ...array.spec, shape: ends, axes: await axesOf(ends) }, wanted, signal);
    return wanted;
  });
  await deleteCells(array, outside, signal);
  await forEach(cut, (cell) => clear(cell));
}

/** The grid of an array of other lengths. @throws InvalidArgument for lengths that it does not cover. */
export type AxesOf = (lengths: readonly number[]) => Promise<readonly AxisGrid[]>;

/**
 * Writes another shape of an array, and makes it that of its handle.
 * @param change the shape by what it is now: asked again where another program has written it meanwhile. Nothing is
 *   written for the same one.
 * @throws NotFound, InvalidArgument; what `change` throws; what {@link replaceDocument} does.
 */
export async function changeShape(
  array: ZarrArray,
  options: Parameters<typeof replaceDocument>[4],
  change: (now: readonly number[], axesOf: AxesOf) => readonly number[] | Promise<readonly number[]>,
): Promise<void> {
  const { store, path, zarrFormat, limits } = array;
  const key = mainKeys[zarrFormat];
  const parsing = { limits, v1Order: "spec" } as const;
  // v1's attributes are no optional part of an array's metadata.
  const others =
    zarrFormat === 1 ? await readDocument(store, path, v1AttrsKey, options.signal, limits) : undefined;
  const toError = (error: Error) =>
    invalidArgument(`the array cannot have this shape: ${error.message}`, { cause: error });
  let wanted: readonly number[] = array.shape;
  let axes: readonly AxisGrid[] = array.spec.axes;
  let written: JsonObject | undefined;
  const changeDocument = async (object: JsonObject | undefined) => {
    if (!object) throw notFound(`there is no node at "/${path}" any more`);
    const documents = new Map([[key, object] as const]);
    if (others) documents.set(v1AttrsKey, others.object);
    const metadata: ArrayMetadata = { kind: "array", zarrFormat, documents, spec: array.spec };
    const shaped = (lengths: readonly number[]) =>
      asArguments(() => withShape(metadata, lengths, parsing), toError);
    const now = shapeIn(object, path);
    checkSame(array, (await shaped(now)).spec);
    wanted = await change(now, async (lengths) => (await shaped(lengths)).spec.axes);
    const resized = await shaped(wanted);
    axes = resized.spec.axes;
    written = wanted.join() === now.join() ? undefined : resized.documents.get(key)!;
    return written;
  };
  await replaceDocument(store, path, key, changeDocument, options);
  // Codecs stay as they were opened (v1Order, checksums): only the lengths along the axes are new.
  array.adopt({ ...array.spec, shape: [...wanted], axes });
  if (!written) return;
  const changes = [{ path, documents: new Map([[key, written]]), isShared: true }];
  await updateConsolidated(store, zarrFormat, changes, { signal: options.signal });
}

/** Where the last object ends along each axis that a smaller shape keeps; its new length where it does not cut any. */
function endsOf(axes: readonly AxisGrid[], shape: readonly number[]): number[] {
  return shape.map((length, i) => (length < axes[i]!.length ? endOf(axes[i]!, length) : length));
}

/** Where the last object ends that holds an element of a length. */
export function endOf(axis: AxisGrid, length: number): number {
  if (length === 0) return 0;
  const last = cellsWithin(axis, length) - 1;
  return axis.start(last) + axis.size(last);
}

/** Deletes stored objects, some at a time. @throws the first error met, when all that was under way has ended. */
export async function deleteCells(
  { store, path, spec }: ZarrArray,
  cells: Cells,
  signal: AbortSignal | undefined,
): Promise<void> {
  await forEach(cells, (cell) => deleteObject(store, joinKey(path, spec.chunkKey(cell)), { signal }));
}

/** Objects that are deleted or changed at a time. */
const atATime = 16;

async function forEach(cells: Cells, work: (cell: number[]) => Promise<void>): Promise<void> {
  const pending = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const cell of cells) {
    const done = work(cell)
      .catch((error) => {
        failure ??= { error };
      })
      .then(() => {
        pending.delete(done);
      });
    pending.add(done);
    if (pending.size >= atATime) await Promise.race(pending);
    if (failure) break;
  }
  await Promise.all(pending);
  if (failure) throw failure.error;
}

/** Keys of the documents with the shape. */
const mainKeys: Readonly<Record<ZarrVersion, string>> = { 1: v1MetaKey, 2: v2ArrayKey, 3: v3Key };

/**
 * Makes sure that an array is still the one that was opened: chunks that are written through the handle would be read
 * as something else, and others deleted than those that are meant.
 * @throws NotFound for one that has been made anew, with other elements, chunks or keys.
 */
function checkSame({ path, spec }: ZarrArray, now: ArraySpec): void {
  const probe = spec.shape.map((_, axis) => axis + 1);
  const facts = (of: ArraySpec): readonly (readonly [what: string, fact: string])[] => [
    ["data type", `${of.dtype}`],
    ["fill value", `${of.fill.item} ${of.fill.item.length > 0 || of.fill.value}`],
    ["chunks", `${of.chunkShape} ${of.isRegular}`],
    ["shards", `${of.shardShape}`],
    ["keys of chunks", of.chunkKey(probe)],
    // v1 stores its chunks' order, which handles may have been told to read otherwise, as a codec.
    ["codecs", of.zarrFormat === 1 ? "" : codecsText(of.codecs)],
  ];
  const before = facts(spec);
  const other = facts(now).find(([, fact], i) => fact !== before[i]![1]);
  if (!other) return;
  throw notFound(`the array at "/${path}" is another one by now, of other ${other[0]}: open it again`);
}

/** What of codecs says how stored chunks lie. Levels and the like may differ: other programs write them in other words. */
function codecsText(codecs: readonly CodecMetadata[]): string {
  const texts = codecs.map(({ name, configuration = {} }) => {
    const inner = configuration["codecs"];
    const { endian, order } = configuration as Record<string, unknown>;
    const nested = Array.isArray(inner) ? codecsText(inner as readonly CodecMetadata[]) : "";
    return `${name} ${endian} ${order} ${nested}`;
  });
  return `[${texts}]`;
}

/** The shape that a document says. */
function shapeIn(object: JsonObject, path: string): number[] {
  const shape = object["shape"];
  if (!Array.isArray(shape)) throw notFound(`there is no array at "/${path}" any more`);
  return readLengths(shape, "shape", 0);
}

function checkShape(shape: unknown, rank: number): number[] {
  const valid = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= 0;
  if (!Array.isArray(shape) || shape.length !== rank || !Array.from(shape).every(valid)) {
    throw invalidArgument(`shape must be a list of ${rank} non-negative integers`, { code: "bad-shape" });
  }
  return [...shape];
}
