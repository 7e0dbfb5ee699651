// Files whose small structures claim much: memory stays bounded, and the event loop keeps its turns.
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { open } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";
import { errorOf } from "../support/support.js";

const encoder = new TextEncoder();

/** Runs work and returns how often the event loop had a turn meanwhile. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns++;
  }
  await done;
  return turns;
}

it.each([
  ["bytes", (bytes: Buffer) => bytes],
  ["a stored object", (bytes: Buffer) => ({ store: new Map([["/a", bytes]]), key: "/a" })],
] as const)("does not change a Buffer of Node: %s", async (_, sourceOf) => {
  const golden = readFileSync(new URL("../../golden/files/hdf5/dense-False.h5", import.meta.url));
  const bytes = Buffer.from(golden);
  const store = await ArrayFileStore.open(sourceOf(bytes));
  for (const name of await store.listChildren("")) await store.get(`/${name}/zarr.json`);
  await store.get("/zarr.json");
  expect(bytes.equals(golden)).toBe(true);
});

const card = (text: string) => text.padEnd(80);
const fitsHeader = (first: string, cards: readonly string[]) => {
  const text = [first, "BITPIX  =                    8", ...cards, "END"].map(card).join("");
  return encoder.encode(text.padEnd(2880 * Math.ceil(text.length / 2880)));
};
const noAxes = "NAXIS   =                    0";
const emptyImage = ["NAXIS   =                    1", "NAXIS1  =                    0"];

it("FITS: reads a header of 200,000 lines of history in linear time", async () => {
  const lines = Array<string>(200_000).fill("HISTORY a");
  const bytes = fitsHeader("SIMPLE  =                    T", [noAxes, ...lines]);
  let history: unknown;
  const turns = await turnsOf(async () => {
    history = (await open(await ArrayFileStore.open(bytes))).attributes["HISTORY"];
  });
  expect(String(history)).toHaveLength(399_999);
  expect(turns).toBeGreaterThan(2);
});

it("FITS: refuses headers that would fill the memory", async () => {
  const first = fitsHeader("SIMPLE  =                    T", [noAxes]);
  const one = fitsHeader("XTENSION= 'IMAGE   '", emptyImage);
  const bytes = new Uint8Array(first.length + 12_000 * one.length);
  bytes.set(first);
  for (let at = first.length; at < bytes.length; at += one.length) bytes.set(one, at);
  expect(await errorOf(() => ArrayFileStore.open(bytes))).toMatchObject({ _tag: "LimitExceeded" });
});

it.each([
  ["attributes", 12, 12, 4],
  ["dimensions", 10, 8, undefined],
] as const)("NetCDF-3: refuses millions of empty %s", async (_, tag, itemBytes, typeAt) => {
  const count = 10 ** 6;
  const bytes = new Uint8Array(40 + count * itemBytes);
  const view = new DataView(bytes.buffer);
  bytes.set([67, 68, 70, 1]);
  const start = tag === 10 ? 8 : 16;
  view.setUint32(start, tag);
  view.setUint32(start + 4, count);
  for (let i = 0; i < count; i++) {
    if (typeAt === undefined) view.setUint32(start + 8 + i * itemBytes + 4, 1);
    else view.setUint32(start + 8 + i * itemBytes + typeAt, 1);
  }
  expect(await errorOf(() => ArrayFileStore.open(bytes))).toMatchObject({ _tag: "LimitExceeded" });
});

it("HDF5: refuses a header of millions of empty messages", async () => {
  const bytes = new Uint8Array(16 * 10 ** 6);
  const view = new DataView(bytes.buffer);
  bytes.set([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10, 2, 8, 8]);
  view.setBigUint64(20, 2n ** 64n - 1n, true);
  view.setBigUint64(28, BigInt(bytes.length), true);
  view.setBigUint64(36, 48n, true);
  bytes[48] = 1;
  view.setUint32(56, bytes.length - 64, true);
  const error = await errorOf(() => ArrayFileStore.open(bytes));
  expect(error).toMatchObject({ code: "bad-file" });
  expect(String(error)).toContain("too many messages");
});

it("HDF5: refuses millions of paths that a few links form", { timeout: 60_000 }, async () => {
  const golden = new URL("../../golden/files/hdf5/paths.h5", import.meta.url);
  const store = await ArrayFileStore.open(new Uint8Array(readFileSync(golden)));
  const groups = [""];
  const walk = async () => {
    for (const path of groups)
      for (const name of await store.listChildren(path)) groups.push(path === "" ? name : `${path}/${name}`);
  };
  expect(await errorOf(walk)).toMatchObject({ _tag: "LimitExceeded" });
  expect(groups.length).toBeLessThan(2 ** 18);
});

it("HDF5: refuses an attribute of many references to one long string", async () => {
  const [count, textBytes] = [200, 2 ** 20];
  const attributeBytes = 39 + 16 * count;
  const heap = 80 + attributeBytes;
  const bytes = new Uint8Array(heap + 32 + textBytes).fill(97, heap + 32);
  const view = new DataView(bytes.buffer);
  bytes.set([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10, 2, 8, 8]);
  view.setBigUint64(20, 2n ** 64n - 1n, true);
  view.setBigUint64(28, BigInt(bytes.length), true);
  view.setBigUint64(36, 48n, true);
  bytes[48] = 1;
  view.setUint32(56, 16 + attributeBytes, true);
  view.setUint16(64, 0x0a, true); // group info
  view.setUint16(72, 0x0c, true); // attribute
  view.setUint16(74, attributeBytes, true);
  bytes.set([3, 0, 2, 0, 16, 0, 12, 0, 0, 97, 0], 80); // sizes of the parts, name
  bytes.set([0x19, 1, 0, 0, 16, 0, 0, 0, 0x13, 0, 0, 0, 1], 91); // strings of variable length
  bytes.set([2, 1, 0, 1, count], 107);
  for (let at = 119; at < 119 + 16 * count; at += 16) {
    view.setUint32(at, textBytes, true);
    view.setBigUint64(at + 4, BigInt(heap), true);
    view.setUint32(at + 12, 1, true);
  }
  bytes.set([0x47, 0x43, 0x4f, 0x4c, 1], heap);
  view.setBigUint64(heap + 8, BigInt(32 + textBytes), true);
  bytes[heap + 16] = 1;
  view.setBigUint64(heap + 24, BigInt(textBytes), true);
  const store = await ArrayFileStore.open(bytes);
  const error = await errorOf(() => open(store));
  expect(error).toMatchObject({ _tag: "LimitExceeded" });
  expect(String(error)).toContain("attributes of more than 67108864 bytes");
});

type Tag = readonly [tag: number, type: number, count: number, value: number];

/** Returns a TIFF file of consecutive pages, with a string after the last one. */
function tiff(
  count: number,
  tagsOf: (page: number, textAt: number) => readonly Tag[],
  text = "",
): Uint8Array {
  const pageBytes = 6 + 12 * tagsOf(0, 0).length;
  const textAt = 8 + count * pageBytes;
  const bytes = new Uint8Array(textAt + text.length + 16);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0, 8]);
  for (let page = 0, at = 8; page < count; page++) {
    const tags = tagsOf(page, textAt);
    view.setUint16(at, tags.length, true);
    for (const [i, [tag, type, length, value]] of tags.entries()) {
      view.setUint16(at + 2 + 12 * i, tag, true);
      view.setUint16(at + 4 + 12 * i, type, true);
      view.setUint32(at + 6 + 12 * i, length, true);
      view.setUint32(at + 10 + 12 * i, value, true);
    }
    at += pageBytes;
    view.setUint32(at - 4, page + 1 < count ? at : 0, true);
  }
  bytes.set(encoder.encode(text), textAt);
  return bytes;
}

