/** Verifies an array, or a group with everything below it, by decoding every chunk. */

import { type ChunkCodec, withSession } from "../chain/chunk-codec.js";
import type { LeafChunkCodec } from "../chain/layout.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { open, type Source } from "../hierarchy/open.js";
import { taskList } from "../plan/projections.js";
import { type ArrayReader, defaultCoalescing } from "../read/reader.js";
import { releaseBytes } from "../store/read.js";
import { isStore } from "../store/store.js";
import { pickOptions } from "../util/arguments.js";
import { isZarrError, messageOf } from "../util/errors.js";
import { positionsIn } from "../util/shapes.js";
import {
  cellBox,
  chunksIn,
  elementBox,
  exactCount,
  exactProduct,
  inLanes,
  lanesFor,
  type ObjectBox,
  objectsIn,
  type ShareIndex,
  shareBoxes,
} from "../walk/boxes.js";
import { boxesToVisit } from "../walk/visit.js";
import { Callbacks, fetchOptions, toExactNumber } from "./array-copy.js";
import { badOption, filePath } from "./destination.js";
import { loadNode, node } from "./host.js";
import { type FoundNodes, findNodes, metadataProblem } from "./nodes.js";
import {
  checkPart,
  checkVerifyOptions,
  type SourceOptions,
  sourceOptions,
  type VerifyOptions,
  type VerifyProblem,
  type VerifyResult,
} from "./options.js";
import { placeOfStore } from "./places.js";
import { findLeftovers } from "./scratch.js";

/** Limit for the problems that a result lists. */
const maxListed = 10_000;

/**
 * Decodes every chunk of an array, or of a group with everything below it, and compares consolidated metadata with the
 * documents of the nodes. Problems do not end the verification: they are in the result.
 * @param source URL or store, as for `open`.
 * @throws InvalidArgument ("bad-option"); what `open` throws for the node at the path; Unsupported ("no-listing"); the reason
 *   of the signal.
 */
export async function verify(source: Source, options: VerifyOptions = {}): Promise<VerifyResult> {
  checkVerifyOptions(options);
  const { clean = false, onProblem, onProgress } = options;
  const callbacks = new Callbacks(options.signal, [onProblem, onProgress]);
  const { signal } = callbacks;
  const part = checkPart(options.part);
  // Only the first part checks documents and leftovers.
  const isFirst = !part || part.index === 0;
  signal?.throwIfAborted();
  const folder = await verifiedFolder(source, options.path);
  if (clean && folder === undefined) throw badOption("`clean` requires a folder");
  const problems = new Problems(callbacks, onProblem);
  const found = await collectNodes(source, { ...options, signal });
  for (const message of found.warnings) options.onWarning?.({ code: "stale-consolidated", message });
  if (isFirst) for (const problem of found.problems) problems.add(problem);
  const counts = await verifyArrays(found.arrays, part, problems, { ...options, signal });
  const leftovers = folder !== undefined && isFirst ? await findLeftovers(folder, clean) : undefined;
  await callbacks.settle();
  const { count: problemCount, list } = problems;
  return {
    arrays: found.arrays.length,
    groups: found.groups,
    ...counts,
    problemCount,
    problems: list,
    leftovers,
  };
}

/** Path of the folder that is verified; undefined for other sources. */
async function verifiedFolder(source: Source, below = ""): Promise<string | undefined> {
  if (!(await loadNode())) return undefined;
  const { fs, path } = node();
  const isPlace = typeof source === "string" || source instanceof URL;
  const text = isPlace ? String(source) : isStore(source) ? placeOfStore(source) : undefined;
  if (text === undefined || /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(text)) return undefined;
  const root = /^file:/i.test(text) ? filePath(text) : text;
  const folder = path.join(root, below);
  const info = await fs.promises.stat(folder).catch(() => undefined);
  return info?.isDirectory() ? folder : undefined;
}

