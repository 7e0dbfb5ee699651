/** What would make reading faster, from what was measured. */
import { autoShards } from "#internal";
import { sizeText } from "../../text/progress.js";

/** What was measured of an array. */
export interface Measured {
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  readonly isSharded: boolean;
  /** Of an element; 0 where it has no fixed size. */
  readonly itemBytes: number;
  readonly isRemote: boolean;
  /** Objects that the array's chunks are stored in. */
  readonly objects: number;
  /** Chunks that were read, and those of the sample that are not stored. */
  readonly chunks: number;
  readonly missing: number;
  /** Bytes that the chunks have as stored, and the seconds that reading them took. */
  readonly storedBytes: number;
  readonly readSeconds: number;
  /** Bytes that they have decoded; 0 where values have no fixed size. */
  readonly decodedBytes: number;
  /** The share of that time that goes by before an answer begins. */
  readonly waiting: number;
  /** Seconds to decode the same chunks on one core. */
  readonly decodeSeconds: number;
  readonly alternatives: readonly Estimate[];
}

/** Another way to store the chunks. */
export interface Estimate {
  readonly codecs: string;
  /** Stored bytes, as a share of what they are now. */
  readonly bytes: number;
  /** Seconds to read and decode the sample, if it was stored so. */
  readonly seconds: number;
}

/** Bytes of decoded chunks that are small for a network, and too large for whoever wants a part. */
const small = 256 * 2 ** 10;
const large = 64 * 2 ** 20;
const good = 2 ** 20;
/** Decoded bytes of which a time can be told from noise. */
const telling = 256 * 2 ** 10;
/** Objects that are many. */
const many = 10_000;
/** What a change must gain to be worth a word. */
const worthIt = 0.8;

/** A sentence or two, what gains most first. */
export function adviceFor(measured: Measured): string[] {
  if (measured.chunks === 0)
    return [
      measured.missing > 0
        ? "No chunk of the sample is stored: reading costs next to nothing."
        : "There was nothing to measure.",
    ];
  const found = [chunkAdvice(measured), codecAdvice(measured), shardAdvice(measured)];
  const advice = found.filter((text) => text !== undefined).slice(0, 2);
  return advice.length > 0 ? advice : [nothingToGain(measured)];
}

function chunkAdvice(measured: Measured): string | undefined {
  const { chunkShape, chunks, isRemote, itemBytes, shape, storedBytes, waiting } = measured;
  const decoded = bytesOf(chunkShape, itemBytes);
  const stored = storedBytes / chunks;
  if (isRemote && stored < small && decoded < good && waiting > 0.5) {
    const larger = autoShards(shape, chunkShape, itemBytes, good);
    const fewer = product(larger) / product(chunkShape);
    if (fewer >= 2)
      return `Chunks are small (${sizeText(Math.round(stored))} as stored), and ${percent(waiting)} of the time goes by waiting for answers: --chunks ${larger} takes ${Math.round(fewer)} times fewer requests.`;
  }
  if (decoded > large) {
    const smaller = shrunk(chunkShape, itemBytes);
    return `Chunks are large (${sizeText(decoded)}): whoever wants one element reads all of one. --chunks ${smaller} with --shards ${chunkShape} has small chunks in as many objects.`;
  }
  return undefined;
}

function codecAdvice(measured: Measured): string | undefined {
  const { alternatives, decodeSeconds, decodedBytes, readSeconds } = measured;
  if (decodedBytes < telling) return undefined;
  const now = readSeconds + decodeSeconds;
  const best = alternatives.reduce<Estimate | undefined>(
    (least, one) => (least === undefined || one.seconds < least.seconds ? one : least),
    undefined,
  );
  if (best === undefined || best.seconds > worthIt * now) return undefined;
  const size = best.bytes < 0.95 || best.bytes > 1.05 ? `, with ${percent(best.bytes)} of the bytes` : "";
  return `With --codecs ${best.codecs} reading and decoding would take some ${percent(best.seconds / now)} of the time${size}.`;
}

function shardAdvice({ chunkShape, isSharded, itemBytes, objects, shape }: Measured): string | undefined {
  if (isSharded || objects < many) return undefined;
  const shards = autoShards(shape, chunkShape, itemBytes);
  const left = shape.reduce((count, length, axis) => count * Math.ceil(length / shards[axis]!), 1);
  if (left > objects / 2) return undefined;
  return `The chunks are ${objects} objects; --shards auto makes ${left} of them, which are listed, copied and deleted faster.`;
}

function nothingToGain({ decodeSeconds, isRemote, readSeconds }: Measured): string {
  const share = readSeconds / Math.max(readSeconds + decodeSeconds, 1e-9);
  return `Nothing that was tried would be much faster: ${percent(share)} of the time is ${isRemote ? "the network's" : "reading"}, the rest decoding on one core.`;
}

/** What consolidated metadata would gain, of a group whose nodes were opened one by one. */
export function metadataAdvice(
  requests: number,
  isRemote: boolean,
  isConsolidated: boolean,
): string | undefined {
  if (isConsolidated || !isRemote || requests < 10) return undefined;
  return `Metadata took ${requests} requests; consolidated metadata (consolidate() of the library) takes one or two.`;
}

/** Halves the longest axis until a chunk is of a good size. */
function shrunk(chunkShape: readonly number[], itemBytes: number): number[] {
  const shape = [...chunkShape];
  while (bytesOf(shape, itemBytes) > good) {
    const axis = shape.indexOf(Math.max(...shape));
    if (shape[axis]! % 2 !== 0) break;
    shape[axis]! /= 2;
  }
  return shape;
}

const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
const bytesOf = (shape: readonly number[], itemBytes: number) => product(shape) * (itemBytes || 64);
const percent = (share: number) => `${Math.round(100 * share)} %`;
