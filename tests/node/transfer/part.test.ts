// `--part I/N`: shares of stored objects.
import { describe, expect, it } from "vitest";
import { parseShare } from "#src/cli/options/values.js";
import { progressText, timeText } from "#src/cli/text/progress.js";
import { shareBoxes } from "#src/walk/boxes.js";
import { randomizer } from "../support/support.js";

function objectsOf(counts: readonly number[], index: number, count: number, shift = 0): string[] {
  const objects: string[] = [];
  for (const { from, to } of shareBoxes(counts, { index, count }, shift)) {
    const visit = (at: number[]): void => {
      if (at.length === counts.length) objects.push(at.join());
      else for (let i = from[at.length]!; i < to[at.length]!; i++) visit([...at, i]);
    };
    visit([]);
  }
  return objects;
}

describe("parts", () => {
  it("are read", () => {
    expect(parseShare("0/4")).toEqual([0, 4]);
    for (const text of ["4/4", "-1/4", "1", "1/", "1/4/2", "0/0", "a/b"])
      expect(() => parseShare(text)).toThrow(/must be I\/N/);
  });

  it("have every object once, in shares that differ by one", () => {
    const random = randomizer(7);
    for (let round = 0; round < 300; round++) {
      const counts = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * 6));
      const count = 1 + Math.floor(random() * 9);
      const shift = Math.floor(random() * 5);
      const shares = Array.from({ length: count }, (_, index) => objectsOf(counts, index, count, shift));
      const all = shares.flat();
      const total = counts.reduce((a, b) => a * b, 1);
      expect(new Set(all).size).toBe(total);
      expect(all.length).toBe(total);
      const lengths = shares.map((share) => share.length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
    }
  });

  it("share out grids of any size", () => {
    const counts = [10 ** 6, 10 ** 6, 10 ** 3];
    expect(shareBoxes(counts, { index: 2, count: 3 }).length).toBeLessThanOrEqual(5);
  });
});

describe("progress", () => {
  it("prints share, rate and remaining time", () => {
    const text = progressText("copying", { done: 2 ** 29, total: 2 ** 30, rate: 2 ** 28 });
    expect(text).toBe("copying 50 %  512.0 MiB of 1.0 GiB, 256 MiB/s, 2 s left");
    expect(timeText(3599.5)).toBe("1 h 0 min");
    expect(timeText(61)).toBe("1 min 1 s");
  });
});
