/** Retries of writes that may have been applied although they failed. */
import { isZarrError } from "../../util/errors.js";
import { outcomeUnknown } from "../conditions.js";
import type { SetOptions } from "../store.js";
import { TransientFault } from "./retry.js";

/** A transient failure after which it is unknown whether the request was applied. */
export class DoubtfulFault extends TransientFault {}

export type Condition = SetOptions["ifVersion"];

interface DoubtfulWrite {
  readonly url: URL;
  /** The caller's condition. */
  readonly ifVersion: Condition;
  /** Sends the request once, under a condition. */
  readonly send: (condition: Condition) => Promise<void>;
  /** Reads the version that is stored now; undefined if the server shows none that conditions can use. */
  readonly versionNow: (() => Promise<Condition>) | undefined;
  /** Repeats attempts that end with a TransientFault. */
  readonly retried: (attempt: () => Promise<void>) => Promise<void>;
}

/**
 * Sends a write with retries. After an attempt that may have been applied, an unconditional write is repeated only
 * under the condition that the object has not changed since: a repetition that the server carries out late must not
 * overwrite a newer object.
 * @throws Network ("unknown-outcome") for a conditional write that fails after such an attempt: a refusal may be due to
 *   the write itself. What `send` throws otherwise.
 */
export async function sendInDoubt(write: DoubtfulWrite): Promise<void> {
  const { url, ifVersion, send, retried } = write;
  let { versionNow } = write;
  let isInDoubt = false;
  const attempt = async () => {
    const isGuarded = isInDoubt && ifVersion === undefined && versionNow !== undefined;
    const condition = isGuarded ? await versionNow!() : ifVersion;
    try {
      await send(condition);
    } catch (error) {
      isInDoubt ||= error instanceof DoubtfulFault;
      if (!isGuarded || condition === undefined) throw error;
      if (isZarrError(error, "Unsupported")) versionNow = undefined;
      else if (!isZarrError(error, "AlreadyExists", "Conflict")) throw error;
      throw new TransientFault(error);
    }
  };
  try {
    await retried(attempt);
  } catch (error) {
    const isUnknown = ifVersion !== undefined || isZarrError(error, "AlreadyExists", "Conflict");
    throw isInDoubt && isUnknown && isZarrError(error) ? outcomeUnknown(url, error) : error;
  }
}
