/**
 * A reader of Zarr v1 written from its specification, independent of the library: JSON.parse, node:zlib, the programs
 * bzip2 and xz, and Blosc of npm's numcodecs. Slow and small.
 */
import { spawnSync } from "node:child_process";
import { inflateSync } from "node:zlib";
import Blosc from "numcodecs/blosc";

interface Meta {
  zarr_format: number;
  shape: number[];
  chunks: number[];
  dtype: string | [string, string][];
  compression: string;
  compression_opts: unknown;
  fill_value: unknown;
  order: string;
}

/** "meta" has exactly these keys. */
const keys = "chunks,compression,compression_opts,dtype,fill_value,order,shape,zarr_format";

/** Reads an array: its elements packed, in C order, each component little-endian. */
export async function readV1(
  store: ReadonlyMap<string, Uint8Array>,
  path: string,
): Promise<{ bytes: Uint8Array; attributes: unknown }> {
  const document = (name: string) =>
    JSON.parse(
      new TextDecoder().decode(store.get(`/${path}/${name}`)!).replace(/: (NaN|-?Infinity),/, ': "$1",'),
    ) as unknown;
  const meta = document("meta") as Meta;
  if (Object.keys(meta).sort().join() !== keys) throw new Error(`meta has the keys ${Object.keys(meta)}`);
  if (meta.zarr_format !== 1) throw new Error(`zarr_format ${meta.zarr_format}`);
  const { shape, chunks, order } = meta;
  const item = itemOf(meta.dtype);
  const out = new Uint8Array(product(shape) * item.size);
  for (const at of places(shape.map((length, axis) => Math.ceil(length / chunks[axis]!)))) {
    const stored = store.get(`/${path}/${at.join(".")}`);
    if (!stored) {
      if (!/^(0|false|""|"A*=*"|\[0,0\])$/.test(JSON.stringify(meta.fill_value)))
        throw new Error(`there is no chunk ${at}, and this reader knows no fill value but zero`);
      continue;
    }
    const chunk = await decompressed(meta, stored);
    if (chunk.length !== product(chunks) * item.size) throw new Error(`a chunk of ${chunk.length} bytes`);
    for (const within of places(chunks)) {
      const index = within.map((i, axis) => at[axis]! * chunks[axis]! + i);
      if (index.some((i, axis) => i >= shape[axis]!)) continue;
      const from = order === "F" ? offset(within.toReversed(), chunks.toReversed()) : offset(within, chunks);
      const element = chunk.slice(from * item.size, (from + 1) * item.size);
      item.toLittle(element);
      out.set(element, offset(index, shape) * item.size);
    }
  }
  return { bytes: out, attributes: document("attrs") };
}

async function decompressed({ compression }: Meta, stored: Uint8Array): Promise<Uint8Array> {
  if (compression === "none") return stored;
  if (compression === "zlib") return inflateSync(stored);
  if (compression === "blosc") return new Blosc().decode(stored);
  const program = { bz2: "bzip2", lzma: "xz" }[compression];
  if (!program) throw new Error(`compression ${compression}`);
  const { stdout, status } = spawnSync(program, ["-dc"], { input: stored });
  if (status !== 0) throw new Error(`${program} cannot read it`);
  return stdout;
}

/** The size of an element, and its conversion to little-endian. */
function itemOf(dtype: Meta["dtype"]): { size: number; toLittle: (element: Uint8Array) => void } {
  if (Array.isArray(dtype)) {
    const fields = dtype.map(([, type]) => itemOf(type));
    const toLittle = (element: Uint8Array) => {
      let at = 0;
      for (const { size, toLittle } of fields) {
        toLittle(element.subarray(at, at + size));
        at += size;
      }
    };
    return { size: fields.reduce((sum, { size }) => sum + size, 0), toLittle };
  }
  const [, order, kind, digits] = /^([<>|])([biufcSUVmM])(\d+)/.exec(dtype)!;
  const number = Number(digits);
  const width = kind === "U" ? 4 : kind === "c" ? number / 2 : kind === "S" || kind === "V" ? 1 : number;
  const toLittle = (element: Uint8Array) => {
    if (order === ">")
      for (let at = 0; at < element.length; at += width) element.subarray(at, at + width).reverse();
  };
  return { size: kind === "U" ? 4 * number : number, toLittle };
}

const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
const offset = (index: readonly number[], shape: readonly number[]) =>
  index.reduce((at, i, axis) => at * shape[axis]! + i, 0);

function* places(shape: readonly number[]): Generator<number[]> {
  for (let at = 0; at < product(shape); at++) {
    const index: number[] = [];
    let rest = at;
    for (const length of shape.toReversed()) {
      index.unshift(rest % length);
      rest = Math.floor(rest / length);
    }
    yield index;
  }
}
