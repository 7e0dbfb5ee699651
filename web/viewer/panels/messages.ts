/** Explains errors and warnings to users, and lists notes below the picture. */
import { type ErrorTag, isZarrError, type ZarrError } from "zarr-wasm";
import { button, h } from "../base/dom.js";
import { errorMessage, formatCount } from "../base/format.js";
import { maxText, shortened } from "../base/text.js";
import { text as texts } from "../language/text.js";
import type { Advice, ErrorContext, FailedOperation } from "./error-advice.js";

/** An error explained. */
export interface Explanation {
  readonly title: string;
  readonly message: string;
  /** Undefined if it cannot be loaded. */
  readonly advice?: Promise<Advice | undefined>;
}

export function explain(error: unknown, context: ErrorContext): Explanation {
  if (!isZarrError(error)) {
    const message = errorMessage(error);
    return { title: texts.errors.unknown, message };
  }
  const title = errorTitle(error, context.operation);
  return { title, message: sentence(messageBeside(title, error)), advice: loadAdvice(error, context) };
}

const loadAdvice = (error: ZarrError, context: ErrorContext): Promise<Advice | undefined> =>
  import("./error-advice.js").then(
    ({ advise }) => advise(error, context),
    () => undefined,
  );

function errorTitle(error: ZarrError, operation: FailedOperation): string {
  const { _tag, chunkKey } = error;
  // Errors of writing, which a store of the page may throw, have no titles.
  const titles: Readonly<Partial<Record<ErrorTag, string>>> = texts.errors.titles;
  // These errors affect every chunk.
  const isGeneral = ["EngineFailed", "UnknownCodec", "Unsupported"].includes(_tag);
  if (error.code === "bad-zip") return texts.errors.archive;
  if (error.code === "unsupported-file") return texts.errors.unsupportedFile;
  if (error.code === "bad-file" && chunkKey === undefined) return texts.errors.damagedFile;
  return chunkKey === undefined || isGeneral || operation === "opening"
    ? (titles[_tag] ?? texts.errors.unwritten)
    : chunkTitle(error);
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
  if (!isZarrError(error) || error.chunkKey === undefined) return texts.errors.chunk;
  const name = error.chunkKey.replace(/^\//, "");
  return error._tag === "CorruptChunk" ? texts.errors.damagedChunk(name) : texts.errors.unreadChunk(name);
}

/** Explains why a chunk could not be read. */
export function chunkSentence(error: unknown): string {
  const title = chunkTitle(error);
  return `${title}: ${sentence(messageBeside(title, error))}`;
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

/** The panel for an explanation; advice follows when it has been loaded. */
export function errorPanel({ title, message, advice }: Explanation, retry: () => void): HTMLElement {
  const again = button(texts.status.retry, retry);
  const panel = h(
    "div",
    { class: "zw-error", role: "alert" },
    h("h3", {}, shortened(title, maxText)),
    h("p", { class: "zw-error-message" }, shortened(message, maxText)),
    again,
  );
  void advice?.then((given) => given?.show(again));
  return panel;
}

export interface Note {
  readonly text: string;
  /** Another sentence, if there is one. */
  readonly more?: Promise<string | undefined> | undefined;
  /** True for possible errors, false for remarks. */
  readonly isWarning?: boolean | undefined;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

/** Maximum number of displayed notes. */
const maxNotes = 20;

const restNote = (count: number): Note => ({ text: texts.status.moreNotes(formatCount(count)) });

export class Notes {
  readonly element = h("ul", { class: "zw-notes", "aria-label": texts.status.notes, hidden: true });

  #shown = "";

  /** Elements of unchanged notes stay, so that their buttons remain usable. */
  show(notes: readonly Note[]): void {
    const rest = notes.length - maxNotes;
    const shown = rest > 0 ? [...notes.slice(0, maxNotes), restNote(rest)] : notes;
    this.#list(shown);
  }

  #list(notes: readonly Note[]): void {
    const key = notes.map(({ text, action }) => `${text}\n${action?.label}`).join("\n\n");
    if (key === this.#shown) return;
    this.#shown = key;
    this.element.hidden = notes.length === 0;
    this.element.replaceChildren(...notes.map(noteItem));
  }
}

function noteItem({ text, more, isWarning, action }: Note): HTMLElement {
  const span = h("span", {}, shortened(text, maxText));
  void more?.then((sentence) => sentence && span.replaceChildren(shortened(`${text} ${sentence}`, maxText)));
  return h(
    "li",
    { class: isWarning ? "zw-warning" : undefined },
    span,
    action && button(action.label, action.run),
  );
}
