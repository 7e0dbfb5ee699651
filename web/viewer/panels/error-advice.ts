/** What users can check after an error, and facts for a report. */
import type { ZarrError } from "zarr-wasm";
import { h } from "../base/dom.js";
import { maxText, shortened } from "../base/text.js";
import { text } from "../language/text.js";

/** The operation that failed. */
export type FailedOperation = "opening" | "reading";

/** Page and source, as context of an error. */
export interface ErrorContext {
  readonly operation: FailedOperation;
  /** Protocol of the page, such as "https:". */
  readonly pageProtocol: string;
  /** Origin of the page, which other servers must allow. */
  readonly pageOrigin?: string | undefined;
  readonly source: string;
}

export interface Advice {
  /** Things that the user can check or do. */
  readonly hints: readonly string[];
  /** Facts for a report: label and value. */
  readonly details: readonly (readonly [string, string])[];
  /** Adds the first hint before the button of an error panel, and the rest after it, folded away. */
  show(button: HTMLElement): void;
}

export function advise(error: ZarrError, context: ErrorContext): Advice {
  const hints = errorHints(error, context);
  const details = errorDetails(error, context);
  return { hints, details, show: (button) => showAdvice(button, hints, details) };
}

function errorHints(error: ZarrError, context: ErrorContext): string[] {
  switch (error._tag) {
    case "NotFound":
      if (error.chunkKey !== undefined) return [text.errorAdvice.together];
      return [text.errorAdvice.place, text.errorAdvice.spelling];
    case "Network":
      return networkHints(error, context);
    case "CorruptChunk":
      return [text.errorAdvice.codecs, text.errorAdvice.others];
    case "UnknownCodec":
    case "Unsupported":
      if (error.code === "unsupported-file") return [text.errorAdvice.fineAddress];
      return [text.errorAdvice.feature];
    case "InvalidMetadata":
      if (error.code === "bad-zip") return [text.errorAdvice.zip];
      if (error.code === "bad-file") return [text.errorAdvice.file];
      if (isWebPage(error)) return [text.errorAdvice.webPage];
      return [text.errorAdvice.invalid];
    case "InvalidArgument":
      return [text.errorAdvice.usage];
    case "LimitExceeded":
      if (context.operation === "opening") return [text.errorAdvice.smallerChunks];
      return [text.errorAdvice.smaller];
    case "EngineFailed":
      return [text.errorAdvice.policy, text.errorAdvice.simd];
    default:
      return [];
  }
}

/** Whether the server sent an HTML page instead of data. */
const isWebPage = ({ message }: ZarrError): boolean => /\bHTML page\b/.test(message);

function networkHints(error: ZarrError, context: ErrorContext): string[] {
  const { status, code } = error;
  if (code === "bad-target") return [text.errorAdvice.incomplete];
  if (status === undefined) return silenceHints(context);
  if (status === 401 || status === 403) {
    return [text.errorAdvice.expired, text.errorAdvice.missing];
  }
  if (status === 429) return [text.errorAdvice.requests];
  if (isWebPage(error)) return [text.errorAdvice.webPage];
  if (status >= 500) return [text.errorAdvice.temporary];
  return [text.errorAdvice.server];
}

/** No response, or none that the page may read: browsers do not distinguish the two. */
function silenceHints({ pageProtocol, pageOrigin, source }: ErrorContext): string[] {
  if (pageProtocol === "https:" && /^http:/i.test(source)) {
    return [text.errorAdvice.mixed];
  }
  const question = text.errorAdvice.question;
  const isOther = !pageOrigin || !URL.canParse(source) || new URL(source).origin !== pageOrigin;
  const allowed = pageOrigin && /^https?:/.test(pageOrigin) ? pageOrigin : "";
  const hints = [text.errorAdvice.cors(allowed), text.errorAdvice.ranges];
  // The page's own server may still redirect to another one.
  return isOther ? [...hints, question] : [question, ...hints];
}

function errorDetails(error: ZarrError, { source }: ErrorContext): [string, string][] {
  const { _tag, code, codec, chunkKey, status, byteOffset } = error;
  const isNews = code !== undefined && code.replaceAll("-", "") !== _tag.toLowerCase();
  const entries: [string, unknown][] = [
    [text.errorAdvice.source, source === "" ? undefined : source],
    [text.errorAdvice.error, isNews ? `${_tag} (${code})` : _tag],
    [text.errorAdvice.chunk, chunkKey],
    [text.errorAdvice.codec, codec],
    [text.errorAdvice.status, status],
    [text.errorAdvice.byte, byteOffset],
  ];
  return entries.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, String(value)] as [string, string]],
  );
}

function showAdvice(
  button: HTMLElement,
  [first, ...others]: Advice["hints"],
  details: Advice["details"],
): void {
  if (first !== undefined) button.before(h("p", { class: "zw-error-message" }, first));
  const more = [
    others.length > 0 && h("ul", {}, ...others.map((hint) => h("li", {}, hint))),
    details.length > 0 &&
      h(
        "dl",
        { class: "zw-error-details" },
        ...details.map(([label, value]) =>
          h("div", {}, h("dt", {}, label), h("dd", {}, shortened(value, maxText))),
        ),
      ),
  ];
  if (more.some(Boolean))
    button.after(
      h("details", { class: "zw-error-more" }, h("summary", {}, text.errorAdvice.details), ...more),
    );
}
