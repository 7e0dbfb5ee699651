/** Writes an OME-Zarr image: its group, its arrays, and one level after another. */

import type { ElementData } from "../../../dtypes/elements.js";
import { updateAttributes } from "../../../edit/attributes.js";
import { requireEncodable } from "../../../edit/codecs-option.js";
import { createArray } from "../../../edit/create.js";
import type { Target } from "../../../edit/options.js";
import { set } from "../../../edit/set.js";
import { resolvePlace } from "../../../edit/target.js";
import type { ZarrArray } from "../../../hierarchy/array.js";
import type { ZarrGroup } from "../../../hierarchy/group.js";
import { attributesJson } from "../../../metadata/print.js";
import { requireWritable } from "../../../store/write.js";
import { isRecord, ownProperty } from "../../../util/arguments.js";
import { invalidArgument, isZarrError } from "../../../util/errors.js";
import { countOf } from "../../../util/shapes.js";
import { checkObjects, isStoredAlike, LevelFill, storedValues } from "./fill.js";
import {
  type ImageLocation,
  imageAttributes,
  type LevelOptions,
  levelOptions,
  makeGroup,
  makeLevel,
  missingStage,
  multiscalesJson,
  openGroup,
  openLevel,
  pathInPlace,
  registerLabel,
} from "./nodes.js";
import {
  type Axis,
  type CheckedMultiscaleOptions,
  checkMultiscaleOptions,
  type Level,
  type MultiscaleOptions,
  type OmeVersion,
  type Origin,
  planLevels,
  requireKernel,
  resolveAxes,
  resolveOrigin,
} from "./options.js";
import type { Kernel } from "./reduce.js";

/** Everything determined before anything is written. */
interface Plan {
  readonly image: ImageLocation & { readonly omeVersion: OmeVersion };
  readonly origin: Origin;
  readonly axes: readonly Axis[];
  readonly levels: readonly (Level & { readonly path: string })[];
  readonly kernel: Kernel | undefined;
  readonly make: LevelOptions;
  readonly options: CheckedMultiscaleOptions;
}

export async function writeMultiscale(
  target: Target,
  array: unknown,
  given: MultiscaleOptions,
): Promise<ZarrGroup> {
  const plan = await makePlan(target, array, checkMultiscaleOptions(given));
  const { stage, signal } = plan.options;
  signal?.throwIfAborted();
  if (typeof stage === "number") return writeLevel(plan, stage);
  const { image, levels, make, options, origin } = plan;
  const group = await makeGroup(image, origin.array, options);
  const arrays: ZarrArray[] = [];
  for (const [index, level] of levels.entries()) {
    const isThere = index === 0 && image.inPlace !== undefined;
    arrays.push(isThere ? origin.array : await makeLevel(group, level.path, make(level, index), options));
  }
  if (stage === undefined) await fillAll(plan, arrays);
  // Written last: without these attributes, readers do not see an unfinished image.
  await updateAttributes(group, groupAttributes(plan, group), { signal });
  await registerLabel(group, image.omeVersion, signal);
  return group;
}

/** Checks the arguments of {@link writeMultiscale} as it does before anything is written. */
export async function checkMultiscale(
  target: Target,
  array: unknown,
  options: MultiscaleOptions,
): Promise<void> {
  await makePlan(target, array, checkMultiscaleOptions(options));
}

async function makePlan(target: Target, array: unknown, options: CheckedMultiscaleOptions): Promise<Plan> {
  const { store, path, version: groups } = await resolvePlace(target, options.path);
  requireWritable(store);
  const own = (array as ZarrArray | undefined)?.zarrFormat;
  const version = (options.zarrFormat ?? groups ?? (own === 2 ? 2 : 3)) as 2 | 3;
  const origin = await resolveOrigin(array, options, version);
  const { shape, dtype, dimensionNames } = origin.array;
  const axes = resolveAxes(options.axes, dimensionNames, shape.length);
  const kernel = requireKernel(options.method, dtype);
  const inPlace = pathInPlace(origin.array, { store, path }, version, axes);
  const levels = planLevels(shape, axes, options.method, options).map((level, index) => ({
    ...level,
    path: index === 0 && inPlace !== undefined ? inPlace : String(index),
  }));
  if (new Set(levels.map((level) => level.path)).size < levels.length)
    throw invalidArgument(`the array lies at "${inPlace}", which is the path of a smaller level`, {
      code: "bad-path",
    });
  const make = levelOptions(origin.array, axes, version, options);
  // Creating the levels in memory validates them.
  const finest = await createArray(new Map(), make(levels[0]!, 0));
  for (const [index, level] of levels.entries())
    if (index > 0) await createArray(new Map(), make(level, index));
  const isCopied = inPlace !== undefined || isStoredAlike(origin.array.spec, finest.spec);
  if (levels.length > 1 || !isCopied) await requireEncodable(finest.spec);
  const { method, name, ome = {}, attributes = {}, omeVersion = version === 2 ? "0.4" : "0.5" } = options;
  attributesJson({ ...attributes, ...imageAttributes({ axes, levels, method, name }, omeVersion, ome) });
  const image = { store, path, version, omeVersion, inPlace };
  if (options.stage !== "metadata" && !origin.data) checkObjects(origin.array, store, options.part[1]);
  return { image, origin, axes, levels, kernel, make, options };
}

