/** Shards with some of their inner chunks replaced. Spec: Zarr v3 "sharding_indexed" codec. */
import { withDetails } from "../../base/errors.js";
import type { Limits } from "../../base/limits.js";
import { countOf } from "../../base/strides.js";
import type { ShardLevel } from "../../chain/layout.js";
import {
  entryOf,
  indexBytes,
  parseEntries,
  type ShardEntry,
  shorterThanIndex,
} from "../../chain/shard-index.js";
import { decodeBytesIn, encodeBytesIn } from "../../engine/bytes.js";
import type { CodecSession } from "../../engine/session.js";
import { groupByEntry, type WantedChunk } from "../fetch/shards.js";

/** What makes an inner chunk of what is stored of it; undefined for one that is not (to be) stored. */
export type Replace<T> = (task: T, stored: Uint8Array | undefined) => Uint8Array | undefined;

/**
 * A shard with some inner chunks replaced. The others are copied as they are stored: never decoded, byte for byte the
 * same. Inner chunks lie in the order of their entries, without gaps.
 * @param levels of the shard and of shards inside of it.
 * @param stored the shard as it is; undefined for none.
 * @param tasks the chunks to replace, and `at` their positions from the shard's first one.
 * @returns undefined where no inner chunk is left.
 * @throws CorruptChunk for a shard that is not whole; what `replace` throws.
 */
export function changeShard<T>(
  session: CodecSession,
  limits: Limits,
  levels: readonly ShardLevel[],
  stored: Uint8Array | undefined,
  tasks: readonly T[],
  at: readonly WantedChunk[],
  replace: Replace<T>,
): Uint8Array | undefined {
  const [level, ...inner] = levels as [ShardLevel, ...ShardLevel[]];
  const parts = storedParts(session, limits, level, stored);
  for (const group of groupByEntry(level, inner, tasks, at)) {
    const before = parts[group.entry];
    parts[group.entry] =
      inner.length === 0
        ? replace(group.wanted[0]!, before)
        : changeShard(session, limits, inner, before, group.wanted, group.at, replace);
  }
  return parts.some((part) => part) ? joined(session, level, parts) : undefined;
}

/** The inner chunks of a shard as they are stored, entry by entry. */
function storedParts(
  session: CodecSession,
  limits: Limits,
  { after, counts, index }: ShardLevel,
  stored: Uint8Array | undefined,
): (Uint8Array | undefined)[] {
  const count = countOf(counts);
  if (!stored) return new Array<undefined>(count).fill(undefined);
  const shard = after.length === 0 ? stored : decodeBytesIn(session, after, stored, limits.chunkBytes);
  const { plan, bytes, location } = index;
  if (shard.byteLength < bytes) throw shorterThanIndex(shard.byteLength, bytes);
  const start = location === "start" ? 0 : shard.byteLength - bytes;
  try {
    const entries = parseEntries(session.decode(plan, shard.subarray(start, start + bytes)));
    return Array.from({ length: count }, (_, entry) => {
      const found = entryOf(entries, entry, shard.byteLength, limits);
      return found && shard.subarray(found.offset, found.offset + found.length);
    });
  } catch (error) {
    throw withDetails(error, { codec: "sharding_indexed" }, "the shard's index: ");
  }
}

/** A shard without inner chunks. */
export function emptyShard(session: CodecSession, level: ShardLevel): Uint8Array {
  return joined(session, level, new Array<undefined>(countOf(level.counts)).fill(undefined));
}

function joined(
  session: CodecSession,
  { after, index }: ShardLevel,
  parts: readonly (Uint8Array | undefined)[],
): Uint8Array {
  const isAtStart = index.location === "start";
  let offset = isAtStart ? index.bytes : 0;
  const entries = parts.map((part): ShardEntry | undefined => {
    if (!part) return undefined;
    const entry = { offset, length: part.byteLength };
    offset += part.byteLength;
    return entry;
  });
  const table = session.encode(index.plan, indexBytes(entries));
  const bytes = new Uint8Array(isAtStart ? offset : offset + index.bytes);
  parts.forEach((part, entry) => {
    if (part) bytes.set(part, entries[entry]!.offset);
  });
  bytes.set(table, isAtStart ? 0 : offset);
  return encodeBytesIn(session, after, bytes);
}
