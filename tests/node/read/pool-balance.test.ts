// A pool leaves work to the calling thread while that is measured to be faster.
import { describe, expect, it } from "vitest";
import { Balance, type Side } from "#src/workers/balance.js";

/** Runs tasks one after another, with a time per task for each side. Returns how many ran on each. */
function run(balance: Balance, times: Record<Side, number>, count: number, period = 1, clock = { now: 0 }) {
  const ran = { workers: 0, here: 0 };
  for (let i = 0; i < count; i++) {
    const { side } = balance;
    balance.start(side);
    clock.now += times[side];
    balance.end(side, 2 ** 20, period, clock.now);
    ran[side]++;
  }
  return ran;
}

describe("the side of a task", () => {
  it("is the faster one, apart from trials", () => {
    const slow = run(new Balance("workers"), { workers: 3, here: 2 }, 1000);
    expect(slow.here).toBeGreaterThan(800);
    expect(slow.workers).toBeGreaterThan(16); // the first 50 ms, and trials
    const fast = run(new Balance("workers"), { workers: 2, here: 3 }, 1000);
    expect(fast.workers).toBeGreaterThan(950);
    expect(fast.here).toBeGreaterThan(0);
  });

  it("is the workers if there is no clear difference, and for few tasks", () => {
    expect(run(new Balance("workers"), { workers: 2, here: 1.95 }, 2000).workers).toBeGreaterThan(1900);
    expect(run(new Balance("workers"), { workers: 2, here: 1 }, 24)).toEqual({ workers: 24, here: 0 });
  });

  it("is the given one until the first trial, for which workers are started in advance", () => {
    const balance = new Balance("here");
    expect(balance.needsWorkers).toBe(false);
    const clock = { now: 0 };
    expect(run(balance, { workers: 1, here: 2 }, 15, 1, clock)).toEqual({ workers: 0, here: 15 });
    expect(balance.needsWorkers).toBe(true);
    expect(run(balance, { workers: 1, here: 2 }, 1000, 1, clock).workers).toBeGreaterThan(900);
    expect(run(new Balance("here"), { workers: 2, here: 1 }, 1000).workers).toBeLessThan(100);
  });

  it("is tried for a share of the time, however long tasks take", () => {
    for (const task of [0.01, 1, 40]) {
      const found = run(new Balance("workers"), { workers: task, here: 3 * task }, Math.ceil(20_000 / task));
      expect(found.here).toBeGreaterThan(1);
      expect((found.here * 3 * task) / 20_000).toBeLessThan(0.1);
    }
  });

  it("costs less than 3 % of the first seconds, and 1 % of later ones, in trials that are lost", () => {
    for (const [first, times] of [
      ["workers", { workers: 2, here: 3 }],
      ["here", { workers: 3, here: 2 }],
    ] as const) {
      const balance = new Balance(first);
      const clock = { now: 0 };
      run(balance, times, 1000, 1, clock);
      expect(clock.now).toBeLessThan(1.03 * 2000);
      const before = clock.now;
      run(balance, times, 10_000, 1, clock);
      expect(clock.now - before).toBeLessThan(1.01 * 20_000);
    }
  });

  it("is not judged by its first results", () => {
    const balance = new Balance("here");
    const clock = { now: 0 };
    while (balance.side === "here") run(balance, { workers: 1, here: 2 }, 1, 1, clock);
    run(balance, { workers: 12, here: 2 }, 2, 1, clock); // workers wait for their first chunks
    expect(run(balance, { workers: 1, here: 2 }, 1000, 1, clock).workers).toBeGreaterThan(900);
  });

  it("changes with the measurements", () => {
    const balance = new Balance("workers");
    const clock = { now: 0 };
    run(balance, { workers: 3, here: 1 }, 500, 1, clock);
    expect(run(balance, { workers: 3, here: 1 }, 500, 1, clock).here).toBeGreaterThan(450);
    expect(run(balance, { workers: 1, here: 3 }, 2000, 1, clock).workers).toBeGreaterThan(1000);
    expect(run(balance, { workers: 1, here: 3 }, 100_000, 1, clock).here).toBeLessThan(400);
  });
});

it("measures single tasks that are synchronous", () => {
  const balance = new Balance("here");
  for (let write = 1; write <= 6; write++) {
    expect(balance.side).toBe("here");
    balance.start("here");
    balance.end("here", 2 ** 20, write, 1000 * write, 1000 * write - 20);
  }
  expect(balance.side).toBe("workers");
});

it("does not measure pauses between reads, failures, and both sides at the same time", () => {
  const balance = new Balance("workers");
  const clock = { now: 0 };
  for (let read = 0; read < 200; read++) {
    clock.now += 1000;
    run(balance, { workers: 1, here: 1 }, 1, read, clock);
  }
  for (let i = 0; i < 200; i++) {
    balance.start("workers");
    clock.now += 1000;
    balance.end("workers", 0, 1, clock.now);
  }
  balance.start("here");
  run(balance, { workers: 1000, here: 1 }, 200, 1, clock);
  balance.end("here", 1, 1, clock.now);
  // Nothing was measured so far: the first trial comes after 75 ms.
  expect(run(balance, { workers: 1, here: 2 }, 75, 2, clock)).toEqual({ workers: 75, here: 0 });
  expect(run(balance, { workers: 1, here: 2 }, 20, 2, clock).here).toBeGreaterThan(0);
});
