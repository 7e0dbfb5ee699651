/**
 * Codecs of zarr-extensions. reshape gives the same elements in C order another shape; conditional applies bytes-to-bytes
 * codecs, and states in the header of each chunk which.
 */

import { codecRow } from "../engine/codec-table.js";
import { isRecord } from "../util/arguments.js";
import { limitExceeded } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import {
  type CodecContext,
  type CodecDefinition,
  ConfigReader,
  type Configuration,
  formatValue,
  type ZarrVersion,
} from "./definition.js";

const isCount = (value: unknown, min: number): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= min;

/** Checks lists of the array's dimensions: they must ascend across all lists, so no dimension appears twice. */
function checkDimensions(config: ConfigReader, entries: readonly unknown[], rank: number): void {
  const dims = entries.filter(Array.isArray).flat() as unknown[];
  const ascends = dims.every(
    (dim, i) => isCount(dim, 0) && dim < rank && (i === 0 || dim > (dims[i - 1] as number)),
  );
  if (!ascends) {
    throw config.error(`the dimensions in "shape" ${formatValue(entries)} must ascend, and be below ${rank}`);
  }
}

/** Checks the position of a list of dimensions: the products of the lengths before and after it must match. */
function checkPlace(
  config: ConfigReader,
  entry: unknown,
  i: number,
  from: readonly number[],
  to: readonly number[],
) {
  if (!Array.isArray(entry) || entry.length === 0) return;
  const before = countOf(from.slice(0, entry[0] as number));
  const after = countOf(from.slice((entry.at(-1) as number) + 1));
  const contiguous = entry.every((dim, k) => dim === (entry[0] as number) + k);
  if (!contiguous || countOf(to.slice(0, i)) !== before || countOf(to.slice(i + 1)) !== after) {
    throw config.error(`dimensions ${formatValue(entry)} do not lie at position ${i} of "shape"`);
  }
}

function readShape(config: ConfigReader, from: readonly number[]): number[] {
  const entries = config.get("shape");
  const valid =
    Array.isArray(entries) &&
    entries.every((entry) => Array.isArray(entry) || entry === -1 || isCount(entry, 1)) &&
    entries.filter((entry) => entry === -1).length <= 1;
  if (!valid) {
    throw config.error(
      `"shape" must hold lengths, lists of dimensions and at most one -1, not ${formatValue(entries)}`,
    );
  }
  checkDimensions(config, entries, from.length);
  const known = entries.map((entry: unknown) =>
    Array.isArray(entry) ? countOf(entry.map((dim: number) => from[dim]!)) : (entry as number),
  );
  const rest = countOf(from) / countOf(known.filter((length) => length !== -1));
  const to = known.map((length) => (length === -1 ? rest : length));
  if (countOf(to) !== countOf(from) || !to.every((length) => isCount(length, 1))) {
    throw config.error(
      `"shape" ${formatValue(entries)} does not have as many elements as shape ${formatValue(from)}`,
    );
  }
  entries.forEach((entry: unknown, i) => {
    checkPlace(config, entry, i, from, to);
  });
  return to;
}

export const reshape: CodecDefinition = {
  core: "reshape",
  kind: "array-to-array",
  names: { 3: ["reshape"] },
  parse(config, { array }) {
    config.only("shape");
    const shape = readShape(config, array.shape);
    return { params: shape, encoded: { dtype: array.dtype, shape } };
  },
};

/** Maximum size of a header in bits. */
const maxHeaderBits = 8192;
/** Maximum number of codecs in one list, as in the core. */
const maxCodecs = 64;
/** Maximum nesting depth, as in the core. */
const maxDepth = 4;

type FindCodec = (name: string, version: ZarrVersion) => CodecDefinition | undefined;

/** Makes the definition; `find` looks up nested codecs. */
export function makeConditional(find: FindCodec): CodecDefinition {
  return {
    core: "conditional",
    kind: "bytes-to-bytes",
    checkedByCore: "its codecs must take the bytes that they are given",
    names: { 3: ["conditional"] },
    parse(config, context) {
      config.only("codecs", "header_bits");
      const { depth = 0 } = context;
      if (depth >= maxDepth)
        throw limitExceeded(`codec conditional is nested deeper than ${maxDepth} levels`);
      const codecs = config.get("codecs");
      if (!Array.isArray(codecs) || codecs.length > maxCodecs) {
        throw config.error(
          `"codecs" must be a list of at most ${maxCodecs} codecs, not ${formatValue(codecs)}`,
        );
      }
      const nested = codecs.flatMap((codec) =>
        nestedWords(config, codec, find, { ...context, depth: depth + 1 }),
      );
      return { params: [readHeaderBits(config, codecs.length) / 8, codecs.length, ...nested] };
    },
  };
}

/** Parses the header size: one bit per codec, in whole bytes; at least one byte. */
function readHeaderBits(config: ConfigReader, count: number): number {
  const minBits = Math.max(8, Math.ceil(count / 8) * 8);
  const bits = config.integer("header_bits", minBits, maxHeaderBits, minBits);
  if (bits % 8 !== 0) throw config.error(`"header_bits" must be a multiple of 8, not ${bits}`);
  return bits;
}

/** Returns a nested codec as the core's words: its id, the number of its parameters, the parameters. */
function nestedWords(
  config: ConfigReader,
  codec: unknown,
  find: FindCodec,
  context: CodecContext,
): readonly number[] {
  const { name, configuration } = readNested(config, codec);
  const definition = find(name, context.version);
  if (definition?.kind !== "bytes-to-bytes") {
    throw config.error(`"codecs" must hold bytes-to-bytes codecs, not ${formatValue(name)}`);
  }
  const { params } = definition.parse(new ConfigReader(name, configuration, context.version), context);
  return [codecRow(definition.core).id, params.length, ...params];
}

function readNested(config: ConfigReader, codec: unknown): { name: string; configuration: Configuration } {
  if (typeof codec === "string") return { name: codec, configuration: {} };
  const { name, configuration = {} } = isRecord(codec) ? codec : {};
  if (typeof name !== "string" || !isRecord(configuration)) {
    throw config.error(
      `"codecs" must hold codecs with a name and a configuration, not ${formatValue(codec)}`,
    );
  }
  return { name, configuration };
}
