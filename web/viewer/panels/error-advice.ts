/** What users can check after an error, and facts for a report. */
import type { ZarrError } from "zarr-wasm";
import { h } from "../base/dom.js";
import { maxText, shortened } from "../base/text.js";

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
      if (error.chunkKey !== undefined)
        return ["All files of a set must lie in one folder, or be dropped together."];
      return [
        "The address must be that of a file, or of the folder that holds the array’s metadata (meta for Zarr v1) beside the chunks.",
        "Check the spelling and capital letters. An address on another server begins with https://.",
      ];
    case "Network":
      return networkHints(error, context);
    case "CorruptChunk":
      return [
        "The array’s codecs cannot decode the stored bytes: the chunk may be truncated, damaged, or written with settings other than those in the metadata.",
        "Other chunks can still be viewed.",
      ];
    case "UnknownCodec":
    case "Unsupported":
      if (error.code === "unsupported-file") return ["Nothing is wrong with the address."];
      return ["Nothing is wrong with the address. A program that knows this feature can read the array."];
    case "InvalidMetadata":
      if (error.code === "bad-zip") return ["The file may be truncated or damaged, or not a zip archive."];
      if (error.code === "bad-file") return ["The file may be truncated, damaged or still being written."];
      if (isWebPage(error)) return [pageHint];
      return ["The metadata document exists, but does not conform to the Zarr specification."];
    case "InvalidArgument":
      return ["Enter the address of a Zarr array, such as https://example.org/data/array.zarr."];
    case "LimitExceeded":
      if (context.operation === "opening")
        return ["Chunks are read as a whole; a copy of the array with smaller chunks can be viewed."];
      return ["If the selection exceeds the limit, view a smaller part."];
    case "EngineFailed":
      return [
        "The page’s policy must allow WebAssembly ('wasm-unsafe-eval'), and the .wasm file must be at the URL that the page requests.",
        "The browser must support WebAssembly SIMD, as all current ones do.",
      ];
    default:
      return [];
  }
}

const pageHint =
  "The server sent a web page instead of data: check the address, and whether the server requires a login.";

/** Whether the server sent an HTML page instead of data. */
const isWebPage = ({ message }: ZarrError): boolean => /\bHTML page\b/.test(message);

function networkHints(error: ZarrError, context: ErrorContext): string[] {
  const { status, code } = error;
  if (code === "bad-target") return ["The server responded, but the stored data are incomplete."];
  if (status === undefined) return silenceHints(context);
  if (status === 401 || status === 403) {
    return [
      "The server refuses access: the data may be private, or a signed address may have expired.",
      "Some object stores answer 403 for missing objects.",
    ];
  }
  if (status === 429) return ["The server limits the number of requests. Wait a moment, then try again."];
  if (isWebPage(error)) return [pageHint];
  if (status >= 500) return ["The server failed. The error may be temporary: try again."];
  return ["The server does not serve this address correctly."];
}

/** No response, or none that the page may read: browsers do not distinguish the two. */
function silenceHints({ pageProtocol, pageOrigin, source }: ErrorContext): string[] {
  if (pageProtocol === "https:" && /^http:/i.test(source)) {
    return [
      "This page came over https, so the browser refuses to read from an http address: try it with https://.",
    ];
  }
  const question = "Is the address right, and does its server answer?";
  const isOther = !pageOrigin || !URL.canParse(source) || new URL(source).origin !== pageOrigin;
  const allowed = pageOrigin && /^https?:/.test(pageOrigin) ? ` (or ${pageOrigin})` : "";
  const hints = [
    `A server other than this page’s own must allow it (CORS): its answers need the header Access-Control-Allow-Origin: *${allowed}.`,
    "For parts of files its answers to OPTIONS need Access-Control-Allow-Headers: Range, and all answers Access-Control-Expose-Headers: Content-Range, ETag.",
  ];
  // The page's own server may still redirect to another one.
  return isOther ? [...hints, question] : [question, ...hints];
}

function errorDetails(error: ZarrError, { source }: ErrorContext): [string, string][] {
  const { _tag, code, codec, chunkKey, status, byteOffset } = error;
  const isNews = code !== undefined && code.replaceAll("-", "") !== _tag.toLowerCase();
  const entries: [string, unknown][] = [
    ["Source", source === "" ? undefined : source],
    ["Error", isNews ? `${_tag} (${code})` : _tag],
    ["Chunk", chunkKey],
    ["Codec", codec],
    ["HTTP status", status],
    ["At byte", byteOffset],
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
    button.after(h("details", { class: "zw-error-more" }, h("summary", {}, "Details"), ...more));
}
