/** What answers say about themselves, and whether it holds. */
import { networkError, type ZarrError } from "../../util/errors.js";
import type { Answer } from "../transport.js";
import { codingsOf } from "./content-encoding.js";
import { TransientFault } from "./retry.js";

/** Answers that mean "there is nothing under this key". Nothing else ever does. */
export const missingStatus: ReadonlySet<number> = new Set([404, 410]);

/**
 * Answers with a whole object: 203 is one that passed a proxy. Other successes hold none: 202 says "later",
 * 204 and 205 have no body.
 */
export const wholeStatus: ReadonlySet<number> = new Set([200, 203]);

/** The error of an answer that is neither data nor "missing". */
export function statusError(name: string, { status, statusText }: Answer): ZarrError {
  return networkError(`${name} answered ${status} ${statusText}`.trimEnd(), { code: "http-status", status });
}

/** The error of a range that was answered with something else. */
export function rangeError(name: string, what: string): ZarrError {
  return networkError(`${name} answered a range request wrongly: ${what}`, { code: "bad-range" });
}

/** True for a body that is compressed on the way, as far as one can see: CORS may hide it. */
export const isEncoded = ({ headers }: Answer): boolean => codingsOf(headers).length > 0;

/** The Content-Length of a body that is not compressed; undefined where there is none. */
export function announcedBytes(response: Answer): number | undefined {
  const text = response.headers.get("content-length");
  if (text === null || !/^\d+$/.test(text) || isEncoded(response)) return undefined;
  const bytes = Number(text);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** @throws TransientFault for a body of another length than was told. */
export function checkLength(bytes: number, told: number | undefined, name: string): void {
  if (told === undefined || bytes === told) return;
  throw new TransientFault(
    networkError(`${name} sent ${bytes} bytes of ${told}`, { code: "truncated-answer" }),
  );
}
