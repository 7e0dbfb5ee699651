// TIFF files: number of requests, lists of pages that are long, far apart or cyclic, and stacks without pages.
import { describe, expect, it } from "vitest";
import { get, open, slice, type ZarrArray } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";

type Tag = readonly [tag: number, type: number, count: number, value: number];

const widths: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 16: 8 };

/** Writes tags of a page of a little-endian file. @returns the end. */
function writePage(view: DataView, at: number, tags: readonly Tag[], next: number): number {
  view.setUint16(at, tags.length, true);
  for (const [i, [tag, type, count, value]] of tags.entries()) {
    const place = at + 2 + 12 * i;
    view.setUint16(place, tag, true);
    view.setUint16(place + 2, type, true);
    view.setUint32(place + 4, count, true);
    if (count === 1 && widths[type] === 2) view.setUint16(place + 8, value, true);
    else view.setUint32(place + 8, value, true);
  }
  view.setUint32(at + 2 + 12 * tags.length, next, true);
  return at + 6 + 12 * tags.length;
}

const header = (bytes: Uint8Array): DataView => {
  bytes.set([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  return new DataView(bytes.buffer);
};

/** Tags of an uncompressed page of 8 bits in one strip. */
const plain = (width: number, height: number, offset: number): Tag[] => [
  [256, 3, 1, width],
  [257, 3, 1, height],
  [258, 3, 1, 8],
  [273, 4, 1, offset],
  [279, 4, 1, width * height],
];
const pageSize = 6 + 12 * plain(1, 1, 0).length;

/** Counts the requests for a file. */
class CountedBlob extends Blob {
  requests = 0;
  bytes = 0;
  override slice(start = 0, end = this.size): Blob {
    this.requests++;
    this.bytes += end - start;
    return super.slice(start, end);
  }
}

const arrayAt = async (source: Blob | Uint8Array, path = ""): Promise<ZarrArray> =>
  open(await ArrayFileStore.open(source), { path, kind: "array" });

/** A file of pages, whose chain goes from each page to the one that `next` returns. */
function pages(
  count: number,
  distance: number,
  next = (i: number) => (i + 1 < count ? i + 1 : -1),
): Uint8Array {
  const bytes = new Uint8Array(8 + count * distance);
  const view = header(bytes);
  for (let i = 0; i < count; i++) {
    const at = 8 + i * distance;
    const following = next(i);
    bytes.fill(i + 1, at + pageSize, at + pageSize + 16);
    writePage(view, at, plain(4, 4, at + pageSize), following < 0 ? 0 : 8 + following * distance);
  }
  return bytes;
}

describe("pages", () => {
  it("are found if there are 100 000", async () => {
    const store = await ArrayFileStore.open(pages(100_000, pageSize + 16));
    expect(await store.listChildren("")).toHaveLength(100_000);
    const array = await open(store, { path: "99999", kind: "array" });
    expect((await get(array)).data).toEqual(new Uint8Array(16).fill(100_000 % 256));
  });

  it("are limited in number", async () => {
    const bytes = new Uint8Array(8 + (2 ** 20 + 1) * 6);
    const view = header(bytes);
    for (let at = 8; at < bytes.length; at += 6) writePage(view, at, [], at + 6 < bytes.length ? at + 6 : 0);
    await expect(ArrayFileStore.open(bytes)).rejects.toMatchObject({ _tag: "LimitExceeded" });
  });

  it("end at a cycle, with a warning", async () => {
    const codes: string[] = [];
    const onWarning = ({ code }: { code: string }) => codes.push(code);
    const store = await ArrayFileStore.open(
      pages(3, pageSize + 16, (i) => (i + 1) % 3),
      { onWarning },
    );
    expect(await store.listChildren("")).toEqual(["0", "1", "2"]);
    expect(codes).toContain("bad-page");
  });

  it("are read in parallel if they are far apart", async () => {
    const blob = new CountedBlob([pages(40, 2 ** 20) as BlobPart]);
    const store = await ArrayFileStore.open(blob);
    expect(await store.listChildren("")).toHaveLength(40);
    expect(blob.requests).toBeLessThanOrEqual(40);
    expect(blob.bytes).toBeLessThan(40 * 2 ** 17);
  });
});

it("reads only the needed parts of long lists of tiles", async () => {
  const across = 1000;
  const count = across * across;
  const lists = 8 + 6 + 12 * 8;
  const bytes = new Uint8Array(lists + 8 * count + 256);
  const view = header(bytes);
  const data = lists + 8 * count;
  writePage(
    view,
    8,
    [
      [256, 4, 1, 16 * across],
      [257, 4, 1, 16 * across],
      [258, 3, 1, 8],
      [259, 3, 1, 1],
      [322, 3, 1, 16],
      [323, 3, 1, 16],
      [324, 4, count, lists],
      [325, 4, count, lists + 4 * count],
    ],
    0,
  );
  for (let i = 0; i < count; i++) {
    view.setUint32(lists + 4 * i, data, true);
    view.setUint32(lists + 4 * (count + i), 256, true);
  }
  bytes.fill(9, data);
  const blob = new CountedBlob([bytes]);
  const array = await arrayAt(blob);
  expect(blob.requests).toBe(1);
  const { data: values } = await get(array, [slice(8000, 8002), slice(8000, 8002)]);
  expect(values).toEqual(new Uint8Array(4).fill(9));
  expect(blob.requests).toBeLessThanOrEqual(4);
  expect(blob.bytes).toBeLessThan(2 ** 19);
});

it("reads stacks of ImageJ whose images follow the first one", async () => {
  const text = new TextEncoder().encode("ImageJ=1.53\nimages=6\nslices=3\nframes=2\n\0");
  const start = 8 + pageSize + 12;
  const data = start + text.length;
  const bytes = new Uint8Array(data + 6 * 16);
  bytes.set(text, start);
  for (let i = 0; i < 6; i++) bytes.fill(i, data + 16 * i, data + 16 * (i + 1));
  const tags = [...plain(4, 4, data), [270, 2, text.length, start] as Tag];
  writePage(header(bytes), 8, tags, 0);
  const array = await arrayAt(bytes);
  expect([array.shape, array.dimensionNames]).toEqual([
    [2, 3, 4, 4],
    ["t", "z", "y", "x"],
  ]);
  expect((await get(array, [1, 1, 0, 0])).data).toEqual(Uint8Array.of(4));
});
