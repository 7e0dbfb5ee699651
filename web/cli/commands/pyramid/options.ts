/** Parses and checks the options of `pyramid`. */
import type { CodecInput } from "zarr-wasm";
import type { DownsamplingMethod, OmeVersion } from "zarr-wasm/conventions";
import { UsageError, type Values } from "../../options/options.js";
import {
  integer,
  parseCodecs,
  parseLengths,
  parseShards,
  parseShare,
  type Share,
} from "../../options/values.js";

export interface PyramidOptions {
  readonly levels: number | undefined;
  readonly method: DownsamplingMethod;
  readonly factor: number | readonly number[] | undefined;
  readonly axes: readonly string[] | undefined;
  readonly units: readonly string[] | undefined;
  readonly scale: readonly number[] | undefined;
  readonly name: string | undefined;
  readonly format: 2 | 3 | undefined;
  readonly omeVersion: OmeVersion | undefined;
  readonly chunks: readonly number[] | undefined;
  readonly shards: readonly number[] | "auto" | "none" | undefined;
  readonly codecs: readonly CodecInput[] | undefined;
  readonly overwrite: boolean;
  readonly resume: boolean;
  readonly stages: Stages;
  readonly part: Share | undefined;
  readonly threads: number | undefined;
}

/** The work to do: everything, the metadata only, or a range of levels. */
export type Stages = "all" | "metadata" | { readonly first: number; readonly last: number | undefined };

const methods: readonly string[] = ["mean", "mode", "nearest", "max"] satisfies DownsamplingMethod[];

/** @throws UsageError. */
export function readOptions(values: Values): PyramidOptions {
  const { method = "mean", format, overwrite = false, resume = false, part, name } = values;
  if (!methods.includes(method))
    throw new UsageError(`--method must be one of ${methods.join(", ")}, got "${method}"`);
  if (format !== undefined && !/^[23]$/.test(format))
    throw new UsageError(`--format must be 2 or 3, got "${format}"`);
  if (overwrite && resume) throw new UsageError("--overwrite and --resume cannot be used together");
  const stages = parseStages(values);
  if (overwrite && typeof stages === "object")
    throw new UsageError("--overwrite replaces a whole image or its metadata; omit --level");
  if (part !== undefined && !(typeof stages === "object" && stages.first === stages.last))
    throw new UsageError("--part is a share of one level; pass --level L");
  return {
    levels: values.levels === undefined ? undefined : integer(values.levels, "--levels", 1, 1),
    method: method as DownsamplingMethod,
    factor: parseFactor(values.factor),
    axes: parseNames(values.axes),
    units: parseNames(values.units),
    scale: parseScale(values.scale, "--scale"),
    format: format === undefined ? undefined : (Number(format) as 2 | 3),
    omeVersion: parseOmeVersion(values["ome-version"]),
    chunks: parseLengths(values.chunks, "--chunks"),
    shards: parseShards(values.shards),
    codecs: values.codecs === undefined ? undefined : parseCodecs(values.codecs),
    part: part === undefined ? undefined : parseShare(part),
    threads: values.threads === undefined ? undefined : integer(values.threads, "--threads", 1, 1),
    ...{ overwrite, resume, stages, name },
  };
}

const omeVersions: readonly string[] = ["0.4", "0.5", "0.6rc0"] satisfies OmeVersion[];

function parseOmeVersion(text: string | undefined): OmeVersion | undefined {
  if (text === undefined || omeVersions.includes(text)) return text as OmeVersion | undefined;
  throw new UsageError(`--ome-version must be one of ${omeVersions.join(", ")}, got "${text}"`);
}

function parseStages({ level, "metadata-only": metadataOnly }: Values): Stages {
  if (level === undefined) return metadataOnly ? "metadata" : "all";
  if (metadataOnly) throw new UsageError("--metadata-only and --level cannot be used together");
  const match = /^(\d{1,2})(\+?)$/.exec(level);
  if (!match)
    throw new UsageError(
      `--level must be a level such as 1, or 1+ to include all levels after it, got "${level}"`,
    );
  const first = Number(match[1]);
  return { first, last: match[2] === "+" ? undefined : first };
}

function parseFactor(text: string | undefined): PyramidOptions["factor"] {
  const list = parseLengths(text, "--factor");
  return list?.length === 1 ? list[0] : list;
}

/** Parses names separated by commas, which may be empty. */
const parseNames = (text: string | undefined): string[] | undefined =>
  text?.split(",").map((name) => name.trim());

function parseScale(text: string | undefined, name: string): number[] | undefined {
  const numbers = text?.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (numbers?.every((number) => Number.isFinite(number) && number > 0) === false)
    throw new UsageError(
      `${name} must be positive numbers separated by commas, such as 1,0.5,0.5, got "${text}"`,
    );
  return numbers;
}
