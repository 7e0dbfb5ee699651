// Bodies whose pieces have no other users are not copied; all other pieces are, as they may be overwritten.
import { describe, expect, it } from "vitest";
import { fetchTransport } from "#src/store/http/fetch.js";
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

describe("a long body, read into place where the stream allows that", () => {
  const long = randomBytes(5 * 2 ** 20, 8);
  const cuts = [0, 1, 2 ** 20, 2 ** 20 + 1, 3_000_000, long.length];
  const pieces = () => cuts.slice(1).map((end, i) => long.slice(cuts[i], end));

  function streamOf(type: "bytes" | undefined, isCut: boolean): ReadableStream<Uint8Array<ArrayBuffer>> {
    const left = pieces();
    const pull = (controller: ReadableStreamDefaultController | ReadableByteStreamController) => {
      const piece = left.shift();
      if (piece) return controller.enqueue(piece);
      if (isCut) return controller.error(new Error("cut"));
      controller.close();
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
    };
    return new ReadableStream({ type: type as "bytes", pull } as UnderlyingByteSource);
  }

  /** Reads by the transport of `fetch`, also into a reused buffer of the expected length. */
  async function read(
    type: "bytes" | undefined,
    options: Partial<Parameters<typeof readBody>[1]>,
    isCut = false,
  ) {
    const watch = new IdleTimeout(new AbortController().signal, 60_000);
    const bufferPool = new BufferPool();
    if (options.expected) bufferPool.give(new ArrayBuffer(options.expected + 1000), 1);
    const transport = fetchTransport(async () => new Response(streamOf(type, isCut)));
    const answer = await transport(new URL("http://x/"), { method: "GET", headers: new Headers(), watch });
    let offered = 0;
    const counted = (room: () => Uint8Array<ArrayBuffer>) => () => {
      offered++;
      return room();
    };
    const spied: HttpResponse = {
      ...answer,
      read: (take, room) => answer.read(take, room && counted(room)),
    };
    const reading = { name: "x", maxBytes: 2 ** 24, watch, bufferPool, ...options };
    const bytes = await readBody(spied, reading).finally(watch.stop);
    return { bytes, offered };
  }

  const { length } = long;
  describe.each(["bytes", undefined] as const)("of a stream of type %s", (type) => {
    it.each([
      { expected: length },
      { expected: length - 1 },
      { expected: length + 1 },
      { expected: 2 * length },
      { expected: length, skip: 3 },
      { expected: length, take: length - 1 },
      { expected: length, skip: 2 ** 20, take: 4 * 2 ** 20 },
      { expected: length, last: 10 },
    ])("%o", async (options) => {
      const { skip = 0, take = length, last } = { last: undefined, ...options };
      const wanted = last === undefined ? long.subarray(skip, skip + take) : long.subarray(-last);
      const { bytes, offered } = await read(type, options);
      expect(Buffer.compare(bytes, wanted)).toBe(0);
      expect(offered).toBeGreaterThan(0);
    });

    it("refuses too many bytes", async () => {
      const reading = read(type, { expected: length, maxBytes: length - 1 });
      await expect(reading).rejects.toMatchObject({ _tag: "LimitExceeded" });
    });

    it("reports a connection that breaks", async () => {
      await expect(read(type, { expected: length }, true)).rejects.toThrow("could not be read: cut");
    });
  });

  it("does not place short ones", async () => {
    expect((await read("bytes", { expected: 1000 })).offered).toBe(0);
  });
});
