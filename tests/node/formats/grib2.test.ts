// GRIB 2 files: lists of messages beside the file, bytes between messages, and damaged files.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, isZarrError, open } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";

const golden = new URL("../../golden/files/grib2/", import.meta.url);
const read = (name: string) => new Uint8Array(readFileSync(new URL(name, golden)));

/** Returns the positions of messages. */
function offsets(bytes: Uint8Array): number[] {
  const found: number[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < bytes.byteLength; at += Number(view.getBigUint64(at + 8))) found.push(at);
  return found;
}

/** A file of more than 1 MiB, whose end is not a message. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const long = new Uint8Array(bytes.byteLength + 2 ** 20);
  long.set(bytes);
  return long;
}

async function openWith(bytes: Uint8Array<ArrayBuffer>, name: string, text: string) {
  const asked: string[] = [];
  const store = await ArrayFileStore.open(new File([bytes], "levels.grib2"), {
    siblings: (path) => {
      asked.push(path);
      return path === name ? new File([text], path) : undefined;
    },
  });
  return { store, asked };
}

const levels = [1000, 850, 500, 250, 10];

describe("lists of messages", () => {
  const bytes = padded(read("levels.grib2"));
  const starts = offsets(read("levels.grib2"));
  const idx = (own: readonly number[]) =>
    own.map((level, i) => `${i + 1}:${starts[i]}:d=2007032312:TMP:${level} mb:anl:`).join("\n");

  it("of wgrib2", async () => {
    const { store, asked } = await openWith(bytes, "levels.grib2.idx", idx(levels));
    const scanned = await ArrayFileStore.open(bytes);
    expect(asked).toEqual(["levels.grib2.idx"]);
    const [found, wanted] = [await open(store, { path: "t" }), await open(scanned, { path: "t" })];
    expect((await get(found as never)).data).toEqual((await get(wanted as never)).data);
  });

  it("of ECMWF", async () => {
    const lines = levels.map((level, i) =>
      JSON.stringify({
        date: "20070323",
        time: "1200",
        step: "0",
        levtype: "pl",
        levelist: `${level}`,
        param: "t",
        _offset: starts[i],
        _length: 1,
      }),
    );
    const { store } = await openWith(bytes, "levels.index", lines.join("\n"));
    expect((await open(store, { path: "t", kind: "array" })).shape).toEqual([5, 4, 6]);
  });

  it("that are wrong are noticed when a chunk is read", async () => {
    const { store } = await openWith(bytes, "levels.grib2.idx", idx([1000, 850, 500, 250, 20]));
    const array = await open(store, { path: "t", kind: "array" });
    await expect(get(array, [0])).resolves.toBeDefined();
    await expect(get(array, [4])).rejects.toThrow(/differs from the index/);
  });

  it.each(["", "no index", "1:0:d=2007032312:TMP:850 mb:anl:", "1:99999999:d=2007032312:TMP:1000 mb:anl:"])(
    "that cannot be used are ignored: %j",
    async (text) => {
      const { store } = await openWith(bytes, "levels.grib2.idx", text);
      expect((await open(store, { path: "t", kind: "array" })).shape).toEqual([5, 4, 6]);
    },
  );
});

describe("damaged files", () => {
  /** A generator of numbers below 2³². */
  function random(seed: number): () => number {
    let state = seed;
    return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  }

  async function readAll(bytes: Uint8Array): Promise<void> {
    const store = await ArrayFileStore.open(bytes);
    const visit = async (path: string): Promise<void> => {
      const node = await open(store, { path });
      if (node.kind === "group") {
        for (const name of await store.listChildren(path))
          await visit(path === "" ? name : `${path}/${name}`);
        return;
      }
      if (node.shape.reduce((product, length) => product * length, 1) < 2 ** 20) await get(node as never);
    };
    await visit("");
  }

  const rounds = Number(process.env["ZARR_WASM_MUTATIONS"] ?? 300);
  it(`${rounds} mutations: typed errors only`, { timeout: rounds * 500 }, async () => {
    const files = [
      "levels.grib2",
      "fields.grib2",
      "grid-reduced-32.grib2",
      "grid-lambert.grib2",
      "members.grib2",
    ].map(read);
    const next = random(Number(process.env["ZARR_WASM_SEED"] ?? 1));
    for (let round = 0; round < rounds; round++) {
      const bytes = files[round % files.length]!.slice();
      const headers = Math.min(bytes.byteLength, 400);
      for (let i = next() % 6; i >= 0; i--)
        bytes[next() % (next() % 2 ? headers : bytes.byteLength)] = next() % 3 ? next() % 256 : 255;
      const cut = next() % 8 === 0 ? next() % bytes.byteLength : bytes.byteLength;
      try {
        await readAll(bytes.subarray(0, cut));
      } catch (error) {
        if (!isZarrError(error)) throw error;
      }
    }
  });
});

it("names the reason if no message can be read", async () => {
  const bytes = read("level-soilLayer.grib2").slice();
  const view = new DataView(bytes.buffer);
  let at = 16;
  while (bytes[at + 4] !== 4) at += view.getUint32(at);
  view.setUint16(at + 7, 31); // the product template
  const open = (file: Uint8Array) =>
    ArrayFileStore.open(file).catch(({ _tag, message }) => [_tag, message.replace(/^.*?has/, "has")]);
  expect(await open(bytes)).toEqual([
    "Unsupported",
    "has no message that can be read; the message at 0 is left out: the product template 4.31 is not read",
  ]);
  const damaged = read("level-soilLayer.grib2").slice();
  damaged.fill(0, damaged.length - 4);
  expect(await open(damaged)).toEqual(["InvalidMetadata", expect.stringMatching(/does not end with 7777/)]);
});
