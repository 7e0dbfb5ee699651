/** vlen-array: one-dimensional arrays of any length, all of the same data type. Spec: numcodecs "vlen-array". */
import { componentsOf } from "../dtypes/dtype.js";
import { checkElements, type ElementData, toBytes, toElements } from "../dtypes/elements.js";
import { parseTypestr, type StoredType } from "../dtypes/typestr.js";
import { type ConfigReader, show } from "./config.js";
import { checkType, type VlenCodecDefinition } from "./vlen-codec.js";
import { badValue, corrupt, frameItems, itemBounds } from "./vlen-framing.js";

/** `dtype` is the NumPy type string of the items' elements. */
export const vlenArray: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-array"], 3: ["vlen-array", "numcodecs.vlen-array"] },
  elements: "object",
  parse(config, context) {
    const { codec } = config;
    config.only("dtype");
    checkType(config, context, ["object"]);
    const type = readType(config);
    return {
      decode: (bytes, count) => {
        const bounds = itemBounds(codec, bytes, count);
        return Array.from({ length: count }, (_, i) =>
          decodeItem(codec, type, bytes, bounds[2 * i]!, bounds[2 * i + 1]!),
        );
      },
      encode: (values) =>
        frameItems(
          codec,
          values.map((value, index) => encodeItem(codec, type, value, index)),
        ),
    };
  },
};

function readType(config: ConfigReader): StoredType {
  const text = config.get("dtype");
  if (typeof text !== "string") throw config.error(`"dtype" must be a NumPy type string, not ${show(text)}`);
  return parseTypestr(text);
}

function decodeItem(
  codec: string,
  type: StoredType,
  bytes: Uint8Array,
  start: number,
  end: number,
): ElementData {
  if ((end - start) % type.dtype.itemBytes !== 0) {
    throw corrupt(codec, "corrupt", start, `an element is no multiple of ${type.dtype.itemBytes} bytes`);
  }
  const item = bytes.slice(start, end);
  swap(type, item);
  return toElements(type.dtype, item);
}

function encodeItem(codec: string, type: StoredType, value: unknown, index: number): Uint8Array {
  const { dtype } = type;
  // The default fill value of objects, which pads chunks: encoded like numcodecs does.
  if (value === 0) return new Uint8Array(dtype.itemBytes);
  const length = (value as { byteLength?: unknown } | null)?.byteLength;
  if (typeof length !== "number") throw badValue(codec, "typed arrays", index);
  // Round down: checkElements rejects a partial element.
  const perElement = toElements(dtype, new Uint8Array(dtype.itemBytes)).byteLength;
  checkElements(dtype, value, Math.floor(length / perElement), `codec ${codec}: element ${index}`);
  const item = toBytes(dtype, value).slice();
  swap(type, item);
  return item;
}

/** Converts between stored byte order and little-endian, in place; type strings have one run of components. */
function swap({ dtype, endians }: StoredType, item: Uint8Array): void {
  if (endians[0] !== "big") return;
  const { bytes } = componentsOf(dtype)[0]!;
  for (let at = 0; at < item.length; at += bytes) item.subarray(at, at + bytes).reverse();
}
