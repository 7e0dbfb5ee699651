// Strided copies in memory, compared with a byte-by-byte reference.
import { expect, it } from "vitest";
import {
  type Move,
  type MoveAxis,
  movedBytes,
  moveItems,
  packedSource,
  packing,
} from "#src/util/strided-copy.js";
import { randomBytes, randomizer } from "../support/support.js";

const offsetIn = (side: MoveAxis["from"], i: number) => (typeof side === "number" ? side * i : side[i]!);

/** Visits every item of a copy, in order. */
function* itemsOf({ axes, from, to }: Move, axis = 0): Generator<readonly [from: number, to: number]> {
  const along = axes[axis];
  if (!along) {
    yield [from, to];
    return;
  }
  for (let i = 0; i < along.count; i++)
    yield* itemsOf(
      { axes, from: from + offsetIn(along.from, i), to: to + offsetIn(along.to, i), itemBytes: 0 },
      axis + 1,
    );
}

function moveSlowly(source: Uint8Array, target: Uint8Array, move: Move): void {
  for (const [from, to] of itemsOf(move))
    for (let k = 0; k < move.itemBytes; k++) target[to + k] = source[from + k]!;
}

/** Layout of one side along an axis, and the bytes that it covers. */
function sideOf(random: () => number, count: number, inner: number): [MoveAxis["from"], number] {
  const kind = random();
  if (kind < 0.4) return [inner, inner * count];
  const step = inner * (1 + Math.floor(random() * 3));
  if (kind < 0.7) return [step, step * count];
  const places = Array.from({ length: 2 * count }, (_, i) => i);
  const list = Array.from(
    { length: count },
    () => places.splice(Math.floor(random() * places.length), 1)[0]!,
  );
  return [list.map((place) => place * inner), 2 * count * inner];
}

const widths = [1, 2, 3, 4, 6, 8, 16, 300, 1024];
const lengths = [0, 1, 2, 3, 5, 17, 40];

it("800 random copies match byte-by-byte copies, in any alignment", () => {
  const random = randomizer(5);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  for (let k = 0; k < 800; k++) {
    const itemBytes = pick(widths);
    const axes: MoveAxis[] = [];
    let [source, target] = [itemBytes, itemBytes];
    const rank = Math.floor(random() * 4);
    for (let axis = 0; axis < rank && source + target < 4000; axis++) {
      const count = pick(lengths);
      const [from, fromBytes] = sideOf(random, count, source);
      const [to, toBytes] = sideOf(random, count, target);
      axes.unshift({ count, from, to });
      [source, target] = [fromBytes, toBytes];
    }
    const [from, to, odd] = [pick([0, 1, 4, 6]), pick([0, 2, 4, 7]), pick([0, 0, 1, 2, 4])];
    const move: Move = { from, to, itemBytes, axes };
    const given = randomBytes(source + from + odd, k).subarray(odd);
    const expected = new Uint8Array(target + to).fill(7);
    const found = new Uint8Array(expected.length + odd).fill(7).subarray(odd);
    moveSlowly(given, expected, move);
    moveItems(given, found, move);
    const what = JSON.stringify({ k, ...move });
    expect(Buffer.compare(found, expected), what).toBe(0);
    const packed = new Uint8Array(movedBytes(move));
    moveItems(given, packed, packing(move));
    const twice = new Uint8Array(target + to).fill(7);
    moveItems(packed, twice, packedSource(move));
    expect(Buffer.compare(twice, expected), what).toBe(0);
  }
});

it("repeats one item if its source has no strides", () => {
  const target = new Uint8Array(24);
  const axes = [
    { count: 3, from: 0, to: 8 },
    { count: 2, from: 0, to: 4 },
  ];
  moveItems(Uint8Array.of(1, 2), target, { from: 0, to: 1, itemBytes: 2, axes });
  expect([...target]).toEqual([0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0]);
});
