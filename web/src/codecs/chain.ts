/** Chains of codecs: looking each one up, checking their order, turning configurations into parameters. */
import type { ChainStep } from "../engine/plan.js";
import { invalidMetadata, limitExceeded, unknownCodec } from "../errors.js";
import type { Limits } from "../limits.js";
import { ConfigReader, type Configuration } from "./config.js";
import type { CodecArray, CodecContext, CodecDefinition, CodecKind, ZarrVersion } from "./definition.js";
import { codecNames, findCodec } from "./registry.js";

/** A codec as metadata names it. */
export interface CodecMetadata {
  readonly name: string;
  readonly configuration?: Configuration;
}

export interface ResolvedChain {
  readonly steps: readonly ChainStep[];
}

const ranks: Readonly<Record<CodecKind, number>> = {
  "array-to-array": 0,
  "array-to-bytes": 1,
  "bytes-to-bytes": 2,
};

/**
 * Resolves a chain, given in encoding order, for the arrays it will be given.
 *
 * The order must be array-to-array codecs, one array-to-bytes codec, bytes-to-bytes codecs (spec: Zarr
 * v3 core; the draft says the same of transpose after a codec that yields bytes).
 * @throws UnknownCodec, InvalidMetadata or LimitExceeded, naming the codec; before any chunk is read.
 */
export function resolveChain(
  codecs: readonly CodecMetadata[],
  array: CodecArray,
  version: ZarrVersion,
  limits: Limits,
): ResolvedChain {
  if (codecs.length > limits.chainLength) {
    throw limitExceeded(
      `a chain of ${codecs.length} codecs is longer than the limit of ${limits.chainLength}`,
    );
  }
  const steps: ChainStep[] = [];
  let current = array;
  let previous: { name: string; kind: CodecKind } | undefined;
  for (const { name, configuration = {} } of codecs) {
    const definition = lookUp(name, version);
    checkOrder(name, definition.kind, previous);
    const context: CodecContext = { version, array: current };
    const { params, encoded } = definition.parse(new ConfigReader(name, configuration), context);
    current = encoded ?? current;
    steps.push({ core: definition.core, params, name });
    previous = { name, kind: definition.kind };
  }
  if (!previous || previous.kind === "array-to-array") {
    throw invalidMetadata("the codecs lack one that turns the array into bytes, such as bytes", {
      code: "codec-order",
    });
  }
  return { steps };
}

function lookUp(name: string, version: ZarrVersion): CodecDefinition {
  const definition = findCodec(name, version);
  if (definition) return definition;
  const known = codecNames(version).join(", ");
  throw unknownCodec(`codec "${name}" is not known; Zarr v${version} arrays here may use ${known}`, {
    codec: name,
  });
}

function checkOrder(
  name: string,
  kind: CodecKind,
  previous: { name: string; kind: CodecKind } | undefined,
): void {
  const before = previous ? ranks[previous.kind] : 0;
  const fits = kind === "bytes-to-bytes" ? before >= 1 : before === 0;
  if (fits) return;
  const message =
    kind === "bytes-to-bytes"
      ? `codec ${name} works on bytes, but no codec before it turns the array into bytes`
      : `codec ${name} works on arrays and cannot follow ${previous!.name}, which yields bytes`;
  throw invalidMetadata(message, { code: "codec-order", codec: name });
}
