/** Values of attributes as JSON. */

import { decodeFloat, floatFormats } from "../../dtypes/floats.js";
import { jsonObject } from "../../metadata/print.js";
import { type Json, JsonNumber } from "../../util/json.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import { floatJson } from "../file/documents.js";
import { Budget, type HdfFile } from "./file.js";
import { readVariable } from "./global-heap.js";
import { isBooleanEnum } from "./mapping.js";
import type {
  ArrayType,
  CompoundType,
  Datatype,
  FloatType,
  IntegerType,
  Padding,
  VariableType,
} from "./types.js";

/** Thrown for values that JSON cannot hold exactly; a reason for a warning. */
export class NoJson extends Error {}

/** Reads the values of an attribute. */
export class ValueReader {
  /** Bounds the bytes of the values: a small value can refer to a large object many times. */
  readonly #budget: Budget;

  constructor(private readonly file: HdfFile) {
    const { limits, name } = file.context;
    this.#budget = new Budget(
      limits.metadataBytes,
      `${name} has attributes of more than ${limits.metadataBytes} bytes`,
    );
  }

  /** Returns `count` values that follow one another. */
  async list(type: Datatype, bytes: Uint8Array, count: number): Promise<Json[]> {
    const size = count * type.size;
    if (bytes.byteLength < size) throw badFile(`${this.file.context.name} has an attribute that ends early`);
    this.#budget.spend(size);
    const values: Json[] = [];
    for (let at = 0; at < size; at += type.size) {
      if (at % 2 ** 12 === 0) await this.file.turn();
      const value = this.#value(type, bytes.subarray(at, at + type.size));
      values.push(value instanceof Promise ? await value : value);
    }
    return values;
  }

  #value(type: Datatype, bytes: Uint8Array): Json | Promise<Json> {
    switch (type.kind) {
      case "integer":
        return integerValue(type, bytes);
      case "float":
        return floatValue(type, bytes);
      case "string":
        return fixedText(bytes, type.padding);
      case "enum":
        return isBooleanEnum(type) ? bytes[0] !== 0 : this.#value(type.base, bytes);
      case "array":
        return this.#array(type, bytes);
      case "variable":
        return this.#variable(type, bytes);
      case "compound":
        return this.#compound(type, bytes);
      default:
        throw new NoJson(`values of the datatype class ${type.kind}`);
    }
  }

  async #array({ base, shape, size }: ArrayType, bytes: Uint8Array): Promise<Json> {
    return nest(await this.list(base, bytes, size / base.size), shape);
  }

  async #compound({ members }: CompoundType, bytes: Uint8Array): Promise<Json> {
    const entries: [string, Json][] = [];
    for (const { name, offset, type } of members)
      entries.push([name, await this.#value(type, bytes.subarray(offset, offset + type.size))]);
    return jsonObject(entries);
  }

  async #variable(type: VariableType, bytes: Uint8Array): Promise<Json> {
    const { length, object } = readVariable(this.file, new Cursor(bytes, "an element of variable length"));
    if (!type.isString) return this.list(type.base, await object, length);
    const text = (await object).subarray(0, length);
    this.#budget.spend(text.byteLength);
    return fixedText(text, type.padding);
  }
}

/** Returns a string without its padding. */
export function fixedText(bytes: Uint8Array, padding: Padding): string {
  const text = textOf(bytes);
  return padding === "space-padded" ? text.replace(/ +$/, "") : text;
}

export function integerValue(
  { isLittle, isSigned, bitOffset, precision }: IntegerType,
  bytes: Uint8Array,
): Json {
  let value = 0n;
  for (const byte of isLittle ? bytes.toReversed() : bytes) value = (value << 8n) | BigInt(byte);
  value >>= BigInt(bitOffset);
  const bits = isSigned ? BigInt.asIntN(precision, value) : BigInt.asUintN(precision, value);
  return new JsonNumber(String(bits));
}

function floatValue(type: FloatType, bytes: Uint8Array): Json {
  const { name } = type;
  if (!name) throw new NoJson(`floats of ${type.precision} bits`);
  const { buffer, byteOffset, byteLength } = bytes;
  const view = new DataView(buffer, byteOffset, byteLength);
  if (name === "float64") return floatJson(view.getFloat64(0, type.isLittle));
  if (name === "float32") return floatJson(view.getFloat32(0, type.isLittle));
  const code = type.size === 1 ? view.getUint8(0) : view.getUint16(0, type.isLittle);
  return floatJson(decodeFloat(floatFormats[name], code));
}

/** Divides a list of values in C order into lists by a shape. */
export function nest(values: Json[], shape: readonly number[]): Json {
  if (shape.length === 0) return values[0] ?? null;
  if (shape.length === 1) return values;
  const rows = shape[0]!;
  const rowLength = rows === 0 ? 0 : values.length / rows;
  return Array.from({ length: rows }, (_, i) =>
    nest(values.slice(i * rowLength, (i + 1) * rowLength), shape.slice(1)),
  );
}