async function collectNodes(source: Source, options: VerifyOptions): Promise<FoundNodes> {
  const unlisted: VerifyProblem[] = [];
  const onWarning: VerifyOptions["onWarning"] = (warning) => {
    // Listings omit members whose metadata cannot be read.
    if (warning.code !== "bad-member") options.onWarning?.(warning);
    else
      unlisted.push(
        metadataProblem(/"\/(.*)" is left out/.exec(warning.message)?.[1] ?? "", warning.message),
      );
  };
  const found = await findNodes(
    await open(source, { ...pickOptions<SourceOptions>(options, sourceOptions), onWarning }),
    options.v1Order,
  );
  found.problems.unshift(...unlisted);
  return found;
}

/** Counts problems, lists the first ones, and passes them on. */
class Problems {
  readonly list: VerifyProblem[] = [];
  count = 0;
  /** Error thrown by a callback of the caller. */
  failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly callbacks: Callbacks,
    private readonly onProblem: VerifyOptions["onProblem"],
  ) {}

  add(problem: VerifyProblem): void {
    this.count++;
    if (this.list.length < maxListed) this.list.push(problem);
    this.call(() => this.onProblem?.(problem));
  }

  /** Calls a callback of the caller. An error that it throws ends the verification; it is not reported as a problem of the data. */
  call(callback: () => unknown): void {
    try {
      this.callbacks.call(callback);
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }
}

/** The stored objects of an array that are visited. */
interface ArrayShare {
  readonly array: ZarrArray;
  readonly boxes: readonly ObjectBox[];
  /** Number of chunks that are not visited because they are not stored. */
  readonly left: bigint;
}

async function shareFor(array: ZarrArray, part: ShareIndex | undefined, index: number): Promise<ArrayShare> {
  const { reader } = array;
  const objects = reader.objectAxes.map((axis) => axis.count);
  const own = shareBoxes(objects, part, index);
  const count = own.reduce((sum, box) => sum + exactCount(box), 0n);
  const objectBox = (object: readonly number[]) => ({ from: object, to: object.map((at) => at + 1) });
  const cell = reader.objectAxes.map(() => 1);
  const boxes = await boxesToVisit({
    boxes: own,
    cell,
    sources: [{ array, count, cellsHolding: objectBox }],
  });
  return { array, boxes, left: chunksIn(own, reader) - chunksIn(boxes, reader) };
}

const decodedChunkBytes = ({ chunkShape, dtype }: ZarrArray): bigint =>
  exactProduct(chunkShape) * BigInt(dtype.itemBytes || 128);

/** Verifies a share of each array. Chunks that are not visited because they are not stored count as missing. */
async function verifyArrays(
  arrays: readonly ZarrArray[],
  part: ShareIndex | undefined,
  problems: Problems,
  { onProgress, signal }: VerifyOptions,
): Promise<Pick<VerifyResult, "chunks" | "missing" | "bytes" | "bytesRead">> {
  const shares: ArrayShare[] = [];
  for (const [i, array] of arrays.entries()) {
    try {
      shares.push(await shareFor(array, part, i));
    } catch (error) {
      const key = `/${array.path}`;
      problems.add({ path: array.path, key, tag: "LimitExceeded", reason: messageOf(error) });
    }
  }
  const bytesIn = ({ array, boxes }: ArrayShare) => chunksIn(boxes, array.reader) * decodedChunkBytes(array);
  const totalBytes = shares.reduce((sum, share) => sum + Number(bytesIn(share)), 0);
  let done = 0;
  const onBytes = (size: number) => {
    done += size;
    problems.call(() => onProgress?.({ bytes: done, totalBytes }));
  };
  const findings: Findings = { chunks: 0, missing: 0, bytesRead: 0, problems, onBytes, signal };
  let [left, bytes] = [0n, 0n];
  for (const share of shares) {
    await verifyArray(share.array, share.boxes, findings);
    left += share.left;
    bytes += bytesIn(share) + share.left * decodedChunkBytes(share.array);
  }
  const { chunks, missing, bytesRead } = findings;
  return {
    chunks: toExactNumber(BigInt(chunks) + left),
    missing: toExactNumber(BigInt(missing) + left),
    bytes: toExactNumber(bytes),
    bytesRead,
  };
}

