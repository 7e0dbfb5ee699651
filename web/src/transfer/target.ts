/** Metadata of the copies of arrays and groups: that of the source in the target's Zarr version, with the requested changes. */

import type { ZarrVersion } from "../codecs/definition.js";
import { printCodecs } from "../codecs/print.js";
import { arrayLike, leafCodecs } from "../edit/array-options.js";
import type { CodecInput, CreateLikeOptions } from "../edit/options.js";
import { convertMetadata } from "../metadata/convert.js";
import { type ArrayMetadata, type GroupMetadata, mainDocument, readMetadata } from "../metadata/model.js";
import type { Documents } from "../metadata/new-array.js";
import { jsonEntries, withEntries } from "../metadata/print.js";
import { asString, isRecord, ownProperty } from "../util/arguments.js";
import { resolveLimits } from "../util/limits.js";
import type { View } from "./boxes.js";
import { badOption } from "./destination.js";
import { type Masked, maskedIn, withAttributesOf } from "./masked.js";
import type { SourceArray } from "./nodes.js";
import type { CheckedOptions } from "./options.js";

export interface ArrayTarget {
  readonly metadata: ArrayMetadata;
  /** Changes that were not requested. */
  readonly notes: readonly string[];
}

type Changes = Pick<CreateLikeOptions, "shape" | "chunkShape" | "shardShape" | "codecs" | "dimensionNames">;

/** Metadata of a group in a Zarr version, without consolidated metadata. @throws Unsupported. */
export async function groupTarget(source: GroupMetadata, version: ZarrVersion): Promise<GroupMetadata> {
  const options = { limits: resolveLimits(undefined) };
  const converted = (await convertMetadata(source, version, options)) as GroupMetadata;
  const { key, object } = mainDocument(converted.documents);
  const documents = new Map(converted.documents);
  if (version === 3) documents.set(key, withEntries(object, [["consolidated_metadata", undefined]]));
  return { ...converted, documents };
}

/** Note about a group in Zarr v2 with an `ome` attribute, which OME-Zarr defines for Zarr v3 only. */
export function omeNote({ attributes, zarrFormat }: GroupMetadata): string | undefined {
  const ome = ownProperty(attributes, "ome");
  if (zarrFormat === 3 || !isRecord(ome)) return undefined;
  const said = asString(ownProperty(ome, "version"));
  const name =
    said === undefined ? "OME-Zarr" : `OME-Zarr ${said.length > 60 ? `${said.slice(0, 60)}…` : said}`;
  return `its attributes stay those of ${name}, which is stored as Zarr v3: readers may refuse it in Zarr v${zarrFormat}`;
}

/**
 * Metadata of the copy of an array.
 * @throws Unsupported, naming what the version cannot hold; InvalidArgument for options that do not fit the array.
 */
export async function arrayTarget(
  { metadata: source, isInImage }: Pick<SourceArray, "metadata" | "isInImage">,
  view: View,
  options: CheckedOptions,
): Promise<ArrayTarget> {
  const version = options.format ?? source.zarrFormat;
  const notes: string[] = [];
  const changes = changesOf(source, view, version, options, notes);
  const limits = view.array.limits;
  const masked = maskedIn(source, version, isInImage, options.fill as Masked["fillValue"]);
  notes.push(...masked.notes);
  const like = await arrayLike(source, version, { ...changes, fillValue: masked.fillValue }, limits);
  const made = await withAttributesOf(like, masked, { limits });
  const own = unknownFields(source);
  if (own.length === 0 || made.documents === source.documents) return { metadata: made, notes };
  if (version !== source.zarrFormat) {
    const names = own.map(([name]) => `"${name}"`).join(", ");
    notes.push(`left out what is Zarr v${source.zarrFormat}'s own: ${names}`);
    return { metadata: made, notes };
  }
  const { key, object } = mainDocument(made.documents);
  const documents: Documents = new Map(made.documents).set(key, withEntries(object, own));
  return { metadata: (await readMetadata(documents, { limits })) as ArrayMetadata, notes };
}

function changesOf(
  source: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  options: CheckedOptions,
  notes: string[],
): Changes {
  const { spec } = source;
  const isReduced = view.kept.length < spec.shape.length;
  const kept = <T>(list: readonly T[]) => view.kept.map((axis) => list[axis]!);
  const chunkShape = options.chunks?.length === view.kept.length ? options.chunks : undefined;
  const shardShape = shardsFor(source, view, version, { ...options, chunks: chunkShape }, notes);
  const hasNewChunks = chunkShape !== undefined || shardShape !== undefined || options.codecs !== undefined;
  if (!spec.isRegular && !chunkShape && (hasNewChunks || isReduced))
    throw badOption("chunks of different lengths along an axis: `chunks` must say what they become");
  return {
    shape: view.isWhole ? undefined : view.shape,
    chunkShape: chunkShape ?? (isReduced || shardShape !== undefined ? kept(spec.chunkShape) : undefined),
    shardShape,
    codecs: options.codecs
      ? withObjectCodec(source, options.codecs, version)
      : isReduced
        ? reducedCodecs(source, view, version)
        : undefined,
    dimensionNames: namesOf(source, view, version, notes),
  };
}

