// Ten writers in five programs paint one array on a server with conditional writes, all at the same time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { create, get, open, WritableHttpStore, type ZarrArray } from "zarr-wasm";
import { S3Server } from "../support/s3-server.js";

let server: S3Server;
beforeAll(async () => {
  server = await new S3Server().start();
});
afterAll(() => server.close());

const [programs, writers, sets] = [5, 2, 6];

/** A program that waits for a start signal; its result is the list of elements that it painted. */
function start(url: string, program: number) {
  const file = path.join(import.meta.dirname, "../support/painter.mjs");
  const numbers = [program * writers, writers, programs * writers, sets].map(String);
  const child = spawn(process.execPath, [file, url, server.url, ...numbers], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 60_000,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit");
  const result = async () => {
    child.stdin.write("go\n");
    const { value } = await lines.next();
    expect((await ended)[0]).toBe(0);
    return JSON.parse(value as string) as [place: number, value: number][];
  };
  return { ready: lines.next(), result };
}

it("lose no element of a sharded array", { timeout: 90_000 }, async () => {
  const url = `${server.url}/painted.zarr`;
  const shape = [16, 64];
  const options = { shape, chunkShape: [4, 8], shardShape: [8, 32], dtype: "int32" as const };
  await create(new WritableHttpStore(url, { bucket: server.url }), options);
  const children = Array.from({ length: programs }, (_, program) => start(url, program));
  await Promise.all(children.map(({ ready }) => ready));
  const painted = (await Promise.all(children.map(({ result }) => result()))).flat();
  const wanted = new Int32Array(shape[0]! * shape[1]!);
  for (const [place, value] of painted) wanted[place] = value;
  const { data } = await get((await open(new WritableHttpStore(url))) as ZarrArray);
  expect(data).toEqual(wanted);
  expect(painted.length).toBeGreaterThan(programs * writers * sets);
  // The writers did collide: some conditional writes failed.
  expect(server.refusals.filter((status) => status === 412).length).toBeGreaterThan(5);
});
