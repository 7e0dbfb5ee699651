/** `zarr-wasm pyramid`. */
import {
  type CreateOptions,
  isZarrError,
  type OpenedNode,
  open,
  type Store,
  type ZarrArray,
  type ZarrGroup,
  type ZarrWarning,
} from "zarr-wasm";
import {
  isMultiscales,
  type MultiscaleOptions,
  type MultiscaleProgress,
  multiscales,
  type NewAxis,
  type OmeVersion,
  writeMultiscale,
} from "zarr-wasm/conventions";
import {
  autoShards,
  checkMultiscale,
  checkTargets,
  exitHooks,
  openDestination,
  placeBelow,
  refuseProtected,
  registerLabel,
} from "#internal";
import { UsageError, type Values } from "../../options/options.js";
import { createPool } from "../../options/values.js";
import { withCodecsHint } from "../../source/hints.js";
import {
  asCommandError,
  destinationUrl,
  hintForDestination,
  isMarked,
  isPipeline,
  resumeHint,
} from "../../source/places.js";
import { openOptions, openSource } from "../../source/source.js";
import { countText, note, printSummary } from "../../text/output.js";
import { ProgressLine, sizeText } from "../../text/progress.js";
import { type PyramidOptions, readOptions } from "./options.js";

export async function runPyramid(source: string, dest: string, values: Values): Promise<number> {
  const options = readOptions(values);
  let meter: Meter | undefined;
  exitHooks.handleSignals(() => {
    meter?.end();
    note(`interrupted: ${meter?.done.chunks ?? 0} chunks written${resumeHint(dest)}`);
  });
  const destination = await openDestination(destinationUrl(dest), {
    bucket: values.bucket,
    name: dest,
  }).catch((error) => {
    throw asCommandError(error);
  });
  if (destination.kind === "zip") {
    await destination.abort(undefined);
    throw new UsageError(
      `"${dest}" is an archive, which cannot be read back to make the next level; write a folder and copy it into an archive`,
    );
  }
  const image = await openImage(source, destination, values);
  try {
    await checkTargets(image.array.store, destination.place!);
    if (options.overwrite && destination.kind === "folder") await refuseProtected(destinationFolder(dest));
    if (typeof options.stages !== "object")
      await checkMultiscale(destination.store, image.array, writingOptions(image, options));
  } catch (error) {
    throw await withHint(asCommandError(error), options, dest);
  }
  meter = new Meter(image, options);
  const pool = createPool(options.threads);
  let lock: Awaited<ReturnType<typeof destination.lock>> | undefined;
  try {
    lock = await destination.lock(lockOptions(options));
    const onProgress = (progress: MultiscaleProgress) => meter!.show(progress);
    const written = { ...writingOptions(image, options), pool, onProgress };
    let group: ZarrGroup | undefined;
    for (const stage of await stageOptions(options, destination.store))
      group = await writeMultiscale(destination.store, image.array, { ...written, ...stage });
    await registerDestination(dest, values, group!);
    meter.end();
    await lock.finish();
    await printResult(values, { source, destination: dest }, options, group!, meter);
  } catch (error) {
    throw await withHint(asCommandError(error), options, dest);
  } finally {
    meter?.end();
    pool?.destroy();
    await destination.close();
    await lock?.release();
  }
  return 0;
}

