/** Selections, compared with a slow oracle; byte ranges, and merged requests for several ranges. */

import fc from "fast-check";
import { type RangeQuery, readRange, type Selection } from "../../../dist/index.js";
import { RegularAxis } from "../../../dist/metadata/grid.js";
import { projectRange } from "../../../dist/plan/projections.js";
import { type AxisSelection, resolveSelection } from "../../../dist/plan/selection.js";
import { mergeParts } from "../../../dist/read/merged-parts.js";
import { resolveRange } from "../../../dist/store/read.js";
import { type FuzzTarget, holds, jsonBytes, jsonOf } from "./target.js";

interface SelectionCase {
  shape: number[];
  chunks: number[];
  names?: (string | null)[];
  selection: unknown;
}

const bound = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -30, max: 30 }),
  fc.constantFrom(2 ** 31, -(2 ** 31), 2 ** 53, Number.MAX_SAFE_INTEGER, 0.5),
);
const entry = fc.oneof(
  fc.constant(null),
  fc.constant("..."),
  fc.integer({ min: -25, max: 25 }),
  fc.record({ start: bound, stop: bound, step: fc.oneof(bound, fc.integer({ min: 1, max: 9 })) }),
  fc.array(fc.integer({ min: -12, max: 12 }), { maxLength: 8 }),
  fc.array(fc.boolean(), { maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const lengths = { min: 0, max: 20 };
const selectionCases: fc.Arbitrary<SelectionCase> = fc
  .array(fc.tuple(fc.integer(lengths), fc.integer({ min: 1, max: 9 })), { maxLength: 4 })
  .chain((axes) =>
    fc.record({
      shape: fc.constant(axes.map(([length]) => length)),
      chunks: fc.constant(axes.map(([, chunk]) => chunk)),
      names: fc.array(fc.constantFrom("x", "y", null, "__proto__"), {
        minLength: axes.length,
        maxLength: axes.length,
      }),
      selection: fc.oneof(
        { weight: 8, arbitrary: fc.array(entry, { maxLength: axes.length + 1 }) },
        { weight: 2, arbitrary: fc.dictionary(fc.constantFrom("x", "y", "z", "__proto__"), entry) },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
    }),
  );

/** The indices selected on one axis. */
function chosen(axis: AxisSelection): number[] {
  if ("indices" in axis) return [...axis.indices];
  return Array.from({ length: axis.count }, (_, i) => axis.start + i * axis.step);
}

/** The meaning of an accepted entry, following Python. */
function expected(given: unknown, length: number): number[] {
  const wrap = (position: number) => (position < 0 ? position + length : position);
  const clamp = (position: number) => Math.min(Math.max(wrap(position), 0), length);
  const all = Array.from({ length }, (_, i) => i);
  if (given === null || given === undefined) return all;
  if (typeof given === "number") return [wrap(given)];
  if (Array.isArray(given))
    return given.length > 0 && typeof given[0] === "boolean"
      ? all.filter((i) => given[i] === true)
      : given.map((index) => wrap(index as number));
  const { start, stop, step } = given as { start: number | null; stop: number | null; step?: number | null };
  const [from, to] = [clamp(start ?? 0), clamp(stop ?? length)];
  return all.filter((i) => i >= from && i < to && (i - from) % (step ?? 1) === 0);
}

/** The entries of an accepted selection, by axis. */
function entriesOf({ selection, shape, names }: SelectionCase): unknown[] {
  if (selection === null) return [];
  if (!Array.isArray(selection))
    return shape.map((_, axis) => own(selection as object, names?.[axis] ?? null));
  const at = selection.indexOf("...");
  if (at < 0) return selection;
  const after = selection.slice(at + 1);
  return [...selection.slice(0, at), ...shape.slice(selection.length - 1).map(() => null), ...after];
}

const own = (object: object, name: string | null): unknown =>
  name !== null && Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : null;

const selection: FuzzTarget = {
  name: "selection",
  inputs: selectionCases.map(jsonBytes),
  covers: ["plan/selection.js", "plan/projections.js", "util/shapes.js"],
  tags: ["InvalidSelection"],
  run: (input) => {
    const given = jsonOf<SelectionCase>(input);
    const axes = resolveSelection(given.selection as Selection, given.shape, given.names);
    const entries = entriesOf(given);
    axes.forEach((axis, i) => {
      const length = given.shape[i]!;
      const elements = chosen(axis);
      holds(elements.join() === expected(entries[i], length).join(), `axis ${i} has the selected elements`);
      holds(axis.dropped === (typeof entries[i] === "number"), "only an index drops its dimension");
      if ("indices" in axis || length === 0) return;
      const grid = new RegularAxis(length, given.chunks[i]!);
      const covered = projectRange(axis, grid).flatMap(({ chunk, start, step, count }) =>
        Array.from({ length: count }, (_, at) => grid.start(chunk) + start + at * step),
      );
      holds(covered.join() === elements.join(), "projections cover the elements in order");
    });
  },
};

interface RangesCase {
  size: number;
  parts: { offset: number; length: number }[];
  maxGap: number;
  maxBytes: number;
  query: Record<string, unknown>;
  /** How the store responds: correctly, with too much, too little or nothing. */
  answer: "right" | "more" | "less" | "none" | "whole";
}

const count = fc.oneof(
  { weight: 8, arbitrary: fc.nat(300) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 52, Number.MAX_SAFE_INTEGER, -1, 0.5) },
);
const nat = fc.nat(300);
const rangesCases: fc.Arbitrary<RangesCase> = fc.record({
  size: nat,
  parts: fc.array(fc.record({ offset: nat, length: nat }), { maxLength: 12 }),
  maxGap: fc.nat(40),
  maxBytes: nat,
  query: fc.oneof(fc.record({ offset: count, length: count }), fc.record({ suffixLength: count })),
  answer: fc.constantFrom("right", "more", "less", "none", "whole"),
});

const ranges: FuzzTarget = {
  name: "ranges",
  inputs: rangesCases.map(jsonBytes),
  covers: ["store/read.js", "read/merged-parts.js", "read/object-reader.js"],
  tags: ["InvalidArgument", "Network"],
  run: async (input) => {
    const given = jsonOf<RangesCase>(input);
    checkMerged(given);
    await checkRead(given);
  },
};

/** Each part lies in one request. Requests do not exceed the limit, except for single long parts. */
function checkMerged({ parts, maxGap, maxBytes }: RangesCase): void {
  const offsets = parts.map((part) => part.offset);
  const lengths = parts.map((part) => part.length ?? 0);
  const numbers = Uint32Array.from(parts.keys());
  const merged = mergeParts(numbers, { offsets, lengths }, { maxGap, maxBytes });
  const seen = merged.flatMap(({ members }) => [...members]);
  holds(seen.sort((a, b) => a - b).join() === parts.map((_, i) => i).join(), "each part is read once");
  for (const { offset, length, members } of merged) {
    holds(members.length === 1 || length <= maxBytes, "merged requests are within the limit");
    for (const n of members) {
      const [start, bytes] = [offsets[n]!, lengths[n]!];
      holds(start >= offset && start + bytes <= offset + length, "parts lie in their request");
    }
    const needed = members.reduce((sum, n) => sum + lengths[n]!, 0);
    holds(length <= needed + maxGap * (members.length - 1), "requests read few unneeded bytes");
  }
}

/** A byte range equals that range of the object, whatever the store does. */
async function checkRead({ size, query, answer }: RangesCase): Promise<void> {
  const whole = Uint8Array.from({ length: size }, (_, i) => i % 251);
  const asked = query as RangeQuery;
  const cut = (more: number) => {
    const { start, end } = resolveRange(asked, size);
    return whole.slice(start, Math.max(start, Math.min(size, end + more)));
  };
  const answers = { right: () => cut(0), more: () => cut(7), less: () => cut(-3), none: () => undefined };
  const get = () => (answer === "none" ? undefined : whole);
  const store = answer === "whole" ? { get } : { get, getRange: answers[answer] };
  const bytes = await readRange(store, "/k", asked);
  if (answer === "none") holds(bytes === undefined, "a missing object is undefined");
  else if (answer !== "less") holds(Buffer.compare(bytes!, cut(0)) === 0, "a range has the object's bytes");
}

export const regionTargets = [selection, ranges];
