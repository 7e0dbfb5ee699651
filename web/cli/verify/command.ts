/** `zarr-wasm verify`: decodes everything, and says what is bad. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { ZarrArray } from "zarr-wasm";
import { chunksIn, exactCount } from "../copy/boxes.js";
import { type ObjectBox, type Part, parsePart, productOf, shareOf } from "../part.js";
import { isUrl, pathOf } from "../places.js";
import { messageOf } from "../printable.js";
import { progressLine, sizeText } from "../progress.js";
import { boxesToVisit } from "../stored-boxes.js";
import { exactNumber, note, printSummary } from "../summary.js";
import { openSource, UsageError, type Values } from "../usage.js";
import { type Bad, type Findings, verifyArray } from "./array.js";
import { findLeftovers, leftoversText } from "./leftovers.js";
import { badMetadata, type Found, findNodes } from "./nodes.js";

/** Most bad chunks that `--json` lists. */
const maxListed = 10_000;

export async function runVerify(source: string, values: Values): Promise<number> {
  const part = values.part === undefined ? undefined : parsePart(values.part);
  const clean = values.clean ?? false;
  const folder = await folderOf(source, values);
  if (clean && folder === undefined) throw new UsageError("--clean is for folders");
  const start = performance.now();
  const report = new Report(values.json ?? false);
  const found = await nodesOf(source, values);
  for (const warning of found.warnings) note(`warning: ${warning}`);
  // What is no part's share is one part's.
  const isFirst = !part || part.index === 0;
  if (isFirst) for (const one of found.bad) report.add(one);
  const { chunks, missing, bytes, bytesRead } = await verifyArrays(found.arrays, part, report);
  const unfinished = folder && isFirst ? await findLeftovers(folder, clean) : undefined;
  const seconds = Number(((performance.now() - start) / 1000).toPrecision(6));
  const { count: bad, list } = report;
  const facts = {
    source,
    arrays: found.arrays.length,
    groups: found.groups,
    chunks: exactNumber(chunks),
    missing: exactNumber(missing),
    bytes: exactNumber(bytes),
    bytesRead,
    seconds,
  };
  printSummary(values.json, { ...facts, badCount: bad, bad: list, unfinished }, [
    `${counted(found.arrays.length, "array")}, ${counted(found.groups, "group")}: ${chunks} chunks (${missing} not stored), ${sizeText(Number(bytes))} in ${seconds.toFixed(2)} s; ${bad === 0 ? "all good" : `${bad} bad`}`,
  ]);
  const remark = unfinished && leftoversText(unfinished, clean);
  if (remark) note(`${source}: ${remark}`);
  if (bad > 0) note(`${source}: ${bad} of ${chunks} chunks and documents are bad`);
  return bad === 0 ? 0 : 1;
}

async function nodesOf(source: string, values: Values): Promise<Found> {
  const unlisted: Bad[] = [];
  const onWarning = ({ code, message }: { code: string; message: string }) => {
    // Members whose metadata cannot be read are left out where members are listed.
    if (code === "bad-member")
      unlisted.push(badMetadata(/"\/(.*)" is left out/.exec(message)?.[1] ?? "", message));
    else note(`warning: ${message}`);
  };
  const root = await openSource(source, values, { onWarning }, values.bucket);
  const found = await findNodes(root, values["v1-order"] as "spec" | "writer" | undefined);
  found.bad.unshift(...unlisted);
  return found;
}

/** What is bad: counted, listed, and printed at once unless the summary is JSON. */
class Report {
  readonly line = progressLine("verifying");
  readonly list: Bad[] = [];
  count = 0;

  constructor(private readonly isJson: boolean) {}

  add(bad: Bad): void {
    this.count++;
    if (this.list.length < maxListed) this.list.push(bad);
    if (this.isJson) return;
    this.line.clear();
    const { key, chunk, tag, reason } = bad;
    const place = chunk ? `${key} (chunk ${chunk.join(", ")})` : key;
    printSummary(false, {}, [`bad: ${place}: ${tag}: ${reason}`]);
  }
}

/** Verifies a share of each array. Chunks that are not stored, and so were not visited, count as well. */
async function verifyArrays(arrays: readonly ZarrArray[], part: Part | undefined, report: Report) {
  const { line } = report;
  const shares: Share[] = [];
  for (const [i, array] of arrays.entries()) {
    try {
      shares.push(await shareFor(array, part, i));
    } catch (error) {
      report.add({ path: array.path, key: `/${array.path}`, tag: "LimitExceeded", reason: messageOf(error) });
    }
  }
  const bytesIn = ({ array, boxes }: Share) => chunksIn(boxes, array.reader) * chunkBytesOf(array);
  line.total(shares.reduce((sum, share) => sum + Number(bytesIn(share)), 0));
  const findings: Findings = {
    ...{ chunks: 0, missing: 0, bytesRead: 0 },
    onBad: (bad) => report.add(bad),
    onBytes: (size) => line.add(size),
  };
  let [left, bytes] = [0n, 0n];
  for (const share of shares) {
    await verifyArray(share.array, share.boxes, findings);
    left += share.left;
    bytes += bytesIn(share) + share.left * chunkBytesOf(share.array);
  }
  line.clear();
  const { chunks, missing, bytesRead } = findings;
  return { chunks: BigInt(chunks) + left, missing: BigInt(missing) + left, bytes, bytesRead };
}

/** The folder that is verified; undefined for sources of another kind. */
async function folderOf(source: string, { path: below = "" }: Values): Promise<string | undefined> {
  const name = pathOf(source);
  if (isUrl(name)) return undefined;
  const folder = path.join(name, below);
  return (await stat(folder).catch(() => undefined))?.isDirectory() ? folder : undefined;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What is visited of an array. */
interface Share {
  readonly array: ZarrArray;
  readonly boxes: readonly ObjectBox[];
  /** Chunks that are not visited, because they are not stored. */
  readonly left: bigint;
}

async function shareFor(array: ZarrArray, part: Part | undefined, index: number): Promise<Share> {
  const { reader } = array;
  const own = shareOf(
    reader.objectAxes.map((axis) => axis.count),
    part,
    index,
  );
  const count = own.reduce((sum, box) => sum + exactCount(box), 0n);
  const cellsOf = (object: readonly number[]) => ({ from: object, to: object.map((at) => at + 1) });
  const cell = reader.objectAxes.map(() => 1);
  const boxes = await boxesToVisit({ boxes: own, cell, sources: [{ array, count, cellsOf }] });
  return { array, boxes, left: chunksIn(own, reader) - chunksIn(boxes, reader) };
}

const chunkBytesOf = ({ chunkShape, dtype }: ZarrArray): bigint =>
  productOf(chunkShape) * BigInt(dtype.itemBytes || 128);
