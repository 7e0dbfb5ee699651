// Damaged Icechunk repositories: every byte of every metadata file changed, files cut at every length. The
// result is a typed error or a region; never a crash, a hang, or more memory than the limit.
import { expect, it } from "vitest";
import { get, isZarrError, open, ZarrError } from "zarr-wasm";
import { IcechunkStore } from "zarr-wasm/formats";
import { containersOfYaml, readFlexBuffer } from "#src/formats/icechunk/containers.js";
import { expanderWith, expandZstd } from "#src/formats/icechunk/format.js";
import { Zstd } from "#src/numcodecs.js";
import { idOf, idText, metadataFile, repoFile } from "../../shared/icechunk-writer.mjs";
import { type Objects, plainValues, repository, snapshotIds } from "../support/icechunk-repository.js";
import { randomBytes } from "../support/support.js";

const keys = ["/repo", `/snapshots/${snapshotIds[2]}`, `/manifests/${idText(idOf(50))}`];
const limits = { chunkBytes: 2 ** 20, metadataBytes: 2 ** 20, resultBytes: 2 ** 20, readChunks: 1000 };

/** Result of reading a repository: "right", "other", or an error's tag. Other errors are thrown. */
async function outcome(objects: Objects): Promise<string> {
  try {
    const store = await IcechunkStore.open(objects, { limits: { indexBytes: 2 ** 20 } });
    for await (const _ of store.history());
    store.listChildren("");
    const array = await open(store, { path: "a", kind: "array", limits });
    const { data } = await get(array, null);
    return JSON.stringify([...(data as Uint8Array)]) === JSON.stringify(plainValues) ? "right" : "other";
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return error._tag;
  }
}

const tally = (outcomes: string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of outcomes) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

it("the undamaged repository reads correctly", async () => {
  expect(await outcome(repository())).toBe("right");
});

it.each(keys)("%s: every byte changed, plain", { timeout: 60_000 }, async (key) => {
  const objects = repository();
  const whole = objects.get(key)!;
  const outcomes: string[] = [];
  for (let at = 0; at < whole.length; at++) {
    for (const change of [1 << (at % 8), 0xff]) {
      const bytes = whole.slice();
      bytes[at]! ^= change;
      outcomes.push(await outcome(objects.set(key, bytes)));
    }
  }
  const { InvalidMetadata = 0 } = tally(outcomes);
  expect(InvalidMetadata).toBeGreaterThan(whole.length / 4);
  // There are no checksums: changed values, coordinates or array metadata can give other data.
  expect(outcomes).not.toContain("EngineFailed");
});

it.each(keys)("%s: every byte changed, compressed", { timeout: 60_000 }, async (key) => {
  const zstd = new Zstd(3);
  const files = new Map<string, Uint8Array>();
  for (const [name, bytes] of repository()) {
    const isMetadata = /^\/(repo|snapshots|manifests)/.test(name);
    if (!isMetadata) files.set(name, bytes);
    else {
      const type = name === "/repo" ? "repo" : name.startsWith("/snap") ? "snapshot" : "manifest";
      const frame = await zstd.encode(bytes.subarray(39));
      files.set(name, metadataFile(type, bytes.subarray(39), { compress: () => frame }));
    }
  }
  expect(await outcome(files)).toBe("right");
  const whole = files.get(key)!;
  const outcomes: string[] = [];
  for (let at = 0; at < whole.length; at++) {
    const bytes = whole.slice();
    bytes[at]! ^= 1 << (at % 8);
    outcomes.push(await outcome(files.set(key, bytes)));
  }
  expect(tally(outcomes)["InvalidMetadata"]).toBeGreaterThan(0);
});

it.each(keys)("%s: cut at every length", { timeout: 60_000 }, async (key) => {
  const objects = repository();
  const whole = objects.get(key)!;
  for (let length = 0; length < whole.length - 1; length++) {
    const name = await outcome(objects.set(key, whole.subarray(0, length)));
    // The last list may lose trailing bytes that the read does not need.
    if (length < whole.length - 16) expect(["InvalidMetadata", "right"], `${length} bytes`).toContain(name);
  }
  expect(await outcome(objects.set(key, whole.subarray(0, 39)))).toBe("InvalidMetadata");
});

