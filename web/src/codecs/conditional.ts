/**
 * conditional: bytes-to-bytes codecs with a header in each chunk that states which were applied. Spec: Zarr
 * extensions.
 */

import { codecRow } from "../engine/codec-table.js";
import { isRecord } from "../util/arguments.js";
import { limitExceeded } from "../util/errors.js";
import {
  type CodecContext,
  type CodecDefinition,
  ConfigReader,
  type Configuration,
  formatValue,
  type ZarrVersion,
} from "./definition.js";

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
