/**
 * Compares files of other formats with the values that their writers' own readers returned: each line of
 * `expected.jsonl` describes an array, a group or an error (tests/files/README.md).
 */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { get, getBytes, isZarrError, open, type ZarrArray } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";
import { FileSystemStore } from "zarr-wasm/node";
import { isJsonObject, type Json, JsonNumber, toPlain } from "#src/util/json.js";
import { parseJson } from "#src/util/json-reader.js";

/** A line of `expected.jsonl`. */
export interface FileCase {
  readonly file: string;
  /** Path of the node; "" for the root. */
  readonly path: string;
  readonly kind?: "array" | "group";
  /** Expected error instead of a node, with a part of its message. */
  readonly error?: string;
  readonly message?: string;
  readonly shape?: readonly number[];
  /** Name of the data type, or the whole JSON value in the document. */
  readonly data_type?: Json;
  readonly dimensions?: Json;
  readonly fill_value?: Json;
  readonly attributes?: Json;
  /** Name of a file with the elements as `getBytes` returns them, or "base64:" and the bytes. */
  readonly values?: string;
  /** Allowed difference of float64 values. Default: 0. */
  readonly tolerance?: number;
  readonly strings?: readonly unknown[];
  readonly members?: readonly string[];
}

/** A case; its JSON values keep the text of their numbers. */
interface TypedCase extends FileCase {
  readonly folder: string;
}

const jsonOptions = { name: "expected.jsonl", maxDepth: 64, bareNonFinite: true };
const keepsText = ["data_type", "dimensions", "fill_value", "attributes"] as const;

/** Reads the cases of a folder. */
export function casesIn(folder: string): TypedCase[] {
  const lines = readFileSync(path.join(folder, "expected.jsonl"), "utf8").split("\n");
  return lines.filter(Boolean).map((line) => {
    const typed = parseJson(new TextEncoder().encode(line), jsonOptions);
    if (!isJsonObject(typed)) throw new Error(`${folder}: not a case: ${line}`);
    const texts = keepsText.flatMap((key) => (Object.hasOwn(typed, key) ? [[key, typed[key]]] : []));
    return { ...(toPlain(typed) as unknown as FileCase), ...Object.fromEntries(texts), folder };
  });
}

/** Title of the test of a case. */
export const titleOf = ({ file, path: place, error }: FileCase): string =>
  `${file}${place === "" ? "" : `: ${place}`}${error === undefined ? "" : ` (${error})`}`;

/** Opens and reads the node of a case, and compares all that the case has. */
export async function checkCase(wanted: TypedCase): Promise<void> {
  if (wanted.error === undefined) return checkNode(wanted);
  const failed = await checkNode({ ...wanted, kind: "array" }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isZarrError(failed)) throw failed ?? new Error(`expected ${wanted.error}, opened the node`);
  expect(failed._tag).toBe(wanted.error);
  if (wanted.message !== undefined) expect(failed.message).toContain(wanted.message);
}

async function checkNode(wanted: TypedCase): Promise<void> {
  const home = path.join(wanted.folder, wanted.file);
  const isFolder = statSync(home).isDirectory();
  const wantedPath = wanted.path.replace(/^\/|\/$/g, "");
  const source = isFolder ? new FileSystemStore(home) : await ArrayFileStore.open(home);
  const node = await open(source, { path: wantedPath });
  const place = node.path;
  const store = node.store as ArrayFileStore;
  const bytes = await store.get(`/${place === "" ? "" : `${place}/`}zarr.json`);
  const document = parseJson(bytes!, jsonOptions);
  if (!isJsonObject(document)) throw new Error("the document is not an object");
  if (wanted.attributes !== undefined) expectJson(document["attributes"]!, wanted.attributes);
  if (node.kind === "group") {
    expect("group").toBe(wanted.kind);
    if (wanted.members)
      expect([...(await store.listChildren(place))].sort()).toEqual([...wanted.members].sort());
    return;
  }
  expect("array").toBe(wanted.kind);
  if (wanted.shape) expect(node.shape).toEqual(wanted.shape);
  if (wanted.dimensions !== undefined) expectJson(document["dimension_names"] ?? null, wanted.dimensions);
  if (wanted.fill_value !== undefined) expectJson(document["fill_value"]!, wanted.fill_value);
  if (wanted.data_type !== undefined) expectType(document["data_type"]!, wanted.data_type);
  await checkValues(node, wanted);
}

function expectType(found: Json, wanted: Json): void {
  const isName = typeof wanted === "string" && isJsonObject(found);
  expectJson(isName ? found["name"]! : found, wanted);
}

async function checkValues(
  array: ZarrArray,
  { values, strings, folder, tolerance }: TypedCase,
): Promise<void> {
  if (values !== undefined) {
    const { bytes } = await getBytes(array);
    const inline = /^base64:(.*)$/.exec(values)?.[1];
    const wanted =
      inline !== undefined ? Buffer.from(inline, "base64") : readFileSync(path.join(folder, values));
    if (tolerance === undefined) expectBytes(bytes, wanted);
    else expectNear(floats(bytes), floats(wanted), tolerance);
  }
  // A case with an error reads everything, too.
  if (strings !== undefined || values === undefined) {
    const { data } = await get<unknown[]>(array as never);
    if (strings) expect([...data]).toEqual(strings);
  }
}

/** Compares bytes without printing them. */
function expectBytes(found: Uint8Array, wanted: Uint8Array): void {
  expect(found.byteLength).toBe(wanted.byteLength);
  if (Buffer.from(found.buffer, found.byteOffset, found.byteLength).equals(wanted)) return;
  const at = found.findIndex((byte, i) => byte !== wanted[i]);
  const part = (bytes: Uint8Array) => Buffer.from(bytes.slice(at - (at % 16), at + 16)).toString("hex");
  throw new Error(`differs from byte ${at} on: ${part(found)}, expected ${part(wanted)}`);
}

const floats = (bytes: Uint8Array): Float64Array => new Float64Array(Uint8Array.from(bytes).buffer);

function expectNear(found: Float64Array, wanted: Float64Array, tolerance: number): void {
  expect(found.length).toBe(wanted.length);
  const at = found.findIndex((value, i) => !(Math.abs(value - wanted[i]!) <= tolerance));
  if (at >= 0) throw new Error(`value ${at} is ${found[at]}, expected ${wanted[at]}`);
}

/** Compares JSON values; `1` and `1.0` differ, the order of keys does not matter. */
const expectJson = (found: Json, wanted: Json): void => expect(comparable(found)).toEqual(comparable(wanted));

function comparable(json: Json): unknown {
  if (json instanceof JsonNumber)
    return json.isInteger ? `integer ${json.bigint}` : `float ${floatText(json.value)}`;
  if (Array.isArray(json)) return json.map(comparable);
  if (!isJsonObject(json)) return json === null || typeof json === "boolean" ? json : `string ${json}`;
  const float = json["$float"];
  if (float !== undefined) return `float ${floatText(Number(float))}`;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, comparable(value)]));
}

const floatText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
