/**
 * Seeds of the native targets: plans as written by TypeScript, with golden chunks or chunks encoded by the plan.
 * tests/fuzz/plan_input.hpp documents the format.
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import { ChunkLayouts } from "../../../dist/chain/layout.js";
import { loadEveryCodec } from "../../../dist/codecs/lookup.js";
import { codecNames } from "../../../dist/codecs/registry.js";
import { DType } from "../../../dist/dtypes/dtype.js";
import { codecRow } from "../../../dist/engine/codec-table.js";
import { getSession } from "../../../dist/engine/engine.js";
import type { Plan } from "../../../dist/engine/plan.js";
import { open, ZarrArray } from "../../../dist/index.js";
import { defaultLimits } from "../../../dist/util/limits.js";
import { documentsOf, encode } from "../../node/support/codec-arrays.js";
import { elementsOf, triedTypes } from "../../node/support/data-types.js";
import { goldenStores } from "./seeds.js";
import { jsonBytes, textBytes } from "./target.js";

/** An input of a target that runs plans. Without `placement`, no placement is tested. */
export function planFile(
  words: Uint32Array,
  data: Uint8Array,
  placement: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const file = new Uint8Array(2 + 4 * words.length + 1 + placement.length + data.length);
  const view = new DataView(file.buffer);
  view.setUint16(0, words.length, true);
  words.forEach((word, i) => {
    view.setUint32(2 + 4 * i, word, true);
  });
  let at = 2 + 4 * words.length;
  file[at++] = placement.length;
  file.set(placement, at);
  file.set(data, at + placement.length);
  return file;
}

/** The parts of a file written by `planFile`. */
export function readPlanFile(file: Uint8Array): { words: Uint32Array; data: Uint8Array } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const words = Uint32Array.from({ length: view.getUint16(0, true) }, (_, i) =>
    view.getUint32(2 + 4 * i, true),
  );
  const at = 2 + 4 * words.length;
  return { words, data: file.subarray(at + 1 + file[at]!) };
}

interface PlanSeed {
  plan: Plan;
  encoded: Uint8Array;
  decoded: Uint8Array;
}

const placement = Uint8Array.of(0, 1, 1, 1, 0, 0, 2, 0, 7, 3, 1);
/** Maximum chunk size; inputs should be small. */
const maxBytes = 6000;

/** Each codec with each data type. */
async function triedPlans(): Promise<PlanSeed[]> {
  const seeds: PlanSeed[] = [];
  for (const version of [1, 2, 3] as const) {
    for (const name of codecNames(version)) {
      for (const type of triedTypes.filter(({ dtype }) => !dtype.isVariable)) {
        const documents = documentsOf(name, type, version);
        const array = documents && (await openIn(documents).catch(() => undefined));
        const { leaf } = array?.spec.firstLayout ?? {};
        if (!array || leaf?.type !== "core" || leaf.chain.toBytes.type !== "core" || array.spec.isSharded)
          continue;
        if (leaf.plan.steps.some(({ core }) => codecRow(core).encode === "none")) continue;
        const decoded = elementsOf(type);
        seeds.push({ plan: leaf.plan, decoded, encoded: await encode(array, decoded) });
      }
    }
  }
  return seeds;
}

async function openIn(documents: Record<string, object>): Promise<ZarrArray> {
  const store = new Map(Object.entries(documents).map(([key, value]) => [`/${key}`, jsonBytes(value)]));
  return (await open(store, { kind: "array" })) as ZarrArray;
}

/** Chunks of arrays that other implementations wrote. */
async function goldenPlans(): Promise<PlanSeed[]> {
  const session = await getSession("images"); // has all decoders
  const seeds: PlanSeed[] = [];
  for (const { documents, chunks } of goldenStores()) {
    const store = new Map(Object.entries(documents).map(([key, text]) => [`/${key}`, textBytes(text)]));
    const array = await open(store).catch(() => undefined);
    if (!(array instanceof ZarrArray)) continue;
    const { leaf, levels } = array.spec.firstLayout;
    if (leaf.type !== "core" || leaf.chain.toBytes.type !== "core" || levels.length > 0) continue;
    for (const encoded of Object.values(chunks)
      .filter(({ length }) => length <= maxBytes)
      .slice(0, 1))
      seeds.push({ plan: leaf.plan, encoded, decoded: session.decode(leaf.plan, encoded) });
  }
  return seeds;
}

/** Images written by other programs, as chunks of bytes. */
async function imagePlans(): Promise<PlanSeed[]> {
  await loadEveryCodec();
  const session = await getSession("images");
  const lines = readFileSync(path.resolve("tests/golden/images.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => {
    const { bytes, codec, configuration, data } = JSON.parse(line);
    const array = { dtype: DType.simple("uint8"), fillItem: new Uint8Array(1) };
    const codecs = [{ name: codec, configuration }];
    const { leaf } = new ChunkLayouts(codecs, array, { version: 3, limits: defaultLimits }).of([bytes]);
    if (leaf.type !== "core") throw new Error("expected an image codec of the core");
    const encoded = Uint8Array.from(Buffer.from(data, "base64"));
    return { plan: leaf.plan, encoded, decoded: session.decode(leaf.plan, encoded).slice() };
  });
}

interface Codec {
  name: string;
  configuration?: Record<string, unknown>;
}

