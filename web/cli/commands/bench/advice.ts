/** Advice on faster reading, from measurements. */
import { autoShards } from "#internal";
import { sizeText } from "../../text/progress.js";

/** Measurements of an array. */
export interface Measured {
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  readonly isSharded: boolean;
  /** Size of an element; 0 if it has no fixed size. */
  readonly itemBytes: number;
  readonly isRemote: boolean;
  /** Objects that store the array's chunks. */
  readonly objects: number;
  /** Chunks read, and chunks of the sample that are not stored. */
  readonly chunks: number;
  readonly missing: number;
  /** Stored bytes of the chunks, and the seconds to read them. */
  readonly storedBytes: number;
  readonly readSeconds: number;
  /** Their decoded bytes; 0 if values have no fixed size. */
  readonly decodedBytes: number;
  /** The share of that time before the first byte of a response. */
  readonly waiting: number;
  /** Seconds to decode the same chunks on one core. */
  readonly decodeSeconds: number;
  readonly alternatives: readonly Estimate[];
}

/** Another way to store the chunks. */
export interface Estimate {
  readonly codecs: string;
  /** Stored bytes, as a share of the current ones. */
  readonly bytes: number;
  /** Seconds to read and decode the sample if it were stored like this. */
  readonly seconds: number;
}

/** Decoded chunk sizes: below the first, chunks are small for a network; above the second, large for reading a part. */
const small = 256 * 2 ** 10;
const large = 64 * 2 ** 20;
const good = 2 ** 20;
/** Minimum decoded bytes for a time that stands out from noise. */
const telling = 256 * 2 ** 10;
/** Number of objects that counts as many. */
const many = 10_000;
/** Minimum gain of a change that is reported. */
const worthIt = 0.8;

/** A sentence or two each, largest gain first. */
export function adviceFor(measured: Measured): string[] {
  if (measured.chunks === 0)
    return [
      measured.missing > 0
        ? "The sampled chunks are missing and read as fill values, without cost."
        : "No chunks to measure.",
    ];
  const found = [chunkAdvice(measured), codecAdvice(measured), shardAdvice(measured)];
  const advice = found.filter((text) => text !== undefined).slice(0, 2);
  return advice.length > 0 ? advice : [nothingToGain(measured)];
}

function chunkAdvice(measured: Measured): string | undefined {
  const { chunkShape, chunks, isRemote, itemBytes, shape, storedBytes, waiting } = measured;
  const decoded = arrayBytes(chunkShape, itemBytes);
  const stored = storedBytes / chunks;
  if (isRemote && stored < small && decoded < good && waiting > 0.5) {
    const larger = autoShards(shape, chunkShape, itemBytes, good);
    const fewer = product(larger) / product(chunkShape);
    if (fewer >= 2)
      return `Chunks are small (${sizeText(Math.round(stored))} as stored), and ${percent(waiting)} of the time is spent waiting for responses: --chunks ${larger} reduces the number of requests by a factor of ${Math.round(fewer)}.`;
  }
  if (decoded > large) {
    const smaller = shrunk(chunkShape, itemBytes);
    return `Chunks are large (${sizeText(decoded)}), and reading one element decodes a whole chunk. --chunks ${smaller} with --shards ${chunkShape} stores small chunks in the same number of objects.`;
  }
  return undefined;
}

function codecAdvice(measured: Measured): string | undefined {
  const { alternatives, decodeSeconds, decodedBytes, readSeconds } = measured;
  if (decodedBytes < telling) return undefined;
  const now = readSeconds + decodeSeconds;
  const best = alternatives.reduce<Estimate | undefined>(
    (found, one) => (found === undefined || one.seconds < found.seconds ? one : found),
    undefined,
  );
  if (best === undefined || best.seconds > worthIt * now) return undefined;
  const size = best.bytes < 0.95 || best.bytes > 1.05 ? `, with ${percent(best.bytes)} of the bytes` : "";
  return `With --codecs ${best.codecs}, reading and decoding would take about ${percent(best.seconds / now)} of the time${size}.`;
}

function shardAdvice({ chunkShape, isSharded, itemBytes, objects, shape }: Measured): string | undefined {
  if (isSharded || objects < many) return undefined;
  const shards = autoShards(shape, chunkShape, itemBytes);
  const left = shape.reduce((count, length, axis) => count * Math.ceil(length / shards[axis]!), 1);
  if (left > objects / 2) return undefined;
  return `The chunks are ${objects} objects; --shards auto stores them in ${left}, which are faster to list, copy and delete.`;
}

function nothingToGain({ decodeSeconds, isRemote, readSeconds }: Measured): string {
  const share = readSeconds / Math.max(readSeconds + decodeSeconds, 1e-9);
  return `No tested setting is much faster: ${percent(share)} of the time is spent on ${isRemote ? "the network" : "reading"}, the rest on decoding with one core.`;
}

/** Gain of consolidated metadata for a group whose nodes were opened one by one. */
export function metadataAdvice(
  requests: number,
  isRemote: boolean,
  isConsolidated: boolean,
): string | undefined {
  if (isConsolidated || !isRemote || requests < 10) return undefined;
  return `Metadata took ${requests} requests; consolidated metadata (consolidate() of the library) takes one or two.`;
}

/** Halves the longest axis until a chunk has a good size. */
function shrunk(chunkShape: readonly number[], itemBytes: number): number[] {
  const shape = [...chunkShape];
  while (arrayBytes(shape, itemBytes) > good) {
    const axis = shape.indexOf(Math.max(...shape));
    if (shape[axis]! % 2 !== 0) break;
    shape[axis]! /= 2;
  }
  return shape;
}

const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
const arrayBytes = (shape: readonly number[], itemBytes: number) => product(shape) * (itemBytes || 64);
const percent = (share: number) => `${Math.round(100 * share)} %`;
