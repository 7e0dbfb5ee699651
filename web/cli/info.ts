/** `zarr-wasm info`: facts about an array. */
import type { ZarrArray } from "zarr-wasm";
import { openSource, type Values } from "./usage.js";

/** What `--json` prints; numbers that JSON cannot hold are strings. */
function facts(array: ZarrArray) {
  const grid = array.shape.map((length, axis) => Math.ceil(length / array.chunkShape[axis]!));
  const product = (lengths: readonly number[]) => lengths.reduce((a, b) => a * b, 1);
  return {
    kind: array.kind,
    path: array.path,
    zarrFormat: array.zarrFormat,
    shape: array.shape,
    chunkShape: array.chunkShape,
    dtype: describeType(array.dtype),
    fillValue: array.fillValue,
    codecs: array.codecs,
    chunks: product(grid),
    bytes: product(array.shape) * array.dtype.itemBytes,
    chunkBytes: product(array.chunkShape) * array.dtype.itemBytes,
    attributes: array.attributes,
  };
}

function describeType(dtype: ZarrArray["dtype"]): unknown {
  if (dtype.fields)
    return { name: dtype.name, fields: dtype.fields.map((f) => [f.name, describeType(f.dtype), ...f.shape]) };
  if (dtype.unit !== undefined) return { name: dtype.name, unit: dtype.unit, scaleFactor: dtype.scaleFactor };
  return /^(null_terminated_bytes|fixed_length_utf32)$/.test(dtype.name)
    ? { name: dtype.name, bytes: dtype.itemBytes }
    : dtype.name;
}

/** JSON.stringify's replacer for what JSON has no form for. */
function replacer(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return { b64: Buffer.from(value).toString("base64") };
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return power === 0
    ? `${bytes} bytes`
    : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]} (${bytes} bytes)`;
}

function compact(value: unknown): string {
  const text = JSON.stringify(value, replacer) ?? "undefined";
  return text.replace(/^"(.*)"$/, "$1");
}

export async function runInfo(source: string, values: Values): Promise<void> {
  const array = await openSource(source, values);
  const all = facts(array);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(all, replacer, 2)}\n`);
    return;
  }
  const codecs = all.codecs.map(({ name, configuration }) =>
    configuration && Object.keys(configuration).length > 0 ? `${name} ${compact(configuration)}` : name,
  );
  const rows: [string, string][] = [
    ["format", `Zarr v${all.zarrFormat} array${all.path ? ` at ${all.path}` : ""}`],
    ["shape", `[${all.shape.join(", ")}]`],
    ["chunks", `[${all.chunkShape.join(", ")}], ${all.chunks} of ${bytesText(all.chunkBytes)} each`],
    ["dtype", compact(all.dtype)],
    ["fill value", compact(all.fillValue)],
    ["codecs", codecs.join("\n             ")],
    ["size", bytesText(all.bytes)],
    ["attributes", compact(all.attributes)],
  ];
  process.stdout.write(rows.map(([name, text]) => `${name.padEnd(11)}  ${text}\n`).join(""));
}
