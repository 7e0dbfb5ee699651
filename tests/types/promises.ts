// Types that programs depend on. This file is compiled and never run: by `npm run lint`, and by
// tests/node/project/packed.test.ts with the packed package, for the oldest supported TypeScript and the current one.
import {
  append,
  create,
  type DTypeInput,
  type ElementData,
  get,
  getBytes,
  getChunk,
  isZarrError,
  open,
  set,
  setChunk,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";
import { type CodecChain, type CodecChainDType, createCodecChain } from "zarr-wasm/codecs";
import { reduce, series, statistics } from "zarr-wasm/compute";
import { type CFRegion, decodeCF, sel } from "zarr-wasm/conventions";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function check<T extends true>(): T;

const shape = [3];
const store = new Map<string, Uint8Array>();

export async function creating() {
  const array = await create(store, { shape, dtype: "float32" });
  check<Same<typeof array, ZarrArray<"float32">>>();
  const numpy = await create(store, { shape, dtype: ">i8" });
  check<Same<typeof numpy, ZarrArray<"int64">>>();
  const like = await create(store, { like: array });
  check<Same<typeof like, ZarrArray<"float32">>>();
  const dynamic = await create(store, { shape, dtype: "int16" as string as DTypeInput });
  check<Same<typeof dynamic, ZarrArray>>();
  // @ts-expect-error: no such data type
  await create(store, { shape, dtype: "float3" });
  // @ts-expect-error: no such data type
  await create(store, { shape, dtype: "<f3" });
}

export async function reading() {
  const array = await create(store, { shape, dtype: "float32" });
  const { data } = await get(array);
  check<Same<typeof data, Float32Array<ArrayBuffer>>>();
  const chunk = await array.getChunk([0]);
  check<Same<typeof chunk.data, Float32Array<ArrayBuffer>>>();
  const same = await getChunk(array, [0]);
  check<Same<typeof same.data, Float32Array<ArrayBuffer>>>();
  for await (const part of array.chunks()) check<Same<typeof part.data, Float32Array<ArrayBuffer>>>();
  const shared = await get(array, null, { useSharedArrayBuffer: true });
  check<Same<typeof shared.data, Float32Array<SharedArrayBuffer>>>();
  const { bytes } = await getBytes(array);
  check<Same<typeof bytes, Uint8Array<ArrayBuffer>>>();
  const out = await get(array, null, { out: new Float32Array(3) });
  check<Same<typeof out.data, Float32Array<ArrayBuffer>>>();
  // @ts-expect-error: another type of elements
  await get(array, null, { out: new Int16Array(3) });
  const unknown = await open(store, { kind: "array" });
  const any = await get(unknown);
  check<Same<typeof any.data, ElementData<ArrayBuffer>>>();
}

export async function narrowing() {
  const array = await open(store, { kind: "array" });
  if (array.is("float32")) {
    const { data } = await get(array);
    check<Same<typeof data, Float32Array<ArrayBuffer>>>();
  }
  if (array.is("uint16", "int16")) {
    const { data } = await get(array);
    check<Same<typeof data, Uint16Array<ArrayBuffer> | Int16Array<ArrayBuffer>>>();
  }
  if (array.is("number")) {
    const { data } = await get(array);
    const [first = 0] = data;
    check<Same<typeof first, number>>();
  }
  if (array.is("bigint")) {
    const { data } = await get(array);
    const [first = 0n] = data;
    check<Same<typeof first, bigint>>();
  }
  if (array.is("string")) {
    const { data } = await get(array);
    check<Same<typeof data, string[]>>();
  }
  // @ts-expect-error: no such data type
  array.is("float3");
}

export async function writing() {
  const array = await create(store, { shape, dtype: "float32" });
  await set(array, null, new Float32Array(3));
  await set(array, null, await get(array));
  await set(array, [0], 1.5);
  // @ts-expect-error: another type of elements
  await set(array, null, new Float64Array(3));
  // @ts-expect-error: a list is not a typed array
  await set(array, null, [1, 2, 3]);
  // @ts-expect-error: another type of elements
  await append(array, new Uint8Array(1));
}

/** One element for a whole selection, by data type. */
export async function writingOne() {
  const float = await create(store, { shape, dtype: "float32" });
  await set(float, null, 1.5);
  await set(float, null, "NaN");
  await set(float, null, "-Infinity");
  await set(float, null, "0x7fc00000");
  // @ts-expect-error: a string is not a float
  await set(float, null, "a");
  // @ts-expect-error: a bigint is not a float
  await set(float, null, 5n);
  // @ts-expect-error: a boolean is not a float
  await set(float, null, true);
  const small = await create(store, { shape, dtype: "int16" });
  await set(small, null, 5);
  // @ts-expect-error: integers of up to 32 bits are numbers
  await set(small, null, 5n);
  // @ts-expect-error: a string is not an integer
  await set(small, null, "5");
  const long = await create(store, { shape, dtype: "uint64" });
  await set(long, null, 5);
  await set(long, null, 5n);
  // @ts-expect-error: a string is not an integer
  await setChunk(long, [0], "5");
  const flag = await create(store, { shape, dtype: "bool" });
  await set(flag, null, true);
  await set(flag, null, 1);
  // @ts-expect-error: a string is not a boolean
  await set(flag, null, "true");
  const text = await create(store, { shape, dtype: "string" });
  await set(text, null, "a");
  // @ts-expect-error: a number is not a string
  await set(text, null, 5);
  const time = await create(store, { shape, dtype: "<M8[D]" });
  await set(time, null, 5n);
  await set(time, null, "NaT");
  // @ts-expect-error: a date is not parsed
  await set(time, null, "2020-01-01");
  const either = await open(store, { kind: "array" });
  if (either.is("float32", "uint64")) await set(either, null, 5);
  // Of any data type: checked when it is written.
  await set(either, null, "a");
}

export async function decoding() {
  const array = await create(store, { shape, dtype: "float32" });
  const region = decodeCF(array, await get(array));
  check<Same<(typeof region)["kind"], "stored" | "numbers" | "milliseconds" | "booleans">>();
  if (region.kind === "stored") check<Same<typeof region.data, Float32Array<ArrayBuffer>>>();
  else if (region.kind === "milliseconds") {
    check<Same<typeof region.data, Float64Array>>();
    check<Same<typeof region.units, undefined>>();
  } else if (region.kind === "booleans") check<Same<typeof region.data, Uint8Array>>();
  else check<Same<typeof region.data, ElementData>>();
  const unknown: CFRegion = region;
  // @ts-expect-error: the data depends on the kind
  new Date(unknown.data[0]);
  if (unknown.kind === "milliseconds") new Date(unknown.data[0] ?? 0);
}

export async function labelling() {
  const group = await open(store, { kind: "group" });
  await sel(group, { time: { start: "2004-06" } });
  await sel(group, { time: { stop: "2004-06", step: 2 } }, { method: "bfill" });
  // @ts-expect-error: no such method
  await sel(group, { time: "2004-06-01" }, { method: "before" });
}

export async function coding() {
  const chain = await createCodecChain({ dtype: "float32", shape, codecs: ["bytes"] });
  check<Same<typeof chain, CodecChain<"float32">>>();
  const decoded = chain.decode(new Uint8Array(12));
  check<Same<typeof decoded, Float32Array<ArrayBuffer>>>();
  chain.encode(new Float32Array(3));
  const filled = chain.decodeInto(new Uint8Array(12), new Float32Array(3));
  check<Same<typeof filled, Float32Array<ArrayBuffer>>>();
  // @ts-expect-error: another type of elements
  chain.encode(new Float64Array(3));
  // @ts-expect-error: another type of elements
  chain.decodeInto(new Uint8Array(12), new Float64Array(3));
  const names = await createCodecChain({ dtype: "string", shape, codecs: ["vlen-utf8"] });
  const list = names.decode(new Uint8Array(12));
  check<Same<typeof list, string[]>>();
  const day = { name: "numpy.datetime64", configuration: { unit: "D", scale_factor: 1 } } as const;
  const times = await createCodecChain({ dtype: day, shape, codecs: ["bytes"] });
  const counts = times.decode(new Uint8Array(24));
  check<Same<typeof counts, BigInt64Array<ArrayBuffer>>>();
  const dynamic = await createCodecChain({
    dtype: "int8" as string as CodecChainDType,
    shape,
    codecs: ["bytes"],
  });
  check<Same<typeof dynamic, CodecChain>>();
  const any: CodecChain[] = [chain, names, times];
  any.map(({ dtype }) => dtype.name);
  // @ts-expect-error: no such data type
  await createCodecChain({ dtype: "float3", shape, codecs: ["bytes"] });
  // @ts-expect-error: the codec "bytes" has the byte order
  await createCodecChain({ dtype: "<f4", shape, codecs: ["bytes"] });
}

export async function computing() {
  const array = await create(store, { shape, dtype: "float32" });
  const { mean } = await reduce(array, { method: ["mean", "max"], groupBy: "time.month" });
  check<Same<typeof mean.data, Float64Array>>();
  await reduce(array, { method: "sum", resample: { time: "QS-DEC" } });
  await series(array, { at: { lat: 1, lon: 2 } });
  await statistics(array, [0], { bins: 10 });
  // @ts-expect-error: no such method
  await reduce(array, { method: "median" });
  // @ts-expect-error: no such period
  await reduce(array, { method: "sum", resample: { time: "monthly" } });
  const t2m = await create(store, { shape: [9, 4], dtype: "float32", dimensionNames: ["time", "lat"] });
  check<Same<typeof t2m, ZarrArray<"float32", "time" | "lat">>>();
  const means = await reduce(t2m, { method: "mean", over: ["time", 1], groupBy: "time.month" });
  check<Same<typeof means.data, Float64Array>>();
  await reduce(t2m, { method: "mean", groupBy: "station" });
  await reduce(t2m, { method: "mean", rolling: { time: 3 } });
  // @ts-expect-error: no such dimension
  await reduce(t2m, { method: "mean", over: "tiem" });
  // @ts-expect-error: no such dimension
  await reduce(t2m, { method: "mean", resample: { lon: "MS" } });
  if (t2m.is("float32")) await reduce(t2m, { method: "mean", over: "lat" });
  // @ts-expect-error: one of at, along and inside
  await series(array, {});
  // @ts-expect-error: options instead of a selection
  await statistics(array, { bins: 10 });
}

export function failing(error: unknown) {
  if (isZarrError(error, "ReadOnly")) {
    check<Same<typeof error.code, "read-only" | "no-set" | "no-delete" | "permission-denied">>();
  }
  // @ts-expect-error: a code of another tag
  if (isZarrError(error, "NotAllowed") && error.code === "http-status") return;
  // @ts-expect-error: a code of another tag
  throw new ZarrError("NotFound", "gone", { code: "http-status" });
}
