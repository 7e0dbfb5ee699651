// Boxes that are copied in long runs, with the bytes between short ones, hold the same elements as an element by element
// copy.
import { expect, it } from "vitest";
import { indices, stridesOf } from "#src/util/shapes.js";
import { layOutBox, moveItems } from "#src/util/strided-copy.js";
import { product, randomBytes, randomizer } from "../support/support.js";

const maxBytes = 2 ** 14;

it("has the elements of the box at its strides, and stays within its limits", () => {
  const random = randomizer(11);
  let spread = 0;
  for (let round = 0; round < 300; round++) {
    const rank = Math.floor(random() * 5);
    const itemBytes = [1, 2, 3, 4, 8, 16][Math.floor(random() * 6)]!;
    const whole = Array.from({ length: rank }, () => 1 + Math.floor(random() * [200, 60, 16, 9, 6][rank]!));
    const shape = whole.map((length) => 1 + Math.floor(random() * length));
    const origin = whole.map((length, axis) => Math.floor(random() * (length - shape[axis]! + 1)));
    const source = randomBytes(product(whole) * itemBytes, round);
    const from = stridesOf(whole, itemBytes);
    const { strides, bytes, move } = layOutBox(shape, from, itemBytes, maxBytes);
    const packed = product(shape) * itemBytes;
    expect(bytes).toBeLessThanOrEqual(Math.max(packed, Math.min(3 * packed, maxBytes)));
    expect(bytes).toBeGreaterThanOrEqual(packed);
    if (bytes > packed) spread++;
    const slab = new Uint8Array(bytes);
    const wrong: number[][] = [];
    const offsetOf = (at: readonly number[], by: readonly number[]) =>
      at.reduce((sum, index, axis) => sum + index * by[axis]!, 0);
    moveItems(source, slab, { from: offsetOf(origin, from), ...move });
    for (const at of indices(shape)) {
      const there = offsetOf(at, strides);
      const here = offsetOf(
        at.map((index, axis) => index + origin[axis]!),
        from,
      );
      for (let byte = 0; byte < itemBytes; byte++)
        if (slab[there + byte] !== source[here + byte]) wrong.push([...at, byte]);
    }
    expect(wrong).toEqual([]);
  }
  expect(spread).toBeGreaterThan(30);
});

it("copies rows of half an array's width in runs of whole planes, and rows of a small part one by one", () => {
  const runOf = (box: number[], width: number) =>
    layOutBox(box, stridesOf([64, 512, width], 2), 2, 2 ** 25).move.itemBytes;
  expect(runOf([64, 64, 256], 512)).toBe(63 * 1024 + 512);
  expect(runOf([64, 64, 512], 512)).toBe(2 ** 16);
  expect(runOf([64, 64, 64], 512)).toBe(128);
});
