/** Context of reading a transformation. */

import type { ZarrGroup } from "../../../hierarchy/group.js";
import { limitExceeded } from "../../../util/errors.js";
import type { MappingOptions } from "../coordinate-types.js";

export interface Context {
  /** The group that holds it; paths are relative to it. */
  readonly group: ZarrGroup;
  /** Name in messages. */
  readonly where: string;
  readonly options: MappingOptions;
  /** Counts transformations. @throws LimitExceeded */
  readonly count: () => void;
  /** Counts bytes that are read. @throws LimitExceeded */
  readonly take: (bytes: number, path: string) => void;
}

/** Maximum number of transformations read for one mapping, including nested ones. */
const maxTransformations = 1000;

export const tooMany = (what: string, most: number) =>
  limitExceeded(`${what}: more than ${most} are not read`, { code: "too-many-transformations" });

/** Returns counters that enforce the limits of a mapping. */
export function budget(maxBytes: number): Pick<Context, "count" | "take"> {
  let bytesLeft = maxBytes;
  let left = maxTransformations;
  return {
    count() {
      if (--left < 0) throw tooMany("the transformations of this mapping", maxTransformations);
    },
    take(bytes, path) {
      bytesLeft -= bytes;
      if (bytesLeft >= 0) return;
      throw limitExceeded(
        `the vector field at "${path}" takes ${bytes} bytes; all of them may take ${maxBytes} (maxBytes)`,
        { code: "transformation-bytes" },
      );
    },
  };
}
