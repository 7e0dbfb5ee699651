/** Helpers of the Node tests. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { type OpenOptions, open, type Source, type ZarrArray } from "zarr-wasm";
import { type CodecChainDType, createCodecChain } from "zarr-wasm/codecs";

/** A line of tests/golden/*.jsonl. */
export interface GoldenCase {
  name: string;
  writer: string;
  shape: number[];
  store: Record<string, string | { b64: string }>;
  /** Of the array; the root without it. */
  path?: string;
  /** Size of the elements in bytes; undefined for variable length. */
  sha256?: string;
  /** Elements of variable length, in C order: one JSON value each. */
  values?: unknown[];
  writerOrderSha256?: string;
}

export function goldenCases(group: string): GoldenCase[] {
  const text = readFileSync(new URL(`../../golden/${group}.jsonl`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as GoldenCase);
}

const utf8 = new TextEncoder();
export const bytesOf = (text: string): Uint8Array => utf8.encode(text);

/** A golden store as a Map, which is a store. */
export function storeOf({ store }: GoldenCase): Map<string, Uint8Array> {
  return new Map(
    Object.entries(store).map(([key, value]) => [
      `/${key}`,
      typeof value === "string" ? bytesOf(value) : Uint8Array.from(Buffer.from(value.b64, "base64")),
    ]),
  );
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Reproducible pseudo-random numbers in [0, 1). */
export function randomizer(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function randomBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const random = randomizer(seed);
  return Uint8Array.from({ length }, () => random() * 256);
}

export const product = (lengths: readonly number[]): number => lengths.reduce((a, b) => a * b, 1);

/** `meta` of a Zarr v1 array; the given fields replace the defaults. */
export function v1Meta(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    zarr_format: 1,
    shape: [4, 6],
    chunks: [2, 3],
    dtype: "<i4",
    compression: "none",
    compression_opts: null,
    fill_value: 0,
    order: "C",
    ...fields,
  };
}

/** A Zarr v1 store of only metadata. */
export function v1Store(fields: Record<string, unknown> = {}): Map<string, Uint8Array> {
  return new Map([
    ["/meta", bytesOf(JSON.stringify(v1Meta(fields)))],
    ["/attrs", bytesOf("{}")],
  ]);
}

/**
 * Fills a v1 store's chunks from the whole array's elements (little-endian bytes, C order), slowly and
 * independently of the library; encoding is left to `encode`. Returns the padded chunks, too.
 */
export async function writeV1(
  store: Map<string, Uint8Array>,
  { shape, chunks, itemBytes }: { shape: number[]; chunks: number[]; itemBytes: number },
  elements: Uint8Array,
  encode: (chunk: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  isMissing: (key: string) => boolean = () => false,
): Promise<void> {
  const grid = shape.map((length, axis) => Math.ceil(length / chunks[axis]!));
  for (const coordinates of everyIndex(grid)) {
    const key = `/${coordinates.join(".")}`;
    if (isMissing(key)) continue;
    const chunk = new Uint8Array(product(chunks) * itemBytes).fill(0xcd);
    let to = 0;
    for (const inner of everyIndex(chunks)) {
      const index = inner.map((i, axis) => coordinates[axis]! * chunks[axis]! + i);
      if (index.every((i, axis) => i < shape[axis]!)) {
        const from = flatIndex(index, shape) * itemBytes;
        chunk.set(elements.subarray(from, from + itemBytes), to);
      }
      to += itemBytes;
    }
    store.set(key, await encode(chunk));
  }
}

/** Every index of a shape, C order. */
export function everyIndex(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (all, length) => all.flatMap((index) => Array.from({ length }, (_, i) => [...index, i])),
    [[]],
  );
}

export function flatIndex(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((flat, i, axis) => flat * shape[axis]! + i, 0);
}

/** An encoder for uint8-typed items of a width, through the library's own chain. */
export async function chainEncoder(dataType: string, shape: number[], codecs: object[]) {
  const chain = await createCodecChain({
    dtype: dataType as CodecChainDType,
    shape,
    codecs: codecs as never,
  });
  return (chunk: Uint8Array): Uint8Array => {
    const Kind = chain.decode(chain.encode(zeros(chain))).constructor as never;
    return chain.encode(new (Kind as Uint8ArrayConstructor)(chunk.slice().buffer));
  };
}

function zeros(chain: { dtype: { itemBytes: number; name: string }; shape: readonly number[] }) {
  const kinds: Record<string, new (n: number) => never> = {
    uint8: Uint8Array,
    uint16: Uint16Array,
    int32: Int32Array,
    float64: Float64Array,
  } as never;
  return new kinds[chain.dtype.name]!(product(chain.shape));
}

/** An answer of a scripted server: a body with status 200, or a status with a body. */
export type Answer =
  | Uint8Array
  | { status: number; body?: Uint8Array | string; headers?: Record<string, string> };

/** A real HTTP server on loopback with a scripted response for each path (otherwise 404), which counts requests. */
export async function serve(answers: (path: string, request: http.IncomingMessage) => Answer | undefined) {
  const requests: { path: string; headers: http.IncomingHttpHeaders }[] = [];
  const server = http.createServer((request, response) => {
    const path = request.url!;
    requests.push({ path, headers: request.headers });
    const answer = answers(path, request) ?? { status: 404 };
    if (answer instanceof Uint8Array) response.end(answer);
    else response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

/** The error with which a promise rejects or a function throws. */
export async function errorOf(work: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await work();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("it did not fail");
}

/** Opens a node that must be an array. */
export const openArray = (source: Source, options: OpenOptions = {}): Promise<ZarrArray> =>
  open(source, { ...options, kind: "array" });

/** Returns a function that creates a value at the first call, and returns it at every call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