interface Findings {
  chunks: number;
  /** Chunks that are not stored. */
  missing: number;
  bytesRead: number;
  readonly problems: Problems;
  /** Called with the decoded bytes of each chunk. */
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal | undefined;
}

/** Approximate limit for the chunks that are decoded at a time, in bytes. */
const memory = 64 * 2 ** 20;

/** Decodes the chunks in boxes of stored objects. @throws the reason of the signal, and what callbacks throw. */
async function verifyArray(array: ZarrArray, boxes: readonly ObjectBox[], findings: Findings): Promise<void> {
  const { signal } = findings;
  const chunkBytes = Number(decodedChunkBytes(array));
  const lanes = lanesFor(chunkBytes, memory);
  const onBytes = (bytes: number) => {
    findings.bytesRead += bytes;
  };
  const coalescing = { ...defaultCoalescing, maxBytes: 2 ** 23 };
  const visitor = new ObjectVerifier(array, chunkBytes, findings);
  const fetching = fetchOptions(lanes, { signal, coalescing, onBytes });
  await inLanes(objectsIn(boxes), Math.min(lanes, 8), (object) => visitor.visit(object, fetching), signal);
}

/** Verifies stored objects of an array. */
class ObjectVerifier {
  readonly #decoder = new Decoder();

  constructor(
    private readonly array: ZarrArray,
    private readonly chunkBytes: number,
    private readonly findings: Findings,
  ) {}

  async visit(object: readonly number[], fetching: ReturnType<typeof fetchOptions>): Promise<void> {
    const { reader } = this.array;
    const { findings } = this;
    const tasks = chunkTasks(reader, object);
    let seen = 0;
    try {
      await reader.readObject(object, taskList(tasks), fetching, async ({ task, codec, encoded }) => {
        seen++;
        findings.chunks++;
        findings.onBytes(this.chunkBytes);
        if (encoded) await this.#decode(codec, encoded, object, task.coordinates);
        else findings.missing++;
      });
    } catch (error) {
      findings.signal?.throwIfAborted();
      if (findings.problems.failure) throw findings.problems.failure.error;
      findings.chunks += tasks.length - seen;
      this.#add(error, object);
    }
  }

  async #decode(
    codec: LeafChunkCodec,
    encoded: Uint8Array,
    object: readonly number[],
    chunk: readonly number[],
  ): Promise<void> {
    try {
      await this.#decoder.decode(codec, encoded);
    } catch (error) {
      this.#add(error, object, chunk);
    } finally {
      releaseBytes(encoded);
    }
  }

  #add(error: unknown, object: readonly number[], chunk?: readonly number[]): void {
    const { path, reader } = this.array;
    const tag = isZarrError(error) ? error._tag : "Error";
    const key = reader.objectKey(object);
    this.findings.problems.add({ path, key, ...(chunk && { chunk }), tag, reason: messageOf(error) });
  }
}

function chunkTasks({ axes, objectAxes }: ArrayReader, object: readonly number[]) {
  const elements = elementBox({ from: object, to: object.map((at) => at + 1) }, objectAxes);
  return [...positionsIn(cellBox(elements, axes))].map((coordinates) => ({ coordinates }));
}

/** Decodes chunks into memory that all of them share. */
class Decoder {
  #out = new Uint8Array(0);

  async decode(codec: LeafChunkCodec, encoded: Uint8Array): Promise<void> {
    const any: ChunkCodec = codec;
    if (codec.type === "vlen") {
      await withSession(any, (session) => void any.decode(session, encoded));
      return;
    }
    const bytes = codec.plan.decodedBytes;
    if (this.#out.byteLength < bytes) this.#out = new Uint8Array(bytes);
    const out = this.#out.subarray(0, bytes);
    await withSession(any, (session) => any.decodeInto(session, encoded, out));
  }
}
