/** The links of a group: in a symbol table, in the header, or in a fractal heap. Spec: HDF5 File Format Specification, IV.A.2. */

import { inSlices, type Steps, sortSteps } from "../../util/slices.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import { BTree1, groupNodes } from "./btree1.js";
import { Budget, checkSignature, checkVersion, type HdfFile } from "./file.js";
import { denseObjects } from "./fractal-heap.js";
import { messageType, type ObjectHeader } from "./header.js";

export type Link =
  | { readonly kind: "hard"; readonly address: number }
  | { readonly kind: "soft"; readonly path: string }
  /** A link to another file, or of a kind of the user. */
  | { readonly kind: "external" | "user"; readonly path: string };

interface NamedLink {
  readonly name: string;
  /** Undefined if the order is not tracked. */
  readonly order: number | undefined;
  readonly link: Link;
}

/** Returns the links in the order of the file: of creation if it is tracked, else by name. */
export async function readLinks(
  file: HdfFile,
  { messages }: ObjectHeader,
): Promise<ReadonlyMap<string, Link>> {
  const found: NamedLink[] = [];
  const add = (links: readonly NamedLink[]) => {
    for (const named of links) found.push(named);
  };
  const { limits, name } = file.context;
  // Many links can have the same bytes as their names.
  const budget = new Budget(limits.metadataBytes, `${name} has a group above the limit of links`);
  for (const { type, bytes } of messages) {
    const cursor = new Cursor(bytes, "a group");
    if (type === symbolTable) add(await tableLinks(file, cursor, budget));
    else if (type === link) add([readLink(file, cursor, budget)]);
    else if (type === linkInfo) add(await denseLinks(file, cursor, budget));
  }
  return inSlices(inOrder(found));
}

/** Links between two points where the work may pause. */
const pause = 2 ** 12;

function* inOrder(found: readonly NamedLink[]): Steps<ReadonlyMap<string, Link>> {
  const byName = new Map<string, Link>();
  const byOrder = new Map<number, NamedLink>();
  for (const [i, named] of found.entries()) {
    if (i % pause === pause - 1) yield;
    byName.set(named.name, named.link);
    if (named.order !== undefined) byOrder.set(named.order, named);
  }
  const isTracked = byOrder.size === found.length;
  const sorted = new Map<string, Link>();
  const names = isTracked
    ? (yield* sortSteps([...byOrder.keys()])).map((order) => byOrder.get(order)!.name)
    : yield* sortSteps([...byName.keys()]);
  for (const [i, name] of names.entries()) {
    if (i % pause === pause - 1) yield;
    sorted.set(name, byName.get(name)!);
  }
  return sorted;
}

/** Memory of a link without its name. */
const linkBytes = 64;

const { symbolTable, linkInfo, groupInfo, link } = messageType;
const groupMessages: ReadonlySet<number> = new Set([symbolTable, linkInfo, groupInfo, link]);

/** Whether an object is a group. */
export const isGroup = ({ messages }: ObjectHeader): boolean =>
  messages.some(({ type }) => groupMessages.has(type));

async function denseLinks(file: HdfFile, cursor: Cursor, budget: Budget): Promise<NamedLink[]> {
  const links: NamedLink[] = [];
  const afterHash = () => 4;
  for await (const { bytes } of denseObjects(file, cursor, 8, afterHash))
    links.push(readLink(file, new Cursor(bytes!, "a link"), budget));
  return links;
}

function readLink(file: HdfFile, cursor: Cursor, budget: Budget): NamedLink {
  budget.spend(linkBytes + cursor.left);
  checkVersion(cursor, 1);
  const flags = cursor.u8();
  const kind = flags & 8 ? cursor.u8() : 0;
  const order = flags & 4 ? Number(cursor.big64()) : undefined;
  if (flags & 0x10) cursor.skip(1);
  const name = cursor.text(cursor.uint(2 ** (flags & 3)));
  return { name, order, link: readTarget(file, cursor, kind) };
}

function readTarget(file: HdfFile, cursor: Cursor, kind: number): Link {
  if (kind === 0) return hardLink(file.address(cursor), cursor.what);
  const value = cursor.take(cursor.u16());
  if (kind === 1) return { kind: "soft", path: textOf(value) };
  return kind === 64
    ? { kind: "external", path: textOf(value.subarray(1)) }
    : { kind: "user", path: String(kind) };
}

function hardLink(address: number | undefined, what: string): Link {
  if (address === undefined) throw badFile(`${what} links to an undefined address`);
  return { kind: "hard", address };
}

/** Reads a symbol table: a B-tree of tables whose names are in a local heap. */
async function tableLinks(file: HdfFile, cursor: Cursor, budget: Budget): Promise<NamedLink[]> {
  const [tree, heapAddress] = [file.address(cursor), file.address(cursor)];
  if (tree === undefined || heapAddress === undefined) throw badFile(`${cursor.what} has no symbol table`);
  const names = await localHeap(file, heapAddress);
  const links: NamedLink[] = [];
  const tables = new BTree1(file, tree, groupNodes, file.lengthBytes);
  for await (const { address } of tables.leaves()) {
    await file.turn();
    for (const named of await readTable(file, address, names, budget)) links.push(named);
  }
  return links;
}

async function readTable(
  file: HdfFile,
  address: number,
  names: Uint8Array,
  budget: Budget,
): Promise<NamedLink[]> {
  const head = await file.cursor(address, 8, "symbol table");
  checkSignature(head, "SNOD");
  checkVersion(head, 1);
  head.skip(1);
  const count = head.u16();
  const entryBytes = file.lengthBytes + file.offsetBytes + 24;
  const cursor = await file.cursor(address + 8, count * entryBytes, "symbol table");
  return Array.from({ length: count }, () => {
    const name = nameAt(cursor, names, cursor.uint(file.lengthBytes), budget);
    const target = file.address(cursor);
    const cacheType = cursor.u32();
    cursor.skip(4);
    const scratch = new Cursor(cursor.take(16), cursor.what);
    const link: Link =
      cacheType === 2
        ? { kind: "soft", path: nameAt(cursor, names, scratch.u32(), budget) }
        : hardLink(target, cursor.what);
    return { name, order: undefined, link };
  });
}

function nameAt({ what }: Cursor, names: Uint8Array, offset: number, budget: Budget): string {
  const end = names.indexOf(0, offset);
  if (!(offset < names.byteLength && end >= 0)) throw badFile(`${what} has a name outside its heap`);
  budget.spend(linkBytes + end - offset);
  return textOf(names.subarray(offset, end));
}

/** Reads the data of a local heap. */
async function localHeap(file: HdfFile, address: number): Promise<Uint8Array> {
  const head = await file.cursor(address, 8 + 2 * file.lengthBytes + file.offsetBytes, "local heap");
  checkSignature(head, "HEAP");
  checkVersion(head, 0);
  head.skip(3);
  const size = head.uint(file.lengthBytes);
  head.skip(file.lengthBytes);
  const data = file.address(head);
  if (data === undefined) throw badFile(`${head.what} has no data`);
  return file.read(data, size);
}