/** URL of DEST with a trailing "/". */
function destinationFolder(dest: string): URL {
  const url = new URL(destinationUrl(dest));
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** Registers an image whose folder lies in a group `labels`. */
async function registerDestination(dest: string, { bucket }: Values, group: ZarrGroup): Promise<void> {
  const folder = destinationFolder(dest);
  const [, label] = /\/(labels\/[^/]+)\/$/.exec(folder.pathname) ?? [];
  if (label === undefined) return;
  const parent = await openDestination(new URL("../../", folder), { bucket });
  const { zarrFormat } = group;
  const { version = "0.4" } = multiscales(group)[0]!;
  try {
    const place = { store: parent.store, path: decodeURIComponent(label), zarrFormat };
    await registerLabel(place, version as OmeVersion, undefined);
  } finally {
    await parent.close();
  }
}

/** Number of parts of a level that write in parallel. */
const lockOptions = ({ part, stages }: PyramidOptions) => ({
  onWarning: ({ message }: ZarrWarning) => note(message),
  share: part && `one of ${part[1]} parts of ${JSON.stringify(stages)}`,
});

function writingOptions(image: ImageSource, options: PyramidOptions): MultiscaleOptions {
  const { levels, method, factor, scale, name, format, omeVersion, chunks, shards, codecs } = options;
  const { array, translation, ome } = image;
  const shardShape =
    shards === "auto"
      ? autoShards(array.shape, chunks ?? array.chunkShape, array.dtype.itemBytes)
      : shards === "none"
        ? null
        : shards;
  return {
    ...{ levels, method, factor, translation, ome, codecs, shardShape },
    axes: namedAxes(image, options),
    scale: scale ?? image.scale,
    name: name ?? image.name,
    zarrFormat: format,
    omeVersion,
    chunkShape: chunks,
    overwrite: options.overwrite,
    resume: options.resume,
  };
}

/** Returns the axes of the options or of the image, with units. */
function namedAxes({ array, axes: known }: ImageSource, { axes: names, units }: PyramidOptions) {
  const rank = array.shape.length;
  for (const [option, list] of Object.entries({ axes: names, units })) {
    if (list && list.length !== rank)
      throw new UsageError(`--${option} must have ${rank} entries, one per dimension, got ${list.length}`);
  }
  const axes: readonly (string | NewAxis)[] | undefined = names ?? known;
  if (!units) return axes;
  const named = axes ?? array.dimensionNames;
  if (!named?.every((axis) => axis !== null))
    throw new UsageError("--units requires --axes, because the array has no dimension names");
  return named.map((axis, i) => ({
    ...(typeof axis === "string" ? { name: axis } : (axis as NewAxis)),
    unit: units[i] === "" ? undefined : units[i],
  }));
}

/** Returns the options of each call: one for everything, one for the metadata, or one per level. */
async function stageOptions(
  { stages, part }: PyramidOptions,
  store: Store,
): Promise<Pick<MultiscaleOptions, "stage" | "part">[]> {
  if (stages === "all") return [{}];
  if (stages === "metadata") return [{ stage: "metadata" }];
  const { first, last = (await levelCount(store)) - 1 } = stages;
  if (last < first)
    throw new UsageError(`--level must be below ${last + 1}, the number of levels, got ${first}+`);
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    stage: first + i,
    part,
  }));
}

async function levelCount(store: Store): Promise<number> {
  const group = await open(store, { kind: "group" });
  return multiscales(group)[0]!.levels.length;
}

/** Counts and shows written chunks. */
class Meter {
  readonly #start = performance.now();
  readonly #line = new ProgressLine("writing levels");
  readonly #chunkBytes: number;
  /** Of completed calls. */
  #before = { chunks: 0, bytes: 0 };
  #last: MultiscaleProgress | undefined;
  seconds = 0;

  constructor({ array }: ImageSource, { chunks }: PyramidOptions) {
    const shape = chunks ?? array.chunkShape;
    this.#chunkBytes = shape.reduce((a, b) => a * b, array.dtype.itemBytes || 16);
  }

