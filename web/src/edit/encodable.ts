/** Rejects chains that cannot encode the chunks of an array before anything is written. */

import { layoutArray } from "../chain/layout.js";
import { wholeCodec } from "../chain/shard-codec.js";
import { findCodec, namesIn } from "../codecs/lookup.js";
import { codecRow } from "../engine/codec-table.js";
import { sessionOf } from "../engine/engine.js";
import type { ArraySpec } from "../metadata/spec.js";
import { invalidMetadata, isZarrError, unsupported } from "../util/errors.js";
import { resolveLimits } from "../util/limits.js";

/** Maximum nesting of codec lists to check; readers accept less. */
const maxDepth = 16;

/**
 * Rejects arrays with a codec that has no encoder, or that does not fit the chunks or the codecs around it.
 * @throws Unsupported or InvalidMetadata, naming the codec.
 */
export async function requireEncodable(spec: ArraySpec): Promise<void> {
  const found = namesIn(spec.codecs, maxDepth).flatMap((name) => {
    const codec = findCodec(name, spec.zarrFormat);
    return codec?.type === "core" ? [{ name, definition: codec.definition }] : [];
  });
  for (const { name, definition } of found) {
    if (codecRow(definition.core).encode !== "none") continue;
    const message = `${name} can only be read; name other codecs`;
    throw unsupported(message, { code: "encode-unsupported", codec: name });
  }
  if (found.some(({ definition }) => definition.checkedByCore)) await checkInCore(spec);
}

/** Checks the chain and all sizes in it in the wasm core. */
async function checkInCore({ firstLayout, dtype, fill, zarrFormat }: ArraySpec): Promise<void> {
  const codec = wholeCodec(firstLayout, layoutArray(dtype, fill), resolveLimits(undefined));
  const session = await sessionOf(codec.encodeModule);
  try {
    codec.prepare(session);
  } catch (error) {
    const name = isZarrError(error, "InvalidMetadata") ? error.codec : undefined;
    const found = name === undefined ? undefined : findCodec(name, zarrFormat);
    const reason = found?.type === "core" ? found.definition.checkedByCore : undefined;
    if (reason === undefined) throw error;
    const message = `codec ${name}: ${reason}`;
    throw invalidMetadata(message, { code: "bad-configuration", codec: name, cause: error });
  }
}
