/** `zarr-wasm bench`: measures how long data takes to read and to decode. */
import {
  type CodecMetadata,
  isZarrError,
  type OpenedNode,
  open,
  type ZarrArray,
  type ZarrGroup,
} from "zarr-wasm";
import { UsageError, type Values } from "../../options/options.js";
import { openOptions, openSource } from "../../source/source.js";
import { context } from "../../text/context.js";
import { listMembers } from "../../text/notes.js";
import { colorsFor, note, printable, printableJson } from "../../text/output.js";
import { sizeText } from "../../text/progress.js";
import { adviceFor, type Estimate, metadataAdvice } from "./advice.js";
import {
  type Bounds,
  CountingStore,
  decodeSpeed,
  lanes,
  type Reads,
  readSample,
  type Sample,
  type Speed,
  timings,
  tryOthers,
} from "./measure.js";

const defaultSeconds = 10;
const defaultBytes = 64 * 2 ** 20;
/** Maximum number of a group's arrays that are measured, largest first. */
const maxArrays = 4;
/** Maximum number of nodes to open. */
const maxNodes = 1000;
/** Shares of the time for reading and for decoding chunks; the rest is for opening. */
const readingShare = 0.5;
const decodingShare = 0.25;
/** Maximum seconds for timing one encoding of an array's chunks. */
const maxPatience = 0.5;

interface Opened {
  readonly arrays: readonly ZarrArray[];
  readonly isConsolidated: boolean;
  readonly reads: Reads;
  readonly seconds: number;
}

export async function runBench(source: string, values: Values): Promise<void> {
  const bounds: Bounds = { seconds: readSeconds(values.time), bytes: readBytes(values.bytes) };
  // Adds hints to the error for a missing node.
  const { store, path } = await openSource(source, values, values.bucket);
  const isRemote = /^https?:/i.test(source);
  const counting = new CountingStore(store);
  const opened = await openAll(counting, { ...values, path }, bounds);
  const arrays = opened.arrays.toSorted((a, b) => arrayBytes(b) - arrayBytes(a)).slice(0, maxArrays);
  const share: Share = {
    seconds: (readingShare * bounds.seconds) / arrays.length,
    bytes: bounds.bytes / arrays.length,
    patience: Math.min(maxPatience, (decodingShare * bounds.seconds) / arrays.length / timings),
  };
  const measured: Facts[] = [];
  for (const array of arrays) measured.push(await measure(array, counting, share, isRemote));
  const { reads, seconds, isConsolidated } = opened;
  const metadata = {
    requests: reads.requests,
    bytes: reads.bytes,
    seconds: rounded(seconds),
    isConsolidated,
  };
  const advice = metadataAdvice(reads.requests, isRemote, isConsolidated);
  const facts = {
    ...{ source, arrays: opened.arrays.length, metadata, codecs: byCodecs(measured), measured },
    advice: advice === undefined ? [] : [advice],
  };
  if (values.json) context().stdout.write(`${printableJson(facts, undefined, 2)}\n`);
  else for (const line of reportLines(facts, isRemote)) context().stdout.write(`${line}\n`);
}

function readSeconds(text: string | undefined): number {
  if (text === undefined) return defaultSeconds;
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (!(seconds > 0)) throw new UsageError(`--time must be a positive number of seconds, got "${text}"`);
  return seconds;
}

function readBytes(text: string | undefined): number {
  if (text === undefined) return defaultBytes;
  const [, digits, unit = ""] = /^(\d{1,12})\s*([kmgt]?)(?:i?b)?$/i.exec(text) ?? [];
  const size = Number(digits) * 1024 ** ["", "k", "m", "g", "t"].indexOf(unit.toLowerCase());
  if (!(size > 0)) throw new UsageError(`--bytes must be a size such as 500K, 64M or 1G, got "${text}"`);
  return size;
}

/** Opens a source and all nodes below it, as a program that lists it would. */
async function openAll(store: CountingStore, values: Values, { seconds }: Bounds): Promise<Opened> {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const root = await open(store, openOptions(values));
  const arrays: ZarrArray[] = [];
  const nodes: OpenedNode[] = [root];
  for (const node of nodes) {
    if (node.kind === "array") arrays.push(node);
    else if (elapsed() < seconds / 4) nodes.push(...(await openMembers(node, maxNodes - nodes.length)));
  }
  if (arrays.length === 0) throw new Error(`no array found at or below "/${root.path}"`);
  const isConsolidated = root.kind === "group" && root.isConsolidated;
  return { arrays, isConsolidated, reads: store.take(), seconds: elapsed() };
}