const pixel: readonly Tag[] = [
  [256, 3, 1, 1],
  [257, 3, 1, 1],
  [273, 4, 1, 8],
  [279, 4, 1, 1],
];

it("TIFF: opens a million pages with turns of the event loop", { timeout: 60_000 }, async () => {
  const bytes = tiff(10 ** 6, () => pixel.slice(0, 2));
  const store = await ArrayFileStore.open(bytes);
  let members: readonly string[] = [];
  const turns = await turnsOf(async () => {
    members = await store.listChildren("");
  });
  expect(members).toHaveLength(10 ** 6);
  expect(members.at(-1)).toBe("999999");
  expect(turns).toBeGreaterThan(2);
});

it("TIFF: an image has a bounded number of masks", async () => {
  const bytes = tiff(10_000, (page) => [[254, 4, 1, page === 0 ? 0 : 4], ...pixel]);
  const store = await ArrayFileStore.open(bytes);
  expect((await store.listChildren("")).length).toBeGreaterThan(1);
  expect(await store.listChildren("0")).toEqual(["0", "mask"]);
  expect(await store.listChildren("0/mask")).toHaveLength(128);
});

it("TIFF: pages of thousands of series are images", async () => {
  const text = '{"shape": [1, 1]}';
  const tagsOf = (_: number, at: number): Tag[] => [...pixel.slice(0, 2), [270, 2, text.length, at]];
  const bytes = tiff(3000, (page, at) => [...tagsOf(page, at), ...pixel.slice(2)], text);
  expect(await (await ArrayFileStore.open(bytes)).listChildren("")).toHaveLength(3000);
});

const omeTiff = (images: string) => {
  const text = `<OME>${images}</OME>`;
  return tiff(1, (_, at) => [...pixel.slice(0, 2), [270, 2, text.length, at], ...pixel.slice(2)], text);
};
const pixels = 'Pixels DimensionOrder="XYZCT" SizeT="4000000" SizeC="1" SizeZ="1"';

it("OME-TIFF: opens images in memory that is in proportion to their description", async () => {
  const store = await ArrayFileStore.open(omeTiff(`<Image><${pixels}></Pixels></Image>`.repeat(100)));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 100; i++) await open(store, { path: `${i}/0`, kind: "array" });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 25);
});

it("OME-TIFF: places millions of planes many times over without a loop over them", async () => {
  const runs = '<TiffData PlaneCount="4000000"/>'.repeat(20_000);
  const store = await ArrayFileStore.open(omeTiff(`<Image><${pixels}>${runs}</Pixels></Image>`));
  expect((await open(store, { path: "0", kind: "array" })).shape).toEqual([4_000_000, 1, 1, 1]);
});
