// Bodies whose pieces have no other users are not copied; all other pieces are, as they may be overwritten.
import { expect, it } from "vitest";
import { readBody } from "#src/store/http/response.js";
import type { HttpResponse } from "#src/store/transport.js";
import { IdleTimeout } from "#src/util/async.js";
import { BufferPool } from "#src/util/buffers.js";
import { randomBytes } from "../support/support.js";

const whole = randomBytes(1000, 7);

/** A response in pieces of the given lengths, each overwritten after it was taken unless it is owned. */
function responseOf(lengths: readonly number[], isOwned: boolean): [HttpResponse, Uint8Array[]] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const length of lengths) {
    pieces.push(whole.slice(start, start + length));
    start += length;
  }
  const read: HttpResponse["read"] = async (take) => {
    for (const piece of pieces) {
      if (!take(piece)) return;
      if (!isOwned) piece.fill(0);
    }
  };
  const head = { status: 200, statusText: "", isCors: false, headers: new Headers() };
  return [{ ...head, isOwned, read, discard() {} }, pieces];
}

function bodyOf(answer: HttpResponse, options: { skip?: number; take?: number; expected?: number } = {}) {
  const watch = new IdleTimeout(new AbortController().signal, 60_000);
  const bufferPool = new BufferPool();
  bufferPool.give(new ArrayBuffer(1500), 1);
  return readBody(answer, { name: "x", maxBytes: 5000, watch, bufferPool, ...options }).finally(watch.stop);
}

it.each([true, false])("a body in any pieces, owned: %s", async (isOwned) => {
  for (const lengths of [[1000], [1, 999], [500, 500], [0, 1000], [999, 1, 0], []])
    for (const expected of [undefined, 10, 999, 1000, 1001, 4000])
      for (const [skip, take] of [
        [0, undefined],
        [3, undefined],
        [0, 700],
        [3, 700],
      ] as const) {
        const [answer] = responseOf(lengths, isOwned);
        const wanted = lengths.length === 0 ? new Uint8Array(0) : whole.subarray(skip, skip + (take ?? 1000));
        const asked = { skip, ...(take ? { take } : {}), ...(expected ? { expected } : {}) };
        expect(await bodyOf(answer, asked), `${lengths} ${JSON.stringify(asked)}`).toEqual(wanted);
      }
});

it("only one owned piece of the expected length is kept", async () => {
  const isKept = async (lengths: readonly number[], isOwned: boolean, expected: number) => {
    const [answer, pieces] = responseOf(lengths, isOwned);
    const { buffer } = await bodyOf(answer, { expected });
    return pieces.some((piece) => piece.buffer === buffer);
  };
  expect(await isKept([1000], true, 1000)).toBe(true);
  expect(await isKept([1000], false, 1000)).toBe(false);
  expect(await isKept([1000], true, 1001)).toBe(false);
  expect(await isKept([500, 500], true, 1000)).toBe(false);
});