async function openMembers(group: ZarrGroup, max: number): Promise<OpenedNode[]> {
  const members = (await listMembers(group)).slice(0, Math.max(0, max));
  const nodes = await Promise.all(
    members.map(({ name }) =>
      group.open(name).catch((error: unknown) => {
        if (!isZarrError(error)) throw error;
        note(`skipping "${name}": ${error.message}`);
        return undefined;
      }),
    ),
  );
  return nodes.filter((node) => node !== undefined);
}

type Facts = Awaited<ReturnType<typeof measure>>;

/** Limits of one array. */
interface Share extends Bounds {
  /** Seconds for timing one encoding of its chunks. */
  readonly patience: number;
}

async function measure(array: ZarrArray, store: CountingStore, share: Share, isRemote: boolean) {
  store.take();
  const sample = await readSample(array, share);
  const reads = store.take();
  if (sample.chunks.length === 0 && sample.error !== undefined) throw sample.error;
  const speed = await decodeSpeed(sample.chunks, share.patience);
  const others = await tryOthers(sample.chunks, array.dtype.itemBytes, share.patience);
  const waiting = waitingShare(reads, sample);
  const decodeSeconds = speed.chunks === 0 ? 0 : (speed.seconds / speed.chunks) * sample.chunks.length;
  const decodedBytes =
    speed.bytes === undefined || speed.chunks === 0 ? 0 : (speed.bytes / speed.chunks) * sample.chunks.length;
  const alternatives = others.map(({ bytes, codecs, encodedBytes, speed: other }) => {
    const stored = (encodedBytes / bytes) * decodedBytes;
    const reading = sample.seconds * (waiting + (1 - waiting) * (stored / Math.max(1, sample.bytes)));
    const decoding = decodedBytes / ((other.bytes ?? 0) / other.seconds);
    return {
      estimate: { codecs, bytes: stored / Math.max(1, sample.bytes), seconds: reading + decoding },
      facts: { codecs, storedShare: rounded(encodedBytes / bytes), megabytesPerSecond: rate(other) },
    };
  });
  const { shape, chunkShape, shardShape } = array;
  const objects = array.reader.objectAxes.reduce((count, axis) => count * axis.count, 1);
  const estimates: Estimate[] = alternatives.map(({ estimate }) => estimate);
  return {
    ...{ path: array.path, dtype: String(array.dtype), shape, chunkShape, shardShape },
    codecs: codecsText(array),
    chunks: { read: sample.chunks.length, missing: sample.missing, failed: sample.failed },
    reading: {
      ...{ requests: reads.requests, bytes: reads.bytes, seconds: rounded(sample.seconds), parallel: lanes },
      megabytesPerSecond: rounded(reads.bytes / 1e6 / sample.seconds),
      medianMilliseconds: rounded(median(reads.times)),
      waitingShare: rounded(waiting),
    },
    decoding: {
      ...{ bytes: Math.round(decodedBytes), seconds: rounded(decodeSeconds) },
      megabytesPerSecond: rate(speed),
      storedShare: decodedBytes > 0 ? rounded(sample.bytes / decodedBytes) : undefined,
    },
    alternatives: alternatives.map(({ facts }) => facts),
    advice: adviceFor({
      ...{ shape, chunkShape, isSharded: shardShape !== undefined, itemBytes: array.dtype.itemBytes },
      ...{ isRemote, objects, chunks: sample.chunks.length, missing: sample.missing, waiting },
      ...{ decodeSeconds, decodedBytes },
      ...{ storedBytes: sample.bytes, readSeconds: sample.seconds, alternatives: estimates },
    }),
  };
}

/** The share of the time before responses begin, estimated from the quickest of them. */
function waitingShare({ times }: Reads, { seconds }: Sample): number {
  if (times.length === 0) return 0;
  const quickest = Math.min(...times) / 1000;
  return Math.min(1, (quickest * Math.ceil(times.length / lanes)) / Math.max(seconds, 1e-9));
}

/** Decoded bytes and seconds of arrays with the same codecs, summed. */
function byCodecs(measured: readonly Facts[]) {
  const sums = new Map<string, { bytes: number; seconds: number }>();
  for (const { codecs, decoding } of measured) {
    const sum = sums.get(codecs) ?? { bytes: 0, seconds: 0 };
    sums.set(codecs, { bytes: sum.bytes + decoding.bytes, seconds: sum.seconds + decoding.seconds });
  }
  return [...sums].map(([codecs, { bytes, seconds }]) => ({
    ...{ codecs, bytes, seconds: rounded(seconds) },
    megabytesPerSecond: bytes > 0 ? rounded(bytes / 1e6 / seconds) : undefined,
  }));
}

