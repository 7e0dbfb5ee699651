/** Stored chunks of every codec, from the golden stores first, each with a function that decodes it whole. */
import { open, type ZarrArray } from "zarr-wasm";
import type { ChunkCodec, Content } from "#src/chain/chunk-codec.js";
import type { ChunkLayout } from "#src/chain/layout.js";
import { wholeCodec } from "#src/chain/shards.js";
import { codecDefinitions } from "#src/codecs/registry.js";
import { codecRow } from "#src/engine/codec-table.js";
import { getSession } from "#src/engine/engine.js";
import type { ChainStep } from "#src/engine/plan.js";
import type { CodecSession } from "#src/engine/session.js";
import { joinKey } from "#src/store/store.js";
import { documentsOf } from "./codec-arrays.js";
import { triedTypes } from "./data-types.js";
import { everyIndex, goldenCases, openArray, product, storeOf } from "./support.js";
import { bytesLittle, documents, v2Meta, v3Meta } from "./zarr-writer.js";

export interface GoldenChunk {
  /** Store and key. */
  name: string;
  store: Map<string, Uint8Array>;
  key: string;
  array: ZarrArray;
  encoded: Uint8Array;
  codec: ChunkCodec;
  session: CodecSession;
  /** The decoded chunk. */
  right: Content;
  /** Whether a change of one byte can never go unnoticed. */
  isChecked: boolean;
}

/** Groups of golden stores that hold a single array each. */
export const goldenGroups = ["v1", "v2", "v3", "pcodec", "hdf5", "grib"] as const;

const float32 = triedTypes.find(({ label }) => label === "float32")!;

/** The smallest stored chunk of each golden store that has one. */
export async function goldenChunks(group: (typeof goldenGroups)[number]): Promise<GoldenChunk[]> {
  const found: GoldenChunk[] = [];
  for (const golden of goldenCases(group)) {
    const store = storeOf(golden);
    const chunk = await smallestChunk(
      golden.name,
      store,
      await openArray(store, { path: golden.path, onWarning: () => {} }),
    );
    if (chunk) found.push(chunk);
  }
  return found;
}

/** Chunks of the codecs that no golden store has, as this library encodes them. */
export async function ownChunks(): Promise<GoldenChunk[]> {
  const gzip = { name: "gzip", configuration: { level: 1 } };
  const v3 = (name: string, configuration: object, before: object[], after: object[]) =>
    [
      "/zarr.json",
      v3Meta({ data_type: "float32", codecs: [...before, { name, configuration }, ...after] }),
    ] as const;
  const own = [
    v3("conditional", { codecs: [gzip, { name: "crc32c" }] }, [bytesLittle], []),
    v3("reshape", { shape: [3, 2] }, [], [bytesLittle, gzip]),
    v3("zfp", { mode: "reversible" }, [], []),
    ["/.zarray", v2Meta({ dtype: "<f4", compressor: { id: "snappy" } })] as const,
  ];
  const found: GoldenChunk[] = [];
  for (const [key, document] of [...own, ...documentsOfOthers(JSON.stringify(own))]) {
    const { entries: store } = documents({ [key]: document });
    const array = await openArray(store);
    const codec = codecOf(array, array.spec.firstLayout);
    const session = await getSession("full");
    codec.prepare(session);
    const content = new Float32Array(product(array.chunkShape)).map((_, i) => i / 4);
    store.set(
      joinKey("", array.spec.chunkKey([0, 0])),
      codec.encode(session, new Uint8Array(content.buffer)),
    );
    found.push(
      (await smallestChunk(`ours: ${JSON.stringify(array.codecs.map(({ name }) => name))}`, store, array))!,
    );
  }
  return found;
}