  show(progress: MultiscaleProgress): void {
    if (this.#last && progress.chunks < this.#last.chunks) this.#before = this.done;
    this.#last = progress;
    const total = this.#before.chunks + progress.totalChunks;
    this.#line.show(this.done.chunks * this.#chunkBytes, total * this.#chunkBytes);
  }

  /** Chunks written (or found to be fill value, or to exist already), and their bytes. */
  get done() {
    const { chunks = 0, bytes = 0 } = this.#last ?? {};
    return { chunks: this.#before.chunks + chunks, bytes: this.#before.bytes + bytes };
  }

  end(): void {
    this.seconds ||= (performance.now() - this.#start) / 1000;
    this.#line.clear();
  }
}

/** Adds to an error how to continue. */
async function withHint(
  error: unknown,
  { stages, overwrite, codecs }: PyramidOptions,
  dest: string,
): Promise<unknown> {
  if (!isZarrError(error) || Object.isFrozen(error)) return error;
  if (error.written === undefined) {
    const hint = await hintForDestination(error, dest); // may replace the message
    error.message += hint;
    return withCodecsHint(error, codecs);
  }
  error.message += stages === "metadata" || overwrite ? "" : "; pass --resume to continue";
  return error;
}

async function printResult(
  { json }: Values,
  places: { source: string; destination: string },
  { method, stages, part }: PyramidOptions,
  group: ZarrGroup,
  meter: Meter,
): Promise<void> {
  const [image] = multiscales(group);
  const levels = await Promise.all(
    image!.levels.map(async ({ path, scale, translation, open: openLevel }) => {
      const { shape } = await openLevel();
      return { path, shape, scale, translation };
    }),
  );
  const { bytes } = meter.done;
  const chunks = countText(meter.done.chunks);
  const seconds = Number(meter.seconds.toPrecision(6));
  const facts = { ...places, method, levels, part, chunks, bytesWritten: bytes, seconds };
  const shapes = levels.map(({ path, shape }) => `  ${path}  ${shape.join(" × ")}`);
  const outcome =
    stages === "metadata"
      ? "created an image without chunks, with these levels"
      : `wrote ${chunks} chunks, ${sizeText(bytes)}, in ${seconds.toFixed(2)} s, of an image with these levels`;
  printSummary(json, facts, [`${outcome} (${method}):`, ...shapes]);
}

type Destination = Awaited<ReturnType<typeof openDestination>>;

/** An array, or the finest level of an existing image with its metadata. */
interface ImageSource {
  readonly array: ZarrArray;
  readonly axes: readonly NewAxis[] | undefined;
  readonly scale: readonly number[] | undefined;
  readonly translation: readonly number[] | undefined;
  readonly name: string | undefined;
  /** Other OME-Zarr metadata of its group. */
  readonly ome: CreateOptions["attributes"];
}

/**
 * Opens the source. A source inside the destination is opened through the destination's store, so that the writer
 * recognises it.
 * @throws an Error if the destination lies in the source's array.
 */
async function openImage(source: string, destination: Destination, values: Values): Promise<ImageSource> {
  const isPlain = !isMarked(source) && !(await isPipeline(source));
  const below = isPlain ? await placeBelow(destination.name, source) : undefined;
  const node =
    below === undefined
      ? await openSource(source, values)
      : await open(destination.store, {
          ...openOptions(values),
          path: [below, values.path].filter((part) => part).join("/"),
        });
  const image = await imageSource(node);
  const folder = values.path === undefined ? source : `${source}/${values.path}`;
  const isInside = (await placeBelow(folder, destination.name)) !== undefined;
  if (node.kind === "array" && below === undefined && isInside)
    throw new Error(`DEST "${destination.name}" lies inside the array to read; choose another DEST`);
  return image;
}

async function imageSource(node: OpenedNode): Promise<ImageSource> {
  if (node.kind === "array") {
    return {
      array: node,
      axes: undefined,
      scale: undefined,
      translation: undefined,
      name: undefined,
      ome: undefined,
    };
  }
  if (!isMultiscales(node))
    throw new Error(
      `expected an array or an OME-Zarr image, found a group at "/${node.path}"; name an array in it with --path`,
    );
  const [image] = multiscales(node);
  const [finest] = image!.levels;
  const { scale, translation } = finest!;
  const ome = (node.attributes["ome"] ?? node.attributes) as NonNullable<CreateOptions["attributes"]>;
  const known = ["omero", "image-label"].filter((name) => ome[name] !== undefined);
  return {
    array: await finest!.open(),
    axes: image!.axes.map(({ name, type, unit }) => ({ name, type, unit })),
    name: image!.name,
    ome: Object.fromEntries(known.map((name) => [name, ome[name]])),
    ...{ scale, translation },
  };
}
