/** Abbreviates large arrays like NumPy: the first and last elements along each axis. */
import type { Selection, ZarrArray } from "zarr-wasm";
import { resolveSelection } from "#internal";
import { elementTexts, type ReadRegion } from "./formats.js";

/** Arrays with more elements are abbreviated. */
const threshold = 1000;
/** Number of elements at each end of an axis. */
const edge = 3;
const ellipsis = "...";

/** The elements to show of a selection; only these are read. */
export interface Abbreviated {
  readonly selection: Selection;
  /** Number of elements of the whole selection. */
  readonly total: number;
  /** Whether each axis of the result lacks its middle. */
  readonly isCut: readonly boolean[];
}

/** Returns the part of a selection to show; undefined if it is small enough to be shown whole. */
export function abbreviate(
  { shape, dimensionNames }: ZarrArray,
  selection: Selection,
): Abbreviated | undefined {
  const axes = resolveSelection(selection, shape, dimensionNames);
  const total = axes.reduce((product, { count }) => product * count, 1);
  if (total <= threshold) return undefined;
  const shown = axes.map((axis) => {
    if (axis.dropped) return axis.start;
    const positions = edgePositions(axis.count);
    return positions.map((i) => ("indices" in axis ? axis.indices[i]! : axis.start + i * axis.step));
  });
  const kept = axes.filter(({ dropped }) => !dropped);
  return { selection: shown, total, isCut: kept.map(({ count }) => count > 2 * edge) };
}

function edgePositions(count: number): number[] {
  if (count <= 2 * edge) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: 2 * edge }, (_, i) => (i < edge ? i : count - 2 * edge + i));
}

/** Formats elements as a table, with an ellipsis for each gap and an empty line between blocks. */
export function* abbreviatedTable(region: ReadRegion, { isCut }: Abbreviated): Generator<string> {
  const texts = Array.from(elementTexts(region));
  yield* blockLines(texts, region.shape, isCut);
}

function* blockLines(
  texts: readonly string[],
  shape: readonly number[],
  isCut: readonly boolean[],
): Generator<string> {
  const [count = 1, ...inner] = shape;
  if (inner.length === 0) {
    yield `${(isCut[0] ? texts.toSpliced(edge, 0, ellipsis) : texts).join("\t")}\n`;
    return;
  }
  const size = texts.length / count;
  const separator = inner.length > 1 ? "\n" : "";
  for (let i = 0; i < count; i++) {
    if (i > 0) yield separator;
    if (isCut[0] && i === edge) yield `${ellipsis}\n${separator}`;
    yield* blockLines(texts.slice(i * size, (i + 1) * size), inner, isCut.slice(1));
  }
}