/** Chunks of files, for codecs that no golden store has and that only read. */
export async function fileChunks(): Promise<GoldenChunk[]> {
  const files = [
    ["fits/packed-f4-t-8x5-r-qz-4.fits", "PRIMARY"],
    ["precomputed/labels-uint64-14", "s0_key"],
  ] as const;
  return Promise.all(
    files.map(async ([file, path]) => {
      const url = new URL(`../../golden/files/${file}`, import.meta.url);
      const array = await open(url, { path, kind: "array" });
      const document = joinKey(array.path, "zarr.json");
      const store = new Map([[document, (await array.store.get(document))!]]);
      for (const coordinates of everyIndex(array.spec.axes.map((axis) => axis.count))) {
        const key = joinKey(array.path, array.spec.chunkKey(coordinates));
        const bytes = await array.store.get(key);
        if (bytes) store.set(key, bytes);
      }
      return (await smallestChunk(file, store, await openArray(store, { path })))!;
    }),
  );
}

/** Metadata of codecs that neither the golden stores have nor `known` names; but of those that only read. */
function documentsOfOthers(known: string): (readonly [key: string, document: object])[] {
  const texts = goldenGroups.flatMap((group) =>
    goldenCases(group).flatMap(({ store }) =>
      Object.values(store).filter((value) => typeof value === "string"),
    ),
  );
  const isKnown = (name: string) => [known, ...texts].some((text) => text.includes(`"${name}"`));
  return codecDefinitions.flatMap(({ core, names }) => {
    if (codecRow(core).encode === "none") return [];
    if (Object.values(names).flat().some(isKnown)) return [];
    const version = names[3] ? 3 : 2;
    const found = documentsOf(names[version]![0]!, float32, version);
    return Object.entries(found!).map(([key, document]) => [`/${key}`, document] as const);
  });
}

function codecOf({ limits, spec: { layouts } }: ZarrArray, layout: ChunkLayout): ChunkCodec {
  return wholeCodec(layout, layouts.array, limits);
}

async function smallestChunk(name: string, store: Map<string, Uint8Array>, array: ZarrArray) {
  let best: { key: string; encoded: Uint8Array; shape: number[] } | undefined;
  const { axes, layouts } = array.spec;
  for (const coordinates of everyIndex(axes.map((axis) => axis.count))) {
    const key = joinKey(array.path, array.spec.chunkKey(coordinates));
    const encoded = store.get(key);
    if (encoded && !(encoded.length >= (best?.encoded.length ?? Number.POSITIVE_INFINITY)))
      best = { key, encoded, shape: coordinates.map((at, axis) => axes[axis]!.size(at)) };
  }
  if (!best) return undefined;
  const layout = layouts.of(best.shape);
  const codec = codecOf(array, layout);
  const { session, right } = await firstDecode(codec, best.encoded);
  const { key, encoded } = best;
  return {
    name: `${name} ${key}`,
    store,
    key,
    array,
    encoded,
    codec,
    session,
    right,
    isChecked: isChecked(layout),
  };
}

/** Some chunks turn out to need the full module when they are read. */
async function firstDecode(codec: ChunkCodec, encoded: Uint8Array) {
  for (const module of [codec.decodeModule, "full"] as const) {
    const session = await getSession(module);
    codec.prepare(session);
    try {
      return { session, right: codec.decode(session, encoded) };
    } catch (error) {
      if (module === "full" || (error as Error).constructor.name !== "NeedsFullModule") throw error;
    }
  }
  throw new Error("no module decodes it");
}

/** Codecs that detect every change of a single byte of their input. */
const checking = new Set([
  "crc32c",
  "crc32",
  "adler32",
  "fletcher32",
  "jenkins_lookup3",
  "gzip",
  "zlib",
  "bz2",
]);

const checks = (steps: readonly ChainStep[]) => steps.length > 0 && checking.has(steps.at(-1)!.core);

/** A layout is checked where its last codec checks, or its shards' indexes and all that they hold. */
function isChecked({ levels, leaf }: ChunkLayout): boolean {
  if (levels.some((level) => checks(level.after))) return true;
  const after = leaf.type === "core" ? leaf.chain.after : leaf.after;
  return checks(after) && levels.every((level) => checks(level.index.plan.steps));
}
