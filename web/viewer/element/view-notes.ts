/** Notes below a picture: how the source was read, damaged chunks, omitted parts. */
import type { ZarrWarning } from "zarr-wasm";
import { formatByteCount, formatCount } from "../base/format.js";
import type { ViewState } from "../model/state.js";
import type { ErrorContext } from "../panels/error-advice.js";
import { chunkSentence, explain } from "../panels/messages.js";
import type { Note } from "../panels/notes.js";
import type { Dataset } from "../source/dataset.js";
import type { Gap } from "../tiles/tile.js";
import type { TileStatus } from "../tiles/tile-set.js";
import { wholeCost } from "./home-camera.js";

const orderWarning =
  "The metadata says order F, but zarr-python 1.x wrote chunks of this compressor in C order. They are read in F order, as specified; if the picture looks scrambled, try C order.";

/** Notes on the source: how its address was read, and the library's warnings. */
export function sourceNotes(
  sentences: readonly string[],
  warnings: readonly ZarrWarning[],
  readInC: () => void,
): Note[] {
  const warned = warnings.map(({ code, message }): Note => {
    if (code === "v1-order")
      return { text: orderWarning, isWarning: true, action: { label: "Read in C order", run: readInC } };
    return { text: `${message[0]!.toUpperCase()}${message.slice(1)}.`, isWarning: true };
  });
  return [...sentences.map((text): Note => ({ text })), ...warned];
}

/** Errors of the chunks in view. */
export function chunkErrors(gaps: readonly Gap[], { failures }: TileStatus): unknown[] {
  return [...gaps.filter(({ kind }) => kind === "damaged").map(({ error }) => error), ...failures];
}

/** Notes on unreadable chunks. */
export function damageNotes(errors: readonly unknown[], context: ErrorContext, retry: () => void): Note[] {
  const [first] = errors;
  if (first === undefined) return [];
  const others = errors.length > 1 ? ` ${errors.length - 1} more could not be read.` : "";
  const text = `${chunkSentence(first)}${others}`;
  const more = explain(first, context).advice?.then((advice) => advice?.hints[0]);
  return [{ text, more, isWarning: true, action: { label: "Try again", run: retry } }];
}

/** Notes on parts that exceed the memory budget. */
export function leftOutNotes({ leftOut }: TileStatus): Note[] {
  if (leftOut.tiles === 0) return [];
  const text = `${formatCount(leftOut.tiles)} of ${formatCount(leftOut.of)} tiles in view exceed the memory budget and are not read. Zoom in to see them.`;
  return [{ text }];
}

/** Note on a slice of which only the middle is shown. */
export function middleNote(dataset: Dataset, { axes }: ViewState, readAll: () => void): Note {
  const { chunks, bytes } = wholeCost(dataset, axes);
  return {
    text: `This is the middle of a slice of ${countText(chunks)} (${formatByteCount(bytes)} when decoded).`,
    action: { label: "Read the whole slice", run: readAll },
  };
}

export function countText(chunks: number): string {
  return chunks === 1 ? "1 chunk" : `${formatCount(chunks)} chunks`;
}