/** `bytes, blosc lz4`; for shards, the codecs of their inner chunks. */
function codecsText({ codecs }: ZarrArray): string {
  const text = ({ name, configuration }: CodecMetadata): string => {
    const inner = configuration?.["codecs"];
    if (Array.isArray(inner))
      return `${name} (${inner.map((codec: CodecMetadata | string) => (typeof codec === "string" ? codec : text(codec))).join(", ")})`;
    const cname = configuration?.["cname"];
    return typeof cname === "string" ? `${name} ${cname}` : name;
  };
  return codecs.map(text).join(", ");
}

const arrayBytes = ({ dtype, shape }: ZarrArray) => shape.reduce((a, b) => a * b, dtype.itemBytes || 64);

const rate = ({ bytes, seconds }: Speed): number | undefined =>
  bytes === undefined || bytes === 0 ? undefined : rounded(bytes / 1e6 / seconds);

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Four digits: measurements are less exact. */
const rounded = (value: number) => Number(value.toPrecision(4));

interface Report {
  readonly arrays: number;
  readonly metadata: { requests: number; bytes: number; seconds: number; isConsolidated: boolean };
  readonly measured: readonly Facts[];
  readonly advice: readonly string[];
}

function* reportLines({ advice, arrays, measured, metadata }: Report, isRemote: boolean): Generator<string> {
  const { bold, cyan, dim } = colorsFor("stdout");
  const row = (name: string, text: string) => `  ${dim(name.padEnd(9))} ${printable(text)}`;
  const shown = measured.length < arrays ? `, the ${measured.length} largest measured` : "";
  yield `${arrays} ${arrays === 1 ? "array" : "arrays"}${shown}; metadata: ${requestsText(metadata.requests)}, ${sizeText(metadata.bytes)} in ${secondsText(metadata.seconds)}${metadata.isConsolidated ? ", consolidated" : ""}`;
  for (const one of measured) {
    const { alternatives, chunks, decoding, reading } = one;
    const shards = one.shardShape ? ` in shards [${one.shardShape.join(", ")}]` : "";
    yield "";
    yield `${bold(printable(`/${one.path}`))}  ${printable(`${one.dtype} [${one.shape.join(", ")}], chunks [${one.chunkShape.join(", ")}]${shards}, ${one.codecs}`)}`;
    yield row(
      isRemote ? "network" : "reading",
      `${requestsText(reading.requests)}, ${sizeText(reading.bytes)} in ${secondsText(reading.seconds)}: ${speedText(reading.megabytesPerSecond)}, ${fixed(reading.medianMilliseconds)} ms each (median), ${reading.parallel} in parallel`,
    );
    const rest = [
      chunks.missing > 0 ? `${chunks.missing} not stored` : "",
      chunks.failed > 0 ? `${chunks.failed} unreadable` : "",
    ].filter((text) => text !== "");
    const speed =
      decoding.megabytesPerSecond === undefined
        ? ""
        : `, ${sizeText(decoding.bytes)}: ${speedText(decoding.megabytesPerSecond)}`;
    yield row(
      "decoding",
      `${chunks.read} ${chunks.read === 1 ? "chunk" : "chunks"}${rest.length > 0 ? ` (${rest.join(", ")})` : ""} in ${secondsText(decoding.seconds)}${speed}${decoding.storedShare === undefined ? "" : `, stored size ${fixed(100 * decoding.storedShare)} % of that`}`,
    );
    for (const { codecs, megabytesPerSecond, storedShare } of alternatives)
      yield row(
        "",
        `with ${codecs.padEnd(10)} ${fixed(100 * storedShare)} %, ${speedText(megabytesPerSecond ?? 0)}`,
      );
    for (const text of one.advice) yield `  ${cyan("→")} ${printable(text)}`;
  }
  if (advice.length > 0) yield "";
  for (const text of advice) yield `${cyan("→")} ${printable(text)}`;
}

const requestsText = (count: number) => `${count} ${count === 1 ? "request" : "requests"}`;
const secondsText = (seconds: number) =>
  seconds < 0.1 ? `${fixed(1000 * seconds)} ms` : `${fixed(seconds)} s`;
/** Three digits. */
const fixed = (value: number) => (value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

/** Rates in the units of sizes; JSON has them in megabytes. */
const speedText = (megabytesPerSecond: number) => `${fixed((megabytesPerSecond * 1e6) / 2 ** 20)} MiB/s`;
