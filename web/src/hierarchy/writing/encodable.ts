/** Chains that can be read only: found out before anything is written. */
import { unsupported } from "../../base/errors.js";
import { findCodec, namesIn } from "../../codecs/lookup.js";
import { codecRow } from "../../engine/codec-table.js";
import type { ArraySpec } from "../../metadata/spec.js";

/** Most lists of codecs in one another that are looked at: more than readers take. */
const maxDepth = 16;

/**
 * Refuses arrays whose chunks cannot be made, because one of their codecs, or of those inside them, has no encoder.
 * @throws Unsupported, naming the codec.
 */
export function requireEncodable({ codecs, zarrFormat }: Pick<ArraySpec, "codecs" | "zarrFormat">): void {
  for (const codec of namesIn(codecs, maxDepth)) {
    const found = findCodec(codec, zarrFormat);
    if (found?.type !== "core" || codecRow(found.definition.core).encode !== "none") continue;
    const message = `${codec} can only be read; name other codecs`;
    throw unsupported(message, { code: "encode-unsupported", codec });
  }
}
