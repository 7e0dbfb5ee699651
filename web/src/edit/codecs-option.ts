/** Expands the `codecs` option of `create` into a complete codec chain. */

import { layoutArray } from "../chain/layout.js";
import { wholeCodec } from "../chain/shards.js";
import type { FoundCodec } from "../codecs/codec-list.js";
import { type CodecMetadata, parseCodecs, type ZarrVersion } from "../codecs/definition.js";
import { findCodec, namesIn, unknownError } from "../codecs/lookup.js";
import { DType } from "../dtypes/dtype.js";
import type { Endian } from "../dtypes/typestr.js";
import { codecRow } from "../engine/codec-table.js";
import { getSession } from "../engine/engine.js";
import type { ArraySpec } from "../metadata/spec.js";
import { describeValue, invalidArgument, invalidMetadata, isZarrError, unsupported } from "../util/errors.js";
import { resolveLimits } from "../util/limits.js";
import type { CodecInput } from "./options.js";

export interface ChainContext {
  readonly version: ZarrVersion;
  readonly dtype: DType;
  readonly endian: Endian | readonly (Endian | null)[];
  readonly rank: number;
  readonly order: "C" | "F";
  readonly chunkShape: readonly number[];
  readonly shardShape: readonly number[] | undefined;
}

interface Known {
  readonly codec: CodecMetadata;
  readonly found: FoundCodec | undefined;
}

/** A codec chain, and the data type that its object codec gives to elements of `|O`. */
export interface Chain {
  readonly codecs: readonly CodecMetadata[];
  readonly dtype: DType;
}

/**
 * Returns the codec chain of the option, with omitted parts added: the array-to-bytes codec, a transpose for
 * order "F", shards. All codecs must have been loaded.
 * @throws InvalidArgument, UnknownCodec; Unsupported for a codec that the version does not have.
 */
export function resolveChain(option: unknown, context: ChainContext): Chain {
  const { dtype: elements, version } = context;
  if (elements.isVariable && version === 1)
    throw unsupported(`Zarr v1 does not support elements of variable length (data type ${elements})`, {
      code: "unsupported-dtype",
    });
  const known = (option === undefined ? defaultCodecs(context.dtype) : codecList(option)).map((codec) =>
    lookUp(codec, context),
  );
  const dtype = elementType(known, context);
  const isBefore = ({ found }: Known) => found?.definition.kind === "array-to-array";
  const isToBytes = ({ found }: Known) => found?.definition.kind === "array-to-bytes";
  const codecs = known.map(({ codec }) => codec);
  const at = known.findIndex(isToBytes);
  const before = at < 0 ? known.filter(isBefore).length : at;
  if (at < 0) codecs.splice(before, 0, arrayToBytesCodec(dtype, context));
  const isTransposed = context.order === "F" && context.rank > 1;
  const reversed = Array.from({ length: context.rank }, (_, axis) => context.rank - 1 - axis);
  const transpose = { name: "transpose", configuration: { order: reversed } };
  if (isTransposed && codecs.some(({ name }) => name === "transpose"))
    throw invalidArgument('the option "order" and a transpose codec cannot be combined');
  const chain = isTransposed ? [transpose, ...codecs] : codecs;
  return { dtype, codecs: withShards(chain, context) };
}

/** Default codecs; docs/writing.md gives the reasons. */
function defaultCodecs(dtype: DType): CodecMetadata[] {
  return [parseName(dtype.isVariable ? "zstd" : "blosc", dtype)];
}

function codecList(option: unknown): CodecInput[] {
  if (option === "none" || option === null) return [];
  const list = Array.isArray(option) ? option : [option];
  for (const entry of list) {
    if (typeof entry !== "string" && (typeof entry !== "object" || entry === null))
      throw invalidArgument(
        `codecs must be names or objects with a name and a configuration, not ${describeValue(entry)}`,
      );
  }
  return list as CodecInput[];
}

/** Options that may follow a name, as in "zstd:5", in order. */
const shortOptions: Readonly<Record<string, readonly string[]>> = {
  zstd: ["level"],
  gzip: ["level"],
  zlib: ["level"],
  bz2: ["level"],
  lz4: ["acceleration"],
  blosc: ["cname", "clevel", "shuffle"],
};

/** Parses "zstd:5" or "blosc:lz4:5". Blosc shuffles single bytes by bits, other elements by bytes. */
export function parseName(text: string, dtype: DType): CodecMetadata {
  const [name, ...given] = text.split(":") as [string, ...string[]];
  const id = name.replace(/^numcodecs\./, "");
  let names = Object.hasOwn(shortOptions, id) ? shortOptions[id]! : [];
  if (id === "blosc" && /^\d+$/.test(given[0] ?? "")) names = ["clevel"];
  if (given.length > names.length)
    throw invalidArgument(
      `codec "${text}" has ${given.length} options, more than the ${names.length} that it accepts`,
    );
  const options = given.map((value, i) => [names[i]!, /^-?\d+$/.test(value) ? Number(value) : value]);
  const { itemBytes } = dtype;
  const shuffle = itemBytes === 1 ? "bitshuffle" : itemBytes === 0 ? "noshuffle" : "shuffle";
  const defaults =
    id === "blosc" ? { shuffle } : id === "shuffle" && itemBytes > 0 ? { elementsize: itemBytes } : {};
  return { name, configuration: { ...defaults, ...Object.fromEntries(options) } };
}