const little: Codec = { name: "bytes", configuration: { endian: "little" } };
const big: Codec = { name: "bytes", configuration: { endian: "big" } };
const configured = (name: string, configuration: Record<string, unknown>): Codec => ({ name, configuration });
const blosc = (cname: string, shuffle: string, typesize: number, blocksize: number): Codec =>
  configured("blosc", { cname, clevel: 5, shuffle, typesize, blocksize });

/** Chains over chunks that are large enough to be compressed. */
const longChains: readonly Codec[][] = [
  ...["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"].flatMap((cname) => [
    [little, blosc(cname, "shuffle", 4, 0)],
    [little, blosc(cname, "bitshuffle", 4, 1024)],
    [little, blosc(cname, "noshuffle", 1, 512)],
  ]),
  [little, configured("zstd", { level: 19, checksum: true })],
  [little, configured("gzip", { level: 9 }), { name: "crc32c" }],
  [configured("transpose", { order: [2, 0, 1] }), big, configured("numcodecs.zlib", { level: 6 })],
  [configured("reshape", { shape: [-1] }), little, { name: "numcodecs.lz4" }],
  [configured("numcodecs.delta", { dtype: "<i4" }), little, configured("numcodecs.bz2", { level: 9 })],
  [little, configured("numcodecs.shuffle", { elementsize: 4 }), configured("numcodecs.lzma", { preset: 1 })],
  [configured("cast_value", { data_type: "float64" }), configured("zfp", { mode: "fixed_rate", rate: 8 })],
  [configured("cast_value", { data_type: "float32" }), configured("zfp", { mode: "reversible" })],
  [
    configured("transpose", { order: [1, 2, 0] }),
    configured("packbits", {}),
    { name: "numcodecs.fletcher32" },
  ],
  [
    little,
    { name: "numcodecs.adler32" },
    { name: "numcodecs.crc32" },
    { name: "numcodecs.jenkins_lookup3", configuration: { initval: 7 } },
  ],
];

const longShape = [8, 10, 12];

async function longPlans(): Promise<PlanSeed[]> {
  const dtype = DType.simple("int32");
  await loadEveryCodec();
  const session = await getSession("full");
  const values = Int32Array.from({ length: 960 }, (_, i) => Math.floor(i / 5) + ((i * 2654435761) % 7));
  const decoded = new Uint8Array(values.buffer);
  return longChains.map((codecs) => {
    const layouts = new ChunkLayouts(
      codecs,
      { dtype, fillItem: new Uint8Array(4) },
      { version: 3, limits: defaultLimits },
    );
    const { leaf } = layouts.of(longShape);
    if (leaf.type !== "core") throw new Error("expected a chain of the core");
    return { plan: leaf.plan, decoded, encoded: session.encode(leaf.plan, decoded) };
  });
}

/** Frames of several blocks, for each inner format and shuffle. */
export async function bloscFrames(): Promise<Uint8Array[]> {
  const seeds = await longPlans();
  return seeds.filter(({ plan }) => plan.steps.at(-1)?.core === "blosc").map(({ encoded }) => encoded);
}

const zstdDictionary = (name: string) => readFileSync(path.resolve("tests/golden/zstd-dictionary", name));

/** An input of the zstd-frame target, read in pieces of 10 bytes. */
function frameFile(frame: Uint8Array, dictionary: Uint8Array = new Uint8Array(0)): Uint8Array {
  const head = [dictionary.length & 0xff, dictionary.length >> 8, 9, 9];
  return Uint8Array.from([...head, ...dictionary, ...frame]);
}

/** Seeds by native target. */
export async function nativeSeeds(): Promise<Map<string, Uint8Array[]>> {
  const seeds = [
    ...(await triedPlans()),
    ...(await goldenPlans()),
    ...(await imagePlans()),
    ...(await longPlans()),
  ];
  const byTarget = new Map<string, Uint8Array[]>();
  const seen = new Set<string>();
  const add = (target: string, file: Uint8Array) => {
    byTarget.set(target, [...(byTarget.get(target) ?? []), file]);
  };
  for (const { plan, encoded, decoded } of seeds) {
    const cores = new Set(plan.steps.map(({ core }) => core));
    const file = planFile(plan.words, encoded);
    // Codecs that only relabel have no separate target; the chain target covers them.
    for (const core of cores) {
      if (core !== "transpose" && [...cores].every((other) => other === core || other === "bytes"))
        add(`decode-${core}`, file);
    }
    // Encoding is slow: one data type per chain, and each type once, is enough as a start.
    const chain = JSON.stringify(plan.steps.map(({ core, params }) => [core, params]));
    const isNew = !seen.has(chain) || !seen.has(plan.array.dtype.core);
    seen.add(chain).add(plan.array.dtype.core);
    if (isNew) {
      add("chain", planFile(plan.words, encoded, placement));
      add("roundtrip", planFile(plan.words, decoded));
    }
    if (plan.steps.at(-1)?.core === "zstd") add("zstd-frame", frameFile(encoded));
    if (plan.steps.at(-1)?.core === "blosc") {
      const isOld = plan.steps.at(-1)!.params[5]! & 1;
      add("blosc", Uint8Array.from([3, 0, 100, 0, isOld, ...encoded]));
    }
  }
  add("zstd-frame", frameFile(zstdDictionary("location.zst"), zstdDictionary("dictionary")));
  return byTarget;
}