it("counts the decompressed size of a frame before it allocates memory for it", async () => {
  const zeros = new Uint8Array(2 ** 26);
  const frame = await new Zstd(3).encode(zeros);
  const error = await expandZstd(frame, 2 ** 25).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ZarrError);
  expect((error as ZarrError)._tag).toBe("LimitExceeded");
  expect((await expandZstd(frame, 2 ** 26)).byteLength).toBe(2 ** 26);
  const file = metadataFile("repo", zeros, { compress: () => frame });
  const opened = IcechunkStore.open(new Map([["/repo", file]]), { limits: { indexBytes: 2 ** 20 } });
  expect(await opened.catch((cause: ZarrError) => cause._tag)).toBe("LimitExceeded");
});

it("takes exactly one frame, to its end", async () => {
  const content = randomBytes(2 ** 21);
  const frame = await new Zstd(1).encode(content);
  expect(frame.length).toBeGreaterThan(2 ** 20); // the way of large ones
  expect(Buffer.compare(await expandZstd(frame, 2 ** 22), content)).toBe(0);
  const trouble = (bytes: Uint8Array) => expandZstd(bytes, 2 ** 22).catch((cause: ZarrError) => cause.code);
  expect(await trouble(frame.subarray(0, frame.length - 1))).toBe("truncated");
  const twice = new Uint8Array(frame.length + 1);
  twice.set(frame);
  expect(await trouble(twice)).toBe("trailing-bytes");
  expect(await trouble(new Uint8Array(100))).toBe("bad-header");
});

it("refuses invalid dictionaries", async () => {
  const frame = await new Zstd(1).encode(new Uint8Array(10));
  for (const dictionary of [
    Uint8Array.of(1, 2, 3),
    Uint8Array.of(0x37, 0xa4, 0x30, 0xec, 1, 0, 0, 0, 9, 9, 9),
  ]) {
    const expand = await expanderWith(dictionary);
    expect(() => expand(frame, 100)).toThrow(ZarrError);
  }
});

it("reads FlexBuffers of any bytes, or refuses them", () => {
  for (let i = 0; i < 20_000; i++) {
    const bytes = randomBytes(i % 40, i).map((byte) => (i % 2 ? byte : byte % 50));
    try {
      readFlexBuffer(bytes, "config");
    } catch (error) {
      expect(isZarrError(error, "InvalidMetadata")).toBe(true);
    }
  }
});

/** A FlexBuffer: a list of values of one type (4 key, 5 string) that all refer to the same string. */
function repeatedText(type: number, count: number, length: number): Uint8Array {
  const start = 4 * Math.ceil((4 + length + 1) / 4) + 4;
  const bytes = new Uint8Array(start + 5 * count + 6);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  bytes.fill(97, 4, 4 + length);
  view.setUint32(start - 4, count, true);
  for (let i = 0; i < count; i++) {
    view.setUint32(start + 4 * i, start + 4 * i - 4, true);
    bytes[start + 4 * count + i] = (type << 2) | 2;
  }
  view.setUint32(start + 5 * count, 5 * count, true);
  bytes.set([(10 << 2) | 2, 4], start + 5 * count + 4);
  return bytes;
}

it.each([4, 5])("refuses FlexBuffers that expand to far more text than they contain (type %d)", (type) => {
  expect(readFlexBuffer(repeatedText(type, 2, 3), "config")).toEqual(["aaa", "aaa"]);
  expect(() => readFlexBuffer(repeatedText(type, 50_000, 60_000), "config")).toThrow(ZarrError);
});

it("reads a line of a configuration in one pass", () => {
  const line = `  name: a${" ".repeat(2 ** 19)}b\n  url_prefix: s3://a/   \n`;
  expect([...containersOfYaml(new TextEncoder().encode(line)).values()]).toEqual(["s3://a/"]);
});

it("quickly opens a repository with many refs and snapshots", async () => {
  const snapshots = Array.from({ length: 20_000 }, (_, i) => ({ id: idOf(1000 + i), parent: i - 1 }));
  const objects = repository();
  snapshots.push({ id: idOf(13), parent: 19_999 });
  objects.set("/repo", repoFile({ snapshots, branches: [{ name: "main", index: 20_000 }] }));
  expect(await outcome(objects)).toBe("right");
});
