/** Explains errors and warnings to users: what failed, where, and what to check. */

import { type ErrorTag, isZarrError, type ZarrError } from "zarr-wasm";
import { h } from "../base/dom.js";
import { errorMessage } from "../base/format.js";
import { maxText, shortened } from "../base/text.js";

/** An error explained. */
export interface Explanation {
  readonly title: string;
  readonly message: string;
  /** Things that the user can check or do. */
  readonly hints: readonly string[];
  /** Facts for a report: label and value. */
  readonly details: readonly (readonly [string, string])[];
}

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

export function explain(error: unknown, context: ErrorContext): Explanation {
  if (!isZarrError(error)) {
    const message = errorMessage(error);
    return { title: "Something unexpected went wrong", message, hints: [], details: [] };
  }
  const title = errorTitle(error, context.operation);
  return {
    title,
    message: sentence(messageBeside(title, error)),
    hints: errorHints(error, context),
    details: errorDetails(error, context),
  };
}

/** Viewers do not write, but a store of the page may throw these errors. */
const ofWriting = "The store could not be written";

const titles: Readonly<Record<ErrorTag, string>> = {
  NotFound: "There is no Zarr array here",
  InvalidMetadata: "The array’s metadata is not valid",
  UnknownCodec: "The array uses an unknown codec",
  Unsupported: "The array uses an unsupported feature",
  CorruptChunk: "A chunk is damaged",
  InvalidSelection: "The view does not fit the array",
  InvalidArgument: "The source cannot be used",
  Network: "The source could not be read",
  LimitExceeded: "A limit is exceeded",
  EngineFailed: "The WebAssembly decoder could not be started",
  FutureVersion: "The data use a newer format version",
  NotAllowed: "Access to the data is not allowed",
  SourceChanged: "A source file has changed",
  AlreadyExists: ofWriting,
  Conflict: ofWriting,
  ReadOnly: ofWriting,
  EncodeFailed: ofWriting,
};

function errorTitle(error: ZarrError, operation: FailedOperation): string {
  const { _tag, chunkKey } = error;
  // These errors affect every chunk.
  const isGeneral = ["EngineFailed", "UnknownCodec", "Unsupported"].includes(_tag);
  if (error.code === "bad-zip") return "The archive cannot be read";
  return chunkKey === undefined || isGeneral || operation === "opening" ? titles[_tag] : chunkTitle(error);
}

/** An error's message without the words of the title next to it. */
function messageBeside(title: string, error: unknown): string {
  const message = errorMessage(error);
  const key = isZarrError(error) ? error.chunkKey : undefined;
  const start = `chunk ${key}: `;
  const isSaid = key !== undefined && title === chunkTitle(error);
  return isSaid && message.toLowerCase().startsWith(start.toLowerCase())
    ? message.slice(start.length)
    : message;
}

/** Title for a chunk that could not be read. */
function chunkTitle(error: unknown): string {
  if (!isZarrError(error) || error.chunkKey === undefined) return "A chunk could not be read";
  const name = error.chunkKey.replace(/^\//, "");
  return error._tag === "CorruptChunk" ? `Chunk ${name} is damaged` : `Chunk ${name} could not be read`;
}

/** Explains why a chunk could not be read. */
export function chunkSentence(error: unknown): string {
  const title = chunkTitle(error);
  return `${title}: ${sentence(messageBeside(title, error))}`;
}

function errorHints(error: ZarrError, context: ErrorContext): string[] {
  switch (error._tag) {
    case "NotFound":
      return [
        "The address must be that of the array itself: the folder that holds its metadata (meta for Zarr v1) beside the chunks.",
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
      return ["Nothing is wrong with the address. A program that knows this feature can read the array."];
    case "InvalidMetadata":
      if (error.code === "bad-zip") return ["The file may be truncated or damaged, or not a zip archive."];
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
  if (code === "missing-target" || code === "short-target")
    return ["The server responded, but the stored data are incomplete."];
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

/**
 * Converts a message to a sentence: the library writes them without capital and full stop. Names of keys stay
 * unchanged.
 */
function sentence(message: string): string {
  const text = message.trim();
  const isWord = /^(?!meta |attrs )[a-z]+\s/.test(text);
  return (isWord ? text[0]!.toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : ".");
}

/** The panel for an explanation: error and remedy first, with details folded away. */
export function errorPanel(explanation: Explanation, retry: () => void): HTMLElement {
  const { title, message, hints, details } = explanation;
  const [first, ...others] = hints;
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
  return h(
    "div",
    { class: "zw-error", role: "alert" },
    h("h3", {}, shortened(title, maxText)),
    h("p", { class: "zw-error-message" }, shortened(message, maxText)),
    first !== undefined && h("p", { class: "zw-error-message" }, first),
    h("button", { type: "button", class: "zw-button", onclick: retry }, "Try again"),
    more.some(Boolean) && h("details", { class: "zw-error-more" }, h("summary", {}, "Details"), ...more),
  );
}
