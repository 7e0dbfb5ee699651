/** Checks the arguments of `writeMultiscale`. */

import type { DType } from "../../../dtypes/dtype.js";
import { checkElements, type ElementData } from "../../../dtypes/elements.js";
import { createArray } from "../../../edit/create.js";
import { checkOptionNames, type OptionNames } from "../../../edit/option-names.js";
import { checkOptions } from "../../../hierarchy/arguments.js";
import { ZarrArray } from "../../../hierarchy/array.js";
import { isRecord, ownProperty } from "../../../util/arguments.js";
import { describeValue, invalidArgument, unsupported } from "../../../util/errors.js";
import { countOf } from "../../../util/shapes.js";
import type { DownsamplingMethod, MultiscaleOptions, OmeVersion } from "../multiscale-options.js";
import type { KernelMaker } from "./kernel.js";
import { kernelOf } from "./reduce.js";

/** Source of an image. */
export interface Origin {
  /** The given array; for elements in memory, an array with the metadata that they will get. */
  readonly array: ZarrArray;
  readonly data: ElementData | undefined;
}

/** Names of data types by names of typed arrays. */
const typeOfArray: Readonly<Record<string, string>> = {
  Uint8ClampedArray: "uint8",
  BigInt64Array: "int64",
  BigUint64Array: "uint64",
};

/** @throws InvalidArgument unless an array, or elements with a shape, are given; the errors of `create`. */
export async function originOf(given: unknown, options: MultiscaleOptions, version: 2 | 3): Promise<Origin> {
  if (given instanceof ZarrArray) return { array: given, data: undefined };
  const data = ownProperty(given, "data") as ElementData;
  const isData = isRecord(given) && ArrayBuffer.isView(data) && !((data as unknown) instanceof DataView);
  if (!isData) {
    throw invalidArgument(
      "an image is made of an array that was opened or created, or of { data, shape } with a typed array",
    );
  }
  if (options.stage !== undefined)
    throw invalidArgument("stages need an array that is stored, not elements in memory");
  const kind = data.constructor.name;
  const dtype = ownProperty(given, "dtype") ?? typeOfArray[kind] ?? kind.replace(/Array$/, "").toLowerCase();
  const { chunkShape, shardShape, codecs, fillValue, limits } = options;
  const shape = ownProperty(given, "shape") as readonly number[];
  const array = await createArray(new Map(), {
    shape,
    dtype: dtype as string | DType,
    chunkShape,
    shardShape: shardShape ?? undefined,
    codecs,
    fillValue,
    limits,
    zarrFormat: version,
  });
  if (array.dtype.isVariable) throw unsupported(`data type ${array.dtype} has no typed array`);
  checkElements(array.dtype, data, countOf(shape), "data");
  return { array, data };
}

const methods: readonly string[] = ["mean", "mode", "nearest", "max"] satisfies DownsamplingMethod[];

/** @throws Unsupported for a method that does not apply to the data type. */
export function checkedKernel(method: DownsamplingMethod, dtype: DType): KernelMaker | undefined {
  if (method === "nearest") return undefined;
  const kernel = kernelOf(method, dtype);
  if (kernel) return kernel;
  const others = kernelOf("mode", dtype) ? "mode and nearest" : "nearest";
  throw unsupported(`there is no ${method} of elements of data type ${dtype}; there is ${others}`, {
    code: "bad-method",
  });
}

/** Options with their defaults. */
export interface Checked extends MultiscaleOptions {
  readonly method: DownsamplingMethod;
  readonly overwrite: boolean;
  readonly resume: boolean;
  readonly part: readonly [index: number, count: number];
}

/** The Zarr version of each OME-Zarr version. */
const formats: Readonly<Record<OmeVersion, 2 | 3>> = { "0.4": 2, "0.5": 3, "0.6rc0": 3 };