/** Names of the dimensions; undefined to keep those of the source. */
function namesOf(
  { spec, zarrFormat }: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  notes: string[],
): readonly (string | null)[] | undefined {
  const names = spec.dimensionNames?.filter((_, axis) => view.kept.includes(axis));
  if (version < 3 && names?.includes(null) && names.some((name) => name !== null)) {
    notes.push(
      `dropped the dimension names ${JSON.stringify(names)}: Zarr v${version} stores all names or none`,
    );
    return names.map(() => null);
  }
  // xarray writes scalars without names in v3, and refuses datasets whose scalars lack an empty list in v2.
  if (zarrFormat === 3 && version === 2 && spec.shape.length === 0) return [];
  return view.kept.length < spec.shape.length ? names : undefined;
}

const objectCodec = /^(numcodecs\.)?(json2|msgpack2|vlen-.*|categorize|pickle)$/;

/** Requested codecs. Data type "object" keeps the codec that makes bytes of its values unless they name another one. */
function withObjectCodec(
  { spec, zarrFormat }: ArrayMetadata,
  codecs: readonly CodecInput[],
  version: ZarrVersion,
): readonly CodecInput[] {
  const nameOf = (codec: CodecInput) => (typeof codec === "string" ? codec : codec.name);
  if (spec.dtype.name !== "object" || codecs.some((codec) => objectCodec.test(nameOf(codec)))) return codecs;
  const array = { dtype: spec.dtype, shape: spec.chunkShape };
  const own = printCodecs(leafCodecs(spec.codecs), array, zarrFormat, version);
  return [...own.filter(({ name }) => objectCodec.test(name)), ...codecs];
}

/** Limit for the decoded bytes of automatic shards. */
const autoBytes = 32 * 2 ** 20;

/** Shape of the shards: null for none, undefined to derive it from the other options. */
function shardsFor(
  { spec }: ArrayMetadata,
  view: View,
  version: ZarrVersion,
  { shards, chunks }: Pick<CheckedOptions, "shards" | "chunks">,
  notes: string[],
): readonly number[] | null | undefined {
  const kept = (list: readonly number[]) => view.kept.map((axis) => list[axis]!);
  const before = spec.shardShape && kept(spec.shardShape);
  if (shards === "none") return spec.isSharded ? null : undefined;
  if (shards !== undefined && version < 3) throw badOption(`\`shards\`: Zarr v${version} has no shards`);
  if (shards === "auto") return autoShards(view.shape, chunks ?? kept(spec.chunkShape), spec.dtype.itemBytes);
  if (shards?.length === view.kept.length) return shards;
  if (!before) return undefined;
  if (version < 3) {
    notes.push(
      `shards of [${before}] become chunks of [${chunks ?? kept(spec.chunkShape)}]: Zarr v${version} has none`,
    );
    return null;
  }
  if (chunks && before.some((length, axis) => length % chunks[axis]! !== 0))
    throw badOption(`chunks of [${chunks}] do not divide the shards of [${before}]: say \`shards\``);
  return chunks || view.kept.length < spec.shape.length ? before : undefined;
}

/** Returns shards of whole chunks: doubles the axis with most chunks left until shards reach the size limit. */
export function autoShards(
  shape: readonly number[],
  chunks: readonly number[],
  itemBytes: number,
  most = autoBytes,
): readonly number[] {
  const shard = [...chunks];
  const left = (axis: number) => shape[axis]! / shard[axis]!;
  for (;;) {
    const bytes = shard.reduce((a, b) => a * b, itemBytes || 64);
    const axis = shard.map((_, i) => i).reduce((best, i) => (left(i) >= left(best) ? i : best), 0);
    if (shard.length === 0 || left(axis) <= 1 || 2 * bytes > most) return shard;
    shard[axis]! *= 2;
  }
}

/** Codecs for fewer axes: transposes permute the remaining ones. */
function reducedCodecs({ spec, zarrFormat }: ArrayMetadata, view: View, version: ZarrVersion): CodecInput[] {
  const codecs = leafCodecs(spec.codecs).flatMap((codec) => {
    if (codec.name !== "transpose") return [codec];
    const order = codec.configuration?.["order"];
    const axes = Array.isArray(order) ? order.map(Number) : spec.shape.map((_, i, all) => all.length - 1 - i);
    const left = axes.filter((axis) => view.kept.includes(axis)).map((axis) => view.kept.indexOf(axis));
    return left.every((axis, i) => axis === i) ? [] : [{ name: "transpose", configuration: { order: left } }];
  });
  const shape = view.kept.map((axis) => spec.chunkShape[axis]!);
  return printCodecs(codecs, { dtype: spec.dtype, shape }, zarrFormat, version, true);
}

const knownFields: Readonly<Record<ZarrVersion, ReadonlySet<string>>> = {
  1: new Set("zarr_format shape chunks dtype compression compression_opts fill_value order".split(" ")),
  2: new Set(
    "zarr_format shape chunks dtype compressor fill_value order filters dimension_separator".split(" "),
  ),
  3: new Set(
    "zarr_format node_type shape data_type chunk_grid chunk_key_encoding fill_value codecs attributes dimension_names storage_transformers".split(
      " ",
    ),
  ),
};

/** Fields of an array document that the specification does not define. */
function unknownFields({ documents, zarrFormat }: ArrayMetadata) {
  const { object } = mainDocument(documents);
  return jsonEntries(object).filter(([name]) => !knownFields[zarrFormat].has(name));
}
