/**
 * Finding codecs by name. The usual ones are always there; the others (registry.ts has all) are loaded once metadata
 * names one of them.
 */
import type { ZarrError } from "../util/errors.js";
import { lazy } from "../util/lazy.js";
import { CodecList, coreCodec, type FoundCodec, objectCodec } from "./codec-list.js";
import type { CodecKind, ZarrVersion } from "./definition.js";
import { shards, usualCodecs } from "./usual.js";
import { isVlenName } from "./vlen-names.js";

const allCodecs = lazy("rare codecs", () => import("../lazy/all-codecs.js"));
const objectCodecs = lazy("codecs of strings and objects", () => import("../lazy/vlen-codecs.js"));
type ObjectCodecs = Awaited<ReturnType<typeof objectCodecs>>;

/** What most arrays use. */
const usual = new CodecList([...Object.values(usualCodecs).map(coreCodec), shards]);
/** The parts that have been loaded. */
let objects: CodecList | undefined;
let objectChunks: ObjectCodecs["VlenChunkCodec"] | undefined;
let all: Awaited<ReturnType<typeof allCodecs>> | undefined;

/** The codec of this name, among those that are loaded. */
export function findCodec(name: string, version: ZarrVersion): FoundCodec | undefined {
  return all ? all.findCodec(name, version) : (usual.find(name, version) ?? objects?.find(name, version));
}

/** The error for a name that was not found. All codecs must have been loaded, as they are to look for one. */
export function unknownError(name: string, version: ZarrVersion): ZarrError {
  return all!.unknownError(name, version);
}

/** All names of one kind, for messages about a name that was not found. All codecs must have been loaded. */
export function codecNames(version: ZarrVersion, kind: CodecKind): string[] {
  return all!.codecNames(version, kind);
}

/**
 * Loads the codecs of these names, as far as there are such. To be awaited before a chain is resolved: what is not
 * found then is not known.
 * @throws EngineFailed where they cannot be loaded.
 */
export async function loadCodecs(names: Iterable<string>, version: ZarrVersion): Promise<void> {
  const missing = [...names].filter((name) => !findCodec(name, version));
  if (missing.length === 0) return;
  if (missing.every(isVlenName)) {
    const part = await objectCodecs();
    objects ??= new CodecList(part.objectCodecs.map(objectCodec));
    objectChunks = part.VlenChunkCodec;
  }
  if (missing.some((name) => !findCodec(name, version))) await loadEveryCodec();
}

/** Loads all codecs. */
export async function loadEveryCodec(): Promise<void> {
  all ??= await allCodecs();
  objectChunks = all.VlenChunkCodec;
}

/** What decodes chunks of elements of variable length: it comes with their codecs, of which one must have been found. */
export function vlenChunkCodec(...parts: ConstructorParameters<ObjectCodecs["VlenChunkCodec"]>) {
  return new objectChunks!(...parts);
}

/**
 * Names in a list of codecs, of which any may be one of a codec; those of codecs inside codecs included.
 * @param codecs the list as JSON, which may be anything.
 * @param depth how deep lists inside lists are looked at.
 */
export function namesIn(codecs: unknown, depth: number): string[] {
  if (!Array.isArray(codecs)) return [];
  return codecs.flatMap((codec) => {
    const { name, id, configuration } = (codec ?? {}) as { [key: string]: unknown };
    const inside = depth > 0 ? Object.entries(configuration ?? {}) : [];
    const lists = inside.filter(([key]) => key.endsWith("codecs"));
    const own = [codec, name, id].filter((text) => typeof text === "string");
    return [...own, ...lists.flatMap(([, value]) => namesIn(value, depth - 1))];
  });
}
