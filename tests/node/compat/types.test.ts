// Types of the zarrita drop-in: one program that compiles against zarrita and against the drop-in.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../support/writing-tools.js";

const root = new URL("../../../", import.meta.url).pathname;
const folder = tempFolder("drop-in-types");

/** Each row states a type, or that the compiler rejects the expression. */
const program = (name: string) => `
import * as zarr from "${name}";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_?: T): void => {};
type Files = Map<string, Uint8Array>;
const store: Files = new Map();
const options = { shape: [2, 2], chunkShape: [1, 2] };
const readOnly = { get: async () => undefined };

export async function groups() {
  const group = await zarr.create(store, { attributes: { a: 1 } });
  is<Same<typeof group, zarr.Group<Files>>>();
  const below = await zarr.create(group.resolve("below"));
  is<Same<typeof below, zarr.Group<Files>>>();
  is<Same<typeof below.store, Files>>();
  // @ts-expect-error a store that cannot be written
  await zarr.create(readOnly);
}

export async function arrays() {
  const array = await zarr.create(zarr.root(store).resolve("x"), { ...options, dtype: "int32", fillValue: 1 });
  is<Same<typeof array, zarr.Array<"int32", Files>>>();
  is<Same<typeof array.fillValue, number | null>>();
  is<Same<typeof array.dtype, "int32">>();
  const wide = await zarr.create(store, { ...options, dtype: "uint64", fillValue: 1n, chunkSeparator: "." });
  is<Same<typeof wide.fillValue, bigint | null>>();
  const text = await zarr.create(store, { ...options, dtype: "v2:U3", dimensionNames: ["y", "x"] });
  is<Same<typeof text, zarr.Array<"v2:U3", Files>>>();
  const codecs: zarr.CodecMetadata[] = [{ name: "gzip", configuration: { level: 1 } }];
  await zarr.create(store, { ...options, dtype: "bool", fillValue: true, codecs });
  // @ts-expect-error a string is not an element of int32
  await zarr.create(store, { ...options, dtype: "int32", fillValue: "1" });
  // @ts-expect-error zarrita does not know it
  await zarr.create(store, { ...options, dtype: "int31" });
  // @ts-expect-error no chunks
  await zarr.create(store, { shape: [1], dtype: "int32" });
  const { data } = await zarr.get(array);
  is<Same<typeof data, Int32Array>>();
}

export async function elements() {
  const array = await zarr.create(store, { ...options, dtype: "int32" });
  const done = await zarr.set(array, null, 5);
  is<Same<typeof done, void>>();
  const { signal } = new AbortController();
  await zarr.set(array, [0, null], 5, { signal });
  await zarr.set(array, [zarr.slice(1), zarr.slice(0, 2, 1)], await zarr.get(array), { opts: { signal } });
  await zarr.set(array, [0, null], { data: new Int32Array(2), shape: [2], stride: [1] });
  const createQueue = () => ({ add(_: () => Promise<void>) {}, onIdle: async () => [] });
  await zarr.set(array, null, 5, { createQueue });
  // @ts-expect-error a string is not an element of int32
  await zarr.set(array, null, "5");
  // @ts-expect-error nor is a bigint
  await zarr.set(array, null, 5n);
  // @ts-expect-error elements of another type
  await zarr.set(array, null, { data: new Float32Array(4), shape: [2, 2], stride: [2, 1] });
  // @ts-expect-error no selection
  await zarr.set(array, "all", 5);
  const bools = await zarr.create(store, { ...options, dtype: "bool" });
  await zarr.set(bools, null, true);
  await zarr.set(bools, null, { data: new zarr.BoolArray(4), shape: [2, 2], stride: [2, 1] });
  const texts = await zarr.create(store, { ...options, dtype: "string" });
  await zarr.set(texts, [0, 0], "text");
  await zarr.set(texts, [0, null], { data: ["a", "b"], shape: [2], stride: [1] });
  const opened = await zarr.open(store, { kind: "array" });
  if (opened.is("number")) await zarr.set(opened, null, 5);
  if (opened.is("bigint")) await zarr.set(opened, null, 5n);
  const unwritable = await zarr.open(readOnly, { kind: "array" });
  // @ts-expect-error a store that cannot be written
  if (unwritable.is("int32")) await zarr.set(unwritable, null, 5);
}

export async function regions() {
  interface Made extends zarr.Chunk<"int32"> {
    made: true;
  }
  const setter = {
    prepare: (data: Int32Array, shape: number[], stride: number[]): Made => ({ data, shape, stride, made: true }),
    setScalar(_target: Made, _selection: (zarr.Indices | number)[], _value: number) {},
    setFromChunk(_target: Made, _source: Made, _projections: zarr.Projection[]) {},
  };
  const array = await zarr.create(store, { ...options, dtype: "int32" });
  const region = await zarr._zarrita_internal_get(array, [null, zarr.slice(1)], {}, setter);
  is<Same<typeof region, Made>>();
  await zarr._zarrita_internal_set<"int32", Made>(array, null, region, {}, setter);
  await zarr._zarrita_internal_set<"int32", Made>(array, null, 5, {}, setter);
}
`;

it.each(["zarrita", "zarr-wasm/zarrita"])("programs for zarrita compile with %s", (name) => {
  const file = `${name.replace("/", "-")}.ts`;
  writeFileSync(path.join(folder, file), program(name));
  const config = path.join(folder, `${file}.json`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [path.join(root, "node_modules/@types")],
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }));
  const { stdout } = spawnSync(path.join(root, "node_modules/.bin/tsc"), ["-p", config], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});
