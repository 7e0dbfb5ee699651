/**
 * Finds codecs by name. The common ones are loaded from the start; the others (`registry.ts` lists all) are
 * loaded when metadata names one of them.
 */
import type { ZarrError } from "../util/errors.js";
import { lazy } from "../util/lazy.js";
import { CodecList, commonCodecs, coreCodec, type FoundCodec, shards } from "./codec-list.js";
import type { CodecKind, ZarrVersion } from "./definition.js";

const loadPart = lazy("rare codecs", () => import("./part.js"));

const common = new CodecList([...Object.values(commonCodecs).map(coreCodec), shards]);
let part: Awaited<ReturnType<typeof loadPart>> | undefined;

/** Returns the codec of this name, if it is loaded. */
export function findCodec(name: string, version: ZarrVersion): FoundCodec | undefined {
  return part ? part.findCodec(name, version) : common.find(name, version);
}

/** Returns the error for a name that `findCodec` did not find. Requires {@link loadEveryCodec}. */
export function unknownError(name: string, version: ZarrVersion): ZarrError {
  return part!.unknownError(name, version);
}

/** Returns all names of one kind, for error messages. Requires {@link loadEveryCodec}. */
export function codecNames(version: ZarrVersion, kind: CodecKind): string[] {
  return part!.codecNames(version, kind);
}

/**
 * Loads the codecs of these names. Await it before a chain is resolved; names that `findCodec` does not find
 * afterwards are unknown.
 * @throws EngineFailed if they cannot be loaded.
 */
export async function loadCodecs(names: Iterable<string>, version: ZarrVersion): Promise<void> {
  if ([...names].some((name) => !findCodec(name, version))) await loadEveryCodec();
}

/** Loads all codecs. */
export async function loadEveryCodec(): Promise<void> {
  part ??= await loadPart();
}

/**
 * Returns every string in a list of codecs that may name one, including those of inner codecs.
 * @param codecs unchecked JSON.
 * @param depth maximum nesting of lists.
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
