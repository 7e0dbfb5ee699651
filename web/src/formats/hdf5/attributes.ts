/** Attributes of objects, in the header or in a fractal heap. Spec: HDF5 File Format Specification, IV.A.2.m and v. */

import { jsonObject } from "../../metadata/print.js";
import { type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";
import { Cursor } from "../file/cursor.js";
import { floatFillAttribute } from "../file/documents.js";
import { readDatatype } from "./datatype.js";
import { Budget, checkVersion, type HdfFile } from "./file.js";
import { denseObjects } from "./fractal-heap.js";
import { type Message, messageType, type ObjectHeader, readHeader } from "./header.js";
import { readDataspace } from "./messages.js";
import type { MessageReader } from "./shared.js";
import type { Dataspace, Datatype } from "./types.js";
import { NoJson, nest, ValueReader } from "./values.js";

export interface Attribute {
  readonly name: string;
  readonly type: Datatype;
  readonly space: Dataspace;
  readonly bytes: Uint8Array;
  readonly order: number | undefined;
}

/** Maximum size of the datatypes of an object's attributes, which may all share a large one. */
const maxTypeBytes = 2 ** 23;

/** Returns the attributes of an object in the order of their creation if it is tracked, else as stored. */
export async function readAttributes(
  reader: MessageReader,
  header: ObjectHeader,
): Promise<ReadonlyMap<string, Attribute>> {
  const found: Attribute[] = [];
  const budget = new Budget(
    maxTypeBytes,
    `the object at ${header.address} has more than ${maxTypeBytes} bytes of datatypes of attributes`,
  );
  for (const message of header.messages) {
    const { type } = message;
    if (type !== messageType.attribute && type !== messageType.attributeInfo) continue;
    const cursor = await reader.content(message, header.address);
    if (type === messageType.attribute)
      found.push(await readAttribute(reader, cursor, message.order, budget));
    else for (const attribute of await denseAttributes(reader, cursor, budget)) found.push(attribute);
  }
  if (found.every(({ order }) => order !== undefined)) found.sort((a, b) => a.order! - b.order!);
  return new Map(found.map((attribute) => [attribute.name, attribute]));
}

/** Returns the attributes of the object at an address. */
export const attributesAt = async (
  reader: MessageReader,
  address: number,
): Promise<ReadonlyMap<string, Attribute>> => readAttributes(reader, await readHeader(reader.file, address));

async function denseAttributes(reader: MessageReader, cursor: Cursor, budget: Budget): Promise<Attribute[]> {
  const attributes: Attribute[] = [];
  const isShared = (record: Uint8Array) => (record[8]! & 2) !== 0;
  const idAt = (record: Uint8Array) => (isShared(record) ? undefined : 0);
  for await (const { record, bytes } of denseObjects(reader.file, cursor, 2, idAt)) {
    const content = bytes
      ? new Cursor(bytes, "an attribute")
      : await reader.heapMessage(record.subarray(0, 8), messageType.attribute);
    const order = new Cursor(record, "a record of attributes", true, 9).u32();
    attributes.push(await readAttribute(reader, content, order, budget));
  }
  return attributes;
}

async function readAttribute(
  reader: MessageReader,
  cursor: Cursor,
  order: Message["order"],
  budget: Budget,
): Promise<Attribute> {
  const { file } = reader;
  const version = checkVersion(cursor, 1, 2, 3);
  const flags = version === 1 ? 0 * cursor.u8() : cursor.u8();
  const [nameBytes, typeBytes, spaceBytes] = [cursor.u16(), cursor.u16(), cursor.u16()];
  if (version === 3) cursor.skip(1);
  const take = (length: number) => cursor.take(version === 1 ? 8 * Math.ceil(length / 8) : length);
  const name = new Cursor(take(nameBytes), cursor.what).text(nameBytes);
  const part = async (length: number, isShared: boolean, type: number): Promise<Cursor> => {
    const own = new Cursor(take(length), `attribute "${name}" of ${cursor.what}`);
    return isShared ? reader.shared(own, type) : own;
  };
  const typeCursor = await part(typeBytes, (flags & 1) !== 0, messageType.datatype);
  const spaceCursor = await part(spaceBytes, (flags & 2) !== 0, messageType.dataspace);
  budget.spend(typeCursor.left);
  const type = readDatatype(typeCursor, file.offsetBytes);
  const space = readDataspace(file, spaceCursor);
  return { name, type, space, bytes: cursor.take(cursor.left), order };
}

/** How attributes are shown. */
interface AttributeRules {
  /** Names of the attributes to omit. */
  readonly hidden: ReadonlySet<string>;
  /** Whether a list of one value is that value, as NetCDF-4 stores it. */
  readonly isNetcdf: boolean;
  /**
   * Core type of the array: `_FillValue` is written as xarray does in Zarr v3, for floats in base64. Fixed-length strings
   * lose theirs, because xarray cannot open such arrays with a `_FillValue`.
   */
  readonly core: string;
}

/** Returns attributes as JSON. Values without a form in JSON are omitted with a warning. */
export async function attributesJson(
  file: HdfFile,
  attributes: ReadonlyMap<string, Attribute>,
  { hidden, isNetcdf, core }: AttributeRules,
): Promise<JsonObject> {
  const entries: [string, Json][] = [];
  const reader = new ValueReader(file);
  for (const attribute of attributes.values()) {
    const { name, space } = attribute;
    if (hidden.has(name) || (name === "_FillValue" && core.startsWith("fixed_"))) continue;
    await file.turn();
    const value = await jsonOf(file, reader, attribute);
    if (value === undefined) continue;
    const isSingle = Array.isArray(value) && value.length === 1 && space.shape?.length === 1;
    const single = isSingle && (isNetcdf || name === "_FillValue") ? value[0]! : value;
    entries.push([name, name === "_FillValue" ? fillAttribute(single, core) : single]);
  }
  return jsonObject(entries);
}

function fillAttribute(value: Json, core: string): Json {
  if (!/^b?float\d/.test(core) || !(value instanceof JsonNumber)) return value;
  return floatFillAttribute(value.value);
}

/** Maximum number of empty lists in an attribute without elements. */
const maxEmpty = 1024;

async function jsonOf(
  file: HdfFile,
  reader: ValueReader,
  { name, type, space: { shape }, bytes }: Attribute,
): Promise<Json | undefined> {
  if (!shape) return type.kind === "string" || (type.kind === "variable" && type.isString) ? "" : null;
  const count = countOf(shape);
  if (count === 0 && shape.some((length) => length > maxEmpty)) return [];
  try {
    return nest(await reader.list(type, bytes, count), shape);
  } catch (error) {
    if (!(error instanceof NoJson)) throw error;
    const message = `${file.context.name}: attribute "${name}" is left out: it has ${error.message}`;
    file.context.onWarning?.({ code: "hdf5-attribute", message });
    return undefined;
  }
}
