/** Errors for codecs that are not in any list. */
import { unknownCodec, unsupported, type ZarrError } from "../util/errors.js";
import { implicitCodecs } from "./codec-list.js";
import type { ZarrVersion } from "./definition.js";
import { codecNames } from "./registry.js";
import { unsupportedCodecs } from "./unsupported.js";

/** Returns Unsupported for codecs known by name, UnknownCodec for others. */
export function unknownError(name: string, version: ZarrVersion): ZarrError {
  if (Object.hasOwn(unsupportedCodecs, name)) {
    return unsupported(`codec "${name}" is not supported: ${unsupportedCodecs[name]}`, {
      code: "unsupported-codec",
      codec: name,
    });
  }
  const isNamed = (known: string) => version === 3 || !implicitCodecs.includes(known);
  const known = codecNames(version).filter(isNamed).join(", ");
  return unknownCodec(`codec "${name}" is not known; Zarr v${version} arrays here may use ${known}`, {
    codec: name,
  });
}
