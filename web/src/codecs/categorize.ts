/**
 * categorize: strings from a fixed list of labels, stored as integers. Code 0 is the empty string, code k the
 * k-th label. Spec: numcodecs categorize.py.
 *
 * numcodecs treats it as an array-to-array filter; here it converts an array of strings to the bytes of its
 * codes, in C order, and so must come directly before the bytes-to-bytes codecs.
 */
import { readScalar } from "../dtypes/scalar.js";
import { parseTypestr, type StoredType } from "../dtypes/typestr.js";
import { swapBytes } from "../util/bytes.js";
import { type CodecContext, type ConfigReader, formatValue } from "./definition.js";
import { badValue, corrupt, type VlenCodecDefinition } from "./vlen-codec.js";

/**
 * Supports objects (`|O`) and fixed-length Unicode strings (`<U5`). Values are strings in both cases;
 * `packStrings` converts them to items of fixed length.
 */
export const categorize: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["categorize"], 3: ["numcodecs.categorize"] },
  elements: "string",
  parse(config, context) {
    const { codec } = config;
    config.only("labels", "dtype", "astype");
    checkTypes(config, context);
    const labels = readLabels(config);
    const codes = readCodes(config, labels.length);
    const texts = ["", ...labels];
    const byText = new Map(texts.map((text, code) => [text, code]));
    byText.set("", 0);
    return {
      decode: (bytes, count) => decodeCodes(codec, codes, texts, bytes, count),
      encode: (values) =>
        encodeCodes(
          codes,
          values.map((value, index) => byText.get(value as string) ?? unknown(codec, index)),
        ),
    };
  },
};

function unknown(codec: string, index: number): never {
  throw badValue(codec, "strings from its list of labels, or empty ones", index);
}

function checkTypes(config: ConfigReader, { array: { dtype } }: CodecContext): void {
  const fits = dtype.name === "string" || dtype.name === "object" || dtype.core === "fixed_utf32";
  if (!fits) throw config.error(`data type ${dtype} has no labels`);
  const text = config.get("dtype");
  if (text === undefined || text === null) return;
  if (typeof text !== "string" || !/^([<>]U\d+|\|O)$/.test(text))
    throw config.error(`"dtype" must be a type of strings, not ${formatValue(text)}`);
}

function readLabels(config: ConfigReader): readonly string[] {
  const labels = config.get("labels");
  const valid = Array.isArray(labels) && labels.every((label) => typeof label === "string");
  if (!valid) throw config.error(`"labels" must be a list of strings, not ${formatValue(labels)}`);
  return labels;
}

/** Parses the type of the codes: an integer type with a code for every label. */
function readCodes(config: ConfigReader, labels: number): StoredType {
  const text = config.get("astype") ?? "|u1";
  if (typeof text !== "string")
    throw config.error(`"astype" must be a NumPy type string, not ${formatValue(text)}`);
  const type = parseTypestr(/^[iu]\d$/.test(text) ? `<${text}` : text);
  const { core, itemBytes } = type.dtype;
  const isSigned = core.startsWith("int");
  if (!isSigned && !core.startsWith("uint"))
    throw config.error(`"astype" must be an integer type, not ${text}`);
  if (labels >= 2 ** (8 * itemBytes - (isSigned ? 1 : 0)))
    throw config.error(`"astype" ${text} is too small`);
  return type;
}

const isBig = ({ endians }: StoredType) => endians[0] === "big";

function decodeCodes(
  codec: string,
  type: StoredType,
  texts: readonly string[],
  bytes: Uint8Array,
  count: number,
): string[] {
  const { dtype } = type;
  if (bytes.length !== count * dtype.itemBytes) {
    throw corrupt(
      codec,
      bytes.length < count * dtype.itemBytes ? "truncated" : "trailing-bytes",
      bytes.length,
    );
  }
  const little = isBig(type) ? bytes.slice() : bytes;
  if (isBig(type)) swapBytes(little, dtype.itemBytes);
  return Array.from({ length: count }, (_, i) => {
    const at = i * dtype.itemBytes;
    const text = texts[Number(readScalar(dtype, little, at))];
    if (text === undefined) throw corrupt(codec, "corrupt", at, "a code has no label");
    return text;
  });
}

function encodeCodes(type: StoredType, codes: readonly number[]): Uint8Array<ArrayBuffer> {
  const width = type.dtype.itemBytes;
  const out = new Uint8Array(codes.length * width);
  codes.forEach((code, i) => {
    for (let k = 0; k < width; k++) out[i * width + k] = Math.floor(code / 256 ** k) % 256;
  });
  if (isBig(type)) swapBytes(out, width);
  return out;
}
