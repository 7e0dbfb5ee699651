// While a slider is dragged, a slice is read before the next one is shown, and slices are read ahead.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SliceGate } from "#src/viewer/element/slice-gate.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A gate that records the slices shown and read ahead, and how often they come to rest. */
function recorder() {
  const [shown, prepared, rests]: [number[], number[], string[]] = [[], [], []];
  const gate = new SliceGate(() => rests.push("rest"));
  const sliceOf = (slice: number) => ({
    show: () => void shown.push(slice),
    prepare: () => void prepared.push(slice),
  });
  const slide = (slice: number) => gate.pass(true, sliceOf(slice));
  return { gate, shown, prepared, rests, slide, sliceOf };
}

it("the next slice is read ahead; after it, the latest", () => {
  const { gate, shown, prepared, slide } = recorder();
  for (const slice of [1, 2, 3, 4]) slide(slice);
  expect([shown, prepared, gate.isWaiting, gate.isOpen]).toEqual([[1], [2], true, false]);
  gate.open();
  expect([shown, prepared, gate.isWaiting, gate.isOpen]).toEqual([[1, 2], [2, 4], true, false]);
  gate.open();
  expect([shown, gate.isWaiting, gate.isOpen]).toEqual([[1, 2, 4], false, false]);
  gate.open();
  expect([shown, gate.isOpen]).toEqual([[1, 2, 4], true]);
  slide(5);
  expect([shown, prepared]).toEqual([
    [1, 2, 4, 5],
    [2, 4],
  ]);
});

it("a slice that takes too long is given up for the latest one once no other follows", () => {
  const { gate, shown, slide } = recorder();
  slide(1);
  slide(2);
  vi.advanceTimersByTime(500);
  slide(3);
  vi.advanceTimersByTime(149);
  expect(shown).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect([shown, gate.isWaiting]).toEqual([[1, 3], false]);
  vi.advanceTimersByTime(5000);
  expect(shown).toEqual([1, 3]);
});

it("the slice that is read ahead is given up, too", () => {
  const { gate, shown, slide } = recorder();
  for (const slice of [1, 2, 3]) slide(slice);
  gate.open();
  expect([shown, gate.isWaiting]).toEqual([[1, 2], true]);
  vi.advanceTimersByTime(601);
  expect([shown, gate.isWaiting]).toEqual([[1, 2, 3], false]);
});

it("slow slices are shown while others follow", () => {
  const { gate, shown, prepared, slide } = recorder();
  for (let slice = 1; slice <= 100; slice++) {
    slide(slice);
    vi.advanceTimersByTime(16);
  }
  expect([shown, prepared]).toEqual([[1], [2]]);
  gate.open();
  expect([shown, prepared]).toEqual([
    [1, 2],
    [2, 100],
  ]);
  vi.advanceTimersByTime(601);
  expect([shown, gate.isWaiting]).toEqual([[1, 2, 100], false]);
});

it("other changes are shown at once, and replace a slice that waits", () => {
  const { gate, shown, slide, sliceOf } = recorder();
  for (const slice of [1, 2, 3]) slide(slice);
  gate.pass(false, sliceOf(10));
  gate.open();
  vi.advanceTimersByTime(5000);
  expect(shown).toEqual([1, 10]);
  slide(3);
  slide(4);
  gate.clear();
  vi.advanceTimersByTime(5000);
  expect([shown, gate.isWaiting]).toEqual([[1, 10, 3], false]);
});

it("slices pass until none follows for a while; a single one does not", () => {
  const { gate, rests, slide, sliceOf } = recorder();
  slide(1);
  expect(gate.isPassing).toBe(false);
  vi.advanceTimersByTime(100);
  gate.open();
  slide(2);
  expect(gate.isPassing).toBe(true);
  vi.advanceTimersByTime(149);
  expect([gate.isPassing, rests]).toEqual([true, []]);
  vi.advanceTimersByTime(1);
  expect([gate.isPassing, rests]).toEqual([false, ["rest"]]);
  vi.advanceTimersByTime(500);
  slide(3);
  expect(gate.isPassing).toBe(false);
  slide(4);
  gate.pass(false, sliceOf(5));
  expect(gate.isPassing).toBe(false);
  vi.advanceTimersByTime(5000);
  expect(rests).toEqual(["rest"]);
});

it("slices pass while one waits", () => {
  const { gate, shown, rests, slide } = recorder();
  slide(1);
  slide(2);
  vi.advanceTimersByTime(400);
  expect([gate.isPassing, rests]).toEqual([true, []]);
  gate.open();
  vi.advanceTimersByTime(150);
  expect([shown, gate.isPassing, rests]).toEqual([[1, 2], false, ["rest"]]);
});
