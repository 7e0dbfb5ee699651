/** `zarr-wasm verify`: decodes everything, and says what is bad. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { isZarrError, type OpenedNode, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { cellsOf, countIn, elementsOf } from "../copy/boxes.js";
import { type ObjectBox, parsePart, shareOf } from "../part.js";
import { isUrl, pathOf } from "../places.js";
import { messageOf } from "../printable.js";
import { progressLine, sizeText } from "../progress.js";
import { note, printSummary } from "../summary.js";
import { openSource, UsageError, type Values } from "../usage.js";
import { type Bad, type Findings, verifyArray } from "./array.js";
import { findLeftovers, leftoversText } from "./leftovers.js";

/** Most bad chunks that `--json` lists. */
const maxListed = 10_000;

interface Found {
  readonly arrays: ZarrArray[];
  groups: number;
  readonly metadata: Bad[];
}

export async function runVerify(source: string, values: Values): Promise<number> {
  const part = values.part === undefined ? undefined : parsePart(values.part);
  const clean = values.clean ?? false;
  const folder = await folderOf(source, values);
  if (clean && folder === undefined) throw new UsageError("--clean is for folders");
  const start = performance.now();
  const found: Found = { arrays: [], groups: 0, metadata: [] };
  const onWarning = ({ code, message }: { code: string; message: string }) => {
    // Members whose metadata cannot be read are left out where members are listed.
    if (code === "bad-member")
      found.metadata.push(badMetadata(/"\/(.*)" is left out/.exec(message)?.[1] ?? "", message));
    else note(`warning: ${message}`);
  };
  await collect(await openSource(source, values, { onWarning }, values.bucket), found);
  const line = progressLine("verifying");
  const list: Bad[] = [];
  let bad = 0;
  let bytes = 0;
  const onBad = (one: Bad) => {
    bad++;
    if (list.length < maxListed) list.push(one);
    if (values.json) return;
    line.clear();
    printLine(one);
  };
  const findings: Findings = {
    ...{ chunks: 0, missing: 0, bytesRead: 0, onBad },
    onBytes: (size) => {
      bytes += size;
      line.add(size);
    },
  };
  for (const one of part && part.index > 0 ? [] : found.metadata) onBad(one);
  const shares = found.arrays.map((array, i) => {
    const boxes = shareOf(
      array.reader.objectAxes.map((axis) => axis.count),
      part,
      i,
    );
    return { array, boxes };
  });
  line.total(shares.reduce((sum, share) => sum + bytesOf(share), 0));
  for (const { array, boxes } of shares) await verifyArray(array, boxes, findings);
  line.clear();
  // One part looks for them: they are no part's share.
  const unfinished = folder && !(part && part.index > 0) ? await findLeftovers(folder, clean) : undefined;
  const { chunks, missing, bytesRead } = findings;
  const seconds = Number(((performance.now() - start) / 1000).toPrecision(6));
  const facts = {
    source,
    arrays: found.arrays.length,
    groups: found.groups,
    chunks,
    missing,
    bytes,
    bytesRead,
    seconds,
  };
  printSummary(values.json, { ...facts, badCount: bad, bad: list, unfinished }, [
    `${counted(found.arrays.length, "array")}, ${counted(found.groups, "group")}: ${chunks} chunks (${missing} not stored), ${sizeText(bytes)} in ${seconds.toFixed(2)} s; ${bad === 0 ? "all good" : `${bad} bad`}`,
  ]);
  const left = unfinished && leftoversText(unfinished, clean);
  if (left) note(`${source}: ${left}`);
  if (bad > 0) note(`${source}: ${bad} of ${chunks} chunks and documents are bad`);
  return bad === 0 ? 0 : 1;
}

/** The folder that is verified; undefined for sources of another kind. */
async function folderOf(source: string, { path: below = "" }: Values): Promise<string | undefined> {
  const name = pathOf(source);
  if (isUrl(name)) return undefined;
  const folder = path.join(name, below);
  return (await stat(folder).catch(() => undefined))?.isDirectory() ? folder : undefined;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** All nodes; what cannot be opened is bad. */
async function collect(node: OpenedNode, found: Found): Promise<void> {
  if (node.kind === "array") return void found.arrays.push(node);
  found.groups++;
  for (const { name, path } of await membersOf(node, found)) {
    const member = await node.open(name).catch((error: unknown) => {
      found.metadata.push(badMetadata(path, error));
      return undefined;
    });
    if (member) await collect(member, found);
  }
}

async function membersOf(group: ZarrGroup, found: Found) {
  try {
    return await group.members();
  } catch (error) {
    if (isZarrError(error) && error.code === "no-listing") throw error;
    found.metadata.push(badMetadata(group.path, error));
    return [];
  }
}

const badMetadata = (path: string, error: unknown): Bad => ({
  path,
  key: `/${path}`,
  tag: isZarrError(error) ? error._tag : "InvalidMetadata",
  reason: messageOf(error),
});

function printLine({ key, chunk, tag, reason }: Bad): void {
  const place = chunk ? `${key} (chunk ${chunk.join(", ")})` : key;
  printSummary(false, {}, [`bad: ${place}: ${tag}: ${reason}`]);
}

/** Bytes of the chunks in a share, whole, as they are counted. */
function bytesOf({ array, boxes }: { array: ZarrArray; boxes: readonly ObjectBox[] }): number {
  const { axes, objectAxes } = array.reader;
  const chunkBytes = array.chunkShape.reduce((a, b) => a * b, array.dtype.itemBytes || 128);
  return boxes.reduce(
    (sum, box) => sum + countIn(cellsOf(elementsOf(box, objectAxes), axes)) * chunkBytes,
    0,
  );
}
