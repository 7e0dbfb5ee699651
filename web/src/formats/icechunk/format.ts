/** Common parts of Icechunk's metadata files: header, zstd compression with any content size or a dictionary, object ids. */

import { decodeBytes } from "../../engine/bytes.js";
import { getSession } from "../../engine/engine.js";
import type { ChainStep } from "../../engine/plan.js";
import type { CodecSession } from "../../engine/session.js";
import { callStore, locateKey } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import {
  corruptChunk,
  invalidMetadata,
  isZarrError,
  limitExceeded,
  networkError,
  ZarrError,
} from "../../util/errors.js";
import { uninitialised } from "../../util/platform.js";
import { FlatBuffer, malformed } from "./flatbuffer.js";

/** "ICE🧊CHUNK" in UTF-8. */
const magic = [0x49, 0x43, 0x45, 0xf0, 0x9f, 0xa7, 0x8a, 0x43, 0x48, 0x55, 0x4e, 0x4b];
const headerBytes = 39;
const newestVersion = 2;

export const fileTypes = { snapshot: 1, manifest: 2, repo: 6 } as const;
export type FileType = keyof typeof fileTypes;

/** Whether bytes begin as a metadata file of Icechunk does. */
export const hasMagic = (bytes: Uint8Array): boolean => magic.every((byte, i) => bytes[i] === byte);

/** The error of a version that is newer than this library. */
export function futureVersion(name: string, version: number): ZarrError {
  return new ZarrError(
    "FutureVersion",
    `${name} has version ${version} of Icechunk's format; this library reads versions 1 and 2`,
  );
}

/**
 * Opens a metadata file.
 * @param maxBytes maximum decompressed size.
 * @throws InvalidMetadata; FutureVersion; LimitExceeded.
 */
export async function readFile(
  bytes: Uint8Array,
  type: FileType,
  name: string,
  maxBytes: number,
): Promise<FlatBuffer> {
  const compression = checkHeader(bytes, type, name);
  const body = bytes.subarray(headerBytes);
  if (compression === 0) {
    if (body.byteLength > maxBytes) throw tooLarge(name, maxBytes);
    return new FlatBuffer(body, name);
  }
  return new FlatBuffer(await expand(body, name, maxBytes), name);
}

/** Checks a header. @returns the compression: 0 none, 1 zstd. */
function checkHeader(bytes: Uint8Array, type: FileType, name: string): number {
  if (!hasMagic(bytes))
    throw invalidMetadata(`${name}: not an Icechunk metadata file`, { code: "bad-icechunk" });
  if (bytes.byteLength < headerBytes) throw malformed(name, "it ends within its header");
  const [version, kind, compression] = bytes.subarray(36, headerBytes) as unknown as [number, number, number];
  if (version > newestVersion) throw futureVersion(name, version);
  if (version === 0) throw malformed(name, "it states format version 0");
  if (kind !== fileTypes[type]) throw malformed(name, `expected a ${type} file, found file type ${kind}`);
  if (compression > 1) throw malformed(name, `compression ${compression} is unknown`);
  return compression;
}

async function expand(body: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  try {
    return await expandZstd(body, maxBytes);
  } catch (error) {
    if (!(error instanceof ZarrError)) throw error;
    if (error._tag === "LimitExceeded" && error.code === "limit-exceeded") throw tooLarge(name, maxBytes);
    if (error._tag !== "CorruptChunk") throw error;
    throw invalidMetadata(`${name} cannot be decompressed: ${error.message}`, {
      code: "bad-icechunk",
      cause: error,
    });
  }
}

const tooLarge = (name: string, maxBytes: number): ZarrError =>
  limitExceeded(`${name} has more than the limit of ${maxBytes} bytes`);

/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const idPattern = /^[0-9A-HJKMNP-TV-Z]{19}[0G]$/;

/** Whether a string is an object id, which is safe in a path. */
export const isObjectId = (text: string): boolean => idPattern.test(text);

/** Formats the 12 bytes of an object id. */
export function objectId(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** The error for a missing object that metadata refers to. */
export function lostObject(what: string, name: string): ZarrError {
  return networkError(
    `${name} is missing: ${what} that the repository refers to was lost or garbage-collected`,
    { code: "bad-target" },
  );
}

/** Reads an object of at most `maxBytes`; undefined if it is missing. */
export type ReadObject = (key: string, maxBytes: number) => Promise<Uint8Array | undefined>;

/** @throws LimitExceeded; errors of the store. */
export function objectReader(store: Store, signal: AbortSignal | undefined): ReadObject {
  return async (key, maxBytes) => {
    const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`${locateKey(store, key)} has more than the limit of ${maxBytes} bytes`);
    return bytes;
  };
}

/** Frames of at most `smallFrame` bytes with at most `smallContent` bytes of content are decoded in one step. */
const smallFrame = 2 ** 20;
const smallContent = 2 ** 23;

const steps: readonly ChainStep[] = [{ core: "zstd", params: [0, 0], name: "zstd" }];

/**
 * Decodes one frame. A large one is decoded twice, piece by piece: the first pass determines the content
 * size, so that no more memory is allocated than that and the frame itself.
 * @param limit maximum number of decoded bytes.
 * @throws CorruptChunk; LimitExceeded.
 */
export async function expandZstd(frame: Uint8Array, limit: number): Promise<Uint8Array> {
  checkMagic(frame);
  if (frame.byteLength <= smallFrame) {
    const bound = Math.min(limit, smallContent);
    try {
      return await decodeBytes(steps, frame, bound);
    } catch (error) {
      if (!isZarrError(error, "LimitExceeded") || error.code !== "limit-exceeded" || bound === limit)
        throw error;
    }
  }
  return expandIn(await getSession("full"), frame, undefined, limit);
}

/**
 * Returns a decoder for small frames that were made with a dictionary.
 * @returns a function that decodes one frame; it throws like {@link expandZstd}.
 */
export async function expanderWith(
  dictionary: Uint8Array,
): Promise<(frame: Uint8Array, limit: number) => Uint8Array> {
  const session = await getSession("full");
  return (frame, limit) => {
    checkMagic(frame);
    return expandIn(session, frame, dictionary, limit);
  };
}

function expandIn(
  session: CodecSession,
  frame: Uint8Array,
  dictionary: Uint8Array | undefined,
  limit: number,
): Uint8Array {
  let total = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    total += piece.byteLength;
    if (total > limit) throw limitExceeded(`a zstd frame holds more than ${limit} bytes`);
  });
  const out = uninitialised(total);
  let filled = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    out.set(piece, filled);
    filled += piece.byteLength;
  });
  return out;
}

/** Rejects frames from before zstd 1.0 and skippable frames, which Icechunk never writes. */
function checkMagic(frame: Uint8Array): void {
  if ([0x28, 0xb5, 0x2f, 0xfd].some((byte, i) => frame[i] !== byte))
    throw corruptChunk("not a zstd frame", { code: "bad-header", codec: "zstd" });
}