/** Returns the requested Zarr version. @throws InvalidArgument */
function formatOf({ zarrFormat, omeVersion }: MultiscaleOptions): 2 | 3 | undefined {
  if (zarrFormat !== undefined && zarrFormat !== 2 && zarrFormat !== 3)
    throw invalidArgument(
      `OME-Zarr is Zarr v2 or v3: zarrFormat must be 2 or 3, not ${describeValue(zarrFormat)}`,
    );
  if (omeVersion === undefined) return zarrFormat;
  if (typeof omeVersion !== "string" || !Object.hasOwn(formats, omeVersion)) {
    const known = Object.keys(formats).join(", ");
    throw invalidArgument(`omeVersion must be one of ${known}, not ${describeValue(omeVersion)}`);
  }
  if (zarrFormat === undefined || zarrFormat === formats[omeVersion]) return formats[omeVersion];
  throw invalidArgument(`OME-Zarr ${omeVersion} is Zarr v${formats[omeVersion]}, not v${zarrFormat}`);
}

const multiscaleOptions: OptionNames<MultiscaleOptions> = {
  path: true,
  levels: true,
  method: true,
  factor: true,
  chunkShape: true,
  shardShape: true,
  codecs: true,
  fillValue: true,
  zarrFormat: true,
  omeVersion: true,
  axes: true,
  scale: true,
  translation: true,
  name: true,
  ome: true,
  attributes: true,
  overwrite: true,
  resume: true,
  stage: true,
  part: true,
  concurrency: true,
  pool: true,
  signal: true,
  onProgress: true,
  limits: true,
};

/** @throws InvalidArgument. */
export function checkedOptions(options: MultiscaleOptions): Checked {
  checkOptions(options);
  checkOptionNames(options, multiscaleOptions);
  const { method = "mean", overwrite = false, resume = false, part = [0, 1], stage, concurrency } = options;
  if (!methods.includes(method))
    throw invalidArgument(`method must be one of ${methods.join(", ")}, not ${describeValue(method)}`);
  for (const [name, value] of Object.entries({ overwrite, resume })) {
    if (typeof value !== "boolean")
      throw invalidArgument(`${name} must be true or false, not ${describeValue(value)}`);
  }
  if (overwrite && resume) throw invalidArgument("overwrite deletes what resume would go on with");
  const zarrFormat = formatOf(options);
  if (stage !== undefined && stage !== "metadata" && !(Number.isSafeInteger(stage) && stage >= 0))
    throw invalidArgument(`stage must be "metadata" or the number of a level, not ${describeValue(stage)}`);
  if (overwrite && typeof stage === "number")
    throw invalidArgument("only the stage that makes the metadata can overwrite what is there");
  if (concurrency !== undefined && !(Number.isSafeInteger(concurrency) && concurrency > 0))
    throw invalidArgument(`concurrency must be an integer of at least 1, not ${describeValue(concurrency)}`);
  checkPart(part, stage);
  checkTexts(options);
  return { ...options, method, overwrite, resume, part, zarrFormat };
}

function checkPart(part: unknown, stage: MultiscaleOptions["stage"]): void {
  const [index, count] = Array.isArray(part) && part.length === 2 ? part : [];
  const valid = Number.isSafeInteger(index) && Number.isSafeInteger(count) && index >= 0 && index < count;
  if (!valid) throw invalidArgument("part must be [index, count] with 0 <= index < count");
  if (count > 1 && typeof stage !== "number")
    throw invalidArgument("a part is one of a level: give its number as the stage");
}

function checkTexts({ name, onProgress, ome, attributes }: MultiscaleOptions): void {
  if (name !== undefined && typeof name !== "string")
    throw invalidArgument(`name must be a string, not ${describeValue(name)}`);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw invalidArgument(`onProgress must be a function, not ${describeValue(onProgress)}`);
  for (const [what, value] of Object.entries({ ome, attributes })) {
    if (value !== undefined && !isRecord(value))
      throw invalidArgument(`${what} must be an object, not ${describeValue(value)}`);
  }
  if (ownProperty(ome, "multiscales") !== undefined || ownProperty(ome, "version") !== undefined)
    throw invalidArgument("ome has no multiscales and no version: these are written");
}