/** Returns a codec under its name in the version. */
function lookUp(input: CodecInput, context: ChainContext): Known {
  const { version, dtype, endian } = context;
  const [codec] = typeof input === "string" ? [parseName(input, dtype)] : parseCodecs([input], "codecs");
  const { name, configuration } = codec!;
  const bare = name.replace(/^numcodecs\./, "");
  if (name === "bytes" && configuration?.["endian"] === undefined && !dtype.isVariable && !isSingle(dtype))
    return lookUp({ ...codec!, configuration: { ...configuration, endian } }, context);
  for (const candidate of [name, `numcodecs.${bare}`, bare]) {
    const found = findCodec(candidate, version);
    if (found) return { codec: { ...codec!, name: candidate }, found };
  }
  if (codec!.mustUnderstand === false) return { codec: codec!, found: undefined };
  const elsewhere = ([1, 2, 3] as const).find((other) => findCodec(name, other) ?? findCodec(bare, other));
  if (elsewhere === undefined) throw unknownError(name, version);
  throw unsupported(`Zarr v${version} has no codec ${name}`, { code: "unsupported-codec", codec: name });
}

/**
 * Returns the data type of the elements. For `|O`, the codec determines it; objects without a codec are
 * written as JSON.
 */
function elementType(known: readonly Known[], { dtype }: ChainContext): DType {
  if (dtype.name !== "object") return dtype;
  const codec = known.find(({ found }) => found?.type === "vlen")?.found;
  return codec?.type === "vlen" ? DType.variable(codec.definition.elements) : dtype;
}

function arrayToBytesCodec(dtype: DType, { endian, version }: ChainContext): CodecMetadata {
  const names: Readonly<Record<string, string>> = {
    string: "vlen-utf8",
    bytes: "vlen-bytes",
    object: version === 3 ? "numcodecs.json2" : "json2",
  };
  if (dtype.isVariable) return { name: names[dtype.name]! };
  return { name: "bytes", configuration: isSingle(dtype) ? {} : { endian } };
}

/** Whether elements consist of single bytes, which have no byte order. */
function isSingle({ core }: DType): boolean {
  return /^(bool|u?int[248]|float[468]_|complex_float[468]_|raw|fixed_bytes)/.test(core);
}

const indexCodecs = [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }];

/** Wraps the chain in shards, or completes the configuration of the shards that it contains. */
function withShards(
  codecs: readonly CodecMetadata[],
  { version, shardShape, chunkShape }: ChainContext,
): readonly CodecMetadata[] {
  const at = codecs.findIndex(({ name }) => name === "sharding_indexed");
  if (!shardShape) {
    if (at >= 0) throw invalidArgument("codec sharding_indexed requires shardShape");
    return codecs;
  }
  if (version < 3) throw unsupported(`Zarr v${version} does not support shards`, { code: "not-in-version" });
  const defaults = { index_codecs: indexCodecs, index_location: "end" };
  if (at < 0)
    return [{ name: "sharding_indexed", configuration: { chunk_shape: chunkShape, codecs, ...defaults } }];
  const { configuration } = codecs[at]!;
  if (configuration?.["codecs"] === undefined)
    throw invalidArgument('codec sharding_indexed needs "codecs", those of the chunks inside');
  const filled = { chunk_shape: chunkShape, ...defaults, ...configuration };
  return codecs.map((codec, i) => (i === at ? { ...codec, configuration: filled } : codec));
}

/** Maximum nesting of codec lists to check; readers accept less. */
const maxDepth = 16;

/**
 * Rejects arrays with a codec that has no encoder, or that does not fit the chunks or the codecs around it.
 * @throws Unsupported or InvalidMetadata, naming the codec.
 */
export async function requireEncodable(spec: ArraySpec): Promise<void> {
  const found = namesIn(spec.codecs, maxDepth).flatMap((name) => {
    const codec = findCodec(name, spec.zarrFormat);
    return codec?.type === "core" ? [{ name, definition: codec.definition }] : [];
  });
  for (const { name, definition } of found) {
    if (codecRow(definition.core).encode !== "none") continue;
    const message = `${name} can only be read; name other codecs`;
    throw unsupported(message, { code: "encode-unsupported", codec: name });
  }
  if (found.some(({ definition }) => definition.checkedByCore)) await checkInCore(spec);
}

/** Checks the chain and all sizes in it in the wasm core. */
async function checkInCore({ firstLayout, dtype, fill, zarrFormat }: ArraySpec): Promise<void> {
  const codec = wholeCodec(firstLayout, layoutArray(dtype, fill), resolveLimits(undefined));
  const session = await getSession(codec.encodeModule);
  try {
    codec.prepare(session);
  } catch (error) {
    const name = isZarrError(error, "InvalidMetadata") ? error.codec : undefined;
    const found = name === undefined ? undefined : findCodec(name, zarrFormat);
    const reason = found?.type === "core" ? found.definition.checkedByCore : undefined;
    if (reason === undefined) throw error;
    const message = `codec ${name}: ${reason}`;
    throw invalidMetadata(message, { code: "bad-configuration", codec: name, cause: error });
  }
}
