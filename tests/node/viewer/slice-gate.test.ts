// While a slider is dragged, a slice is read before the next one is shown, and slices are read ahead.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SliceGate } from "#src/viewer/element/slice-gate.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A gate that records the slices shown. */
function recorder() {
  const gate = new SliceGate();
  const shown: number[] = [];
  return { gate, shown, slide: (slice: number) => gate.pass(true, () => shown.push(slice)) };
}

it("the latest slice is shown when the one before has been read", () => {
  const { gate, shown, slide } = recorder();
  for (const slice of [1, 2, 3]) slide(slice);
  expect([shown, gate.isWaiting, gate.isOpen]).toEqual([[1], true, false]);
  gate.open();
  expect([shown, gate.isWaiting, gate.isOpen]).toEqual([[1, 3], false, false]);
  gate.open();
  expect([shown, gate.isOpen]).toEqual([[1, 3], true]);
  slide(4);
  expect(shown).toEqual([1, 3, 4]);
});

it("a slice that takes too long is given up for the latest one", () => {
  const { gate, shown, slide } = recorder();
  slide(1);
  slide(2);
  vi.advanceTimersByTime(500);
  slide(3);
  expect(shown).toEqual([1]);
  vi.advanceTimersByTime(101);
  expect([shown, gate.isWaiting]).toEqual([[1, 3], false]);
  vi.advanceTimersByTime(5000);
  expect(shown).toEqual([1, 3]);
});

it("other changes are shown at once, and replace a slice that waits", () => {
  const { gate, shown, slide } = recorder();
  slide(1);
  slide(2);
  gate.pass(false, () => shown.push(10));
  gate.open();
  vi.advanceTimersByTime(5000);
  expect(shown).toEqual([1, 10]);
  slide(3);
  slide(4);
  gate.clear();
  vi.advanceTimersByTime(5000);
  expect([shown, gate.isWaiting]).toEqual([[1, 10, 3], false]);
});