type Report = (chunks: number, bytes: number) => void;

/** Counts the chunks of several levels together. */
class Counter {
  readonly #sum = { chunks: 0, totalChunks: 0, bytes: 0 };

  constructor(private readonly plan: Plan) {}

  /** Returns the function that reports chunks of a level once they are written. */
  level(level: number): Report {
    const { options, levels } = this.plan;
    return (chunks, bytes) => {
      this.#sum.chunks += chunks;
      this.#sum.bytes += bytes;
      options.onProgress?.({ ...this.#sum, level, levels: levels.length });
    };
  }

  expect(chunks: number): void {
    this.#sum.totalChunks += chunks;
  }

  /** Runs part of the work. @throws errors that state the overall progress. */
  async during(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { chunks, totalChunks } = this.#sum;
      if (!isZarrError(error) || Object.isFrozen(error)) throw error;
      const block = error.written ? " of a block" : "";
      error.message += `${block}; ${chunks} of ${totalChunks} chunks of the levels were written before`;
      throw Object.assign(error, { written: { chunks, totalChunks } });
    }
  }
}

function createFill(
  { levels, kernel, options }: Plan,
  index: number,
  source: ZarrArray,
  target: ZarrArray,
  onBlock: Report,
  values?: () => ElementData | undefined,
): LevelFill {
  const { factors } = levels[index]!;
  const filling = { source, target, factors, kernel: index === 0 ? undefined : kernel, values };
  const { part, resume, stage, concurrency, pool, signal } = options;
  const isNew = stage === undefined && !resume;
  return new LevelFill(filling, { part, resume, isNew, concurrency, pool, signal, onBlock });
}

/** Fills all levels, each from the one before. */
async function fillAll(plan: Plan, arrays: readonly ZarrArray[]): Promise<void> {
  const { origin, image } = plan;
  const counter = new Counter(plan);
  const work: (() => Promise<void>)[] = [];
  let values = () => storedValues(arrays[0]!, origin.data);
  for (const [index, target] of arrays.entries()) {
    const report = counter.level(index);
    if (index === 0 && image.inPlace !== undefined) continue;
    if (index === 0 && origin.data) {
      counter.expect(countOf(target.gridShape));
      work.push(() => writeData(plan, target, report));
      continue;
    }
    const fill = createFill(plan, index, arrays[index - 1] ?? origin.array, target, report, values);
    values = () => fill.values;
    counter.expect(fill.chunks);
    work.push(() => fill.run());
  }
  for (const step of work) await counter.during(step);
}

async function writeData({ origin, options }: Plan, array: ZarrArray, report: Report): Promise<void> {
  const { signal, concurrency, pool } = options;
  const before = { chunks: 0, bytes: 0 };
  const shared = { signal, concurrency, pool };
  await set(array, null, origin.data!, {
    ...shared,
    conflicts: "ignore",
    onProgress: ({ chunks, bytes }) => {
      report(chunks - before.chunks, bytes - before.bytes);
      Object.assign(before, { chunks, bytes });
    },
  });
}

/** Fills one level, or a share of it, of an image whose metadata exists. */
async function writeLevel(plan: Plan, index: number): Promise<ZarrGroup> {
  const { image, levels, origin, make, options } = plan;
  if (!levels[index])
    throw invalidArgument(`level ${index} is missing: the image has ${levels.length} levels`);
  const open = (group: ZarrGroup, at: number) => openLevel(group, levels[at]!.path, make(levels[at]!, at));
  const group = await openGroup(image, options).catch((error) => {
    throw missingStage(image.path, error);
  });
  checkSameOptions(plan, group);
  const target = await open(group, index);
  if (index === 0 && image.inPlace !== undefined) return group;
  const source = index === 0 ? origin.array : await open(group, index - 1);
  const counter = new Counter(plan);
  const fill = createFill(plan, index, source, target, counter.level(index));
  counter.expect(fill.chunks);
  await counter.during(() => fill.run());
  return group;
}

/** @throws InvalidArgument if the metadata was created with another method or other factors. */
function checkSameOptions(plan: Plan, group: ZarrGroup): void {
  const storedOptions = (attributes: unknown) => {
    const list = multiscalesJson(attributes);
    const options = ownProperty(ownProperty(Array.isArray(list) ? list[0] : undefined, "metadata"), "kwargs");
    return JSON.stringify(options, (_, value) => (typeof value === "bigint" ? String(value) : value));
  };
  const [found, wanted] = [storedOptions(group.attributes), storedOptions(groupAttributes(plan, group))];
  if (found === wanted) return;
  throw invalidArgument(
    `the image at "/${group.path}" was created with ${found ?? "unknown options"}, not ${wanted}`,
  );
}

/** Returns the attributes of the group, keeping its other OME-Zarr metadata. */
function groupAttributes({ axes, levels, image, options }: Plan, group: ZarrGroup) {
  const { method, name, ome = {}, attributes = {} } = options;
  const written = imageAttributes({ axes, levels, method, name }, image.omeVersion, ome);
  const before = ownProperty(group.attributes, "ome");
  if (image.version === 2 || !isRecord(before)) return { ...attributes, ...written };
  return { ...attributes, ome: { ...before, ...(written["ome"] as object) } };
}
