// Appends of real pages: over connections that break after a PUT was applied, and of four tabs to one private folder.
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import type * as Library from "zarr-wasm";
import { S3Server } from "../node/support/s3-server.js";
import { expect, test } from "./site.js";

/** A server of pages that forwards requests for objects, and breaks connections after some PUT requests. */
async function startProxy(site: string, store: S3Server) {
  const counts = { puts: 0, breaks: 0 };
  const server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const isObject = request.url!.startsWith("/bucket/");
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(`${isObject ? new URL(store.url).origin : site}${request.url}`, {
      method: request.method!,
      headers,
      ...(pieces.length > 0 ? { body: Buffer.concat(pieces) } : {}),
    });
    if (request.method === "PUT") {
      counts.puts++;
      if (Math.random() < 0.3) {
        counts.breaks++;
        return void request.socket.destroy();
      }
    }
    const body = Buffer.from(await answer.arrayBuffer());
    const kept = ["content-type", "etag", "content-range", "content-security-policy"];
    const told = kept.flatMap((name) =>
      answer.headers.has(name) ? [[name, answer.headers.get(name)!]] : [],
    );
    response.writeHead(answer.status, Object.fromEntries(told)).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    counts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("appends over connections that break after PUT requests are stored once", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/404|412|ERR_/); // missing chunks, refused repetitions, broken connections
  const store = await new S3Server().start();
  const proxy = await startProxy(site, store);
  try {
    await page.goto(`${proxy.url}/pages/blank.html`);
    const { shape, values } = await page.evaluate(async () => {
      const entry = "/lib/index.js";
      const { append, create, get, WritableHttpStore } = (await import(entry)) as typeof Library;
      const place = new WritableHttpStore(new URL("/bucket/a.zarr", location.href), { retryDelay: 5 });
      const array = await create(place, { shape: [0], chunkShape: [4], dtype: "int32" });
      for (let i = 1; i <= 30; i++) await append(array, Int32Array.of(i));
      return { shape: array.shape, values: [...((await get(array)).data as Int32Array)] };
    });
    expect(shape).toEqual([30]);
    expect(values).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(proxy.counts.breaks).toBeGreaterThan(5);
  } finally {
    proxy.close();
    await store.close();
  }
});

/** Appends rows of a value from a page to an array in the private file system. */
const appendRows = (page: Page, tab: number, count: number) =>
  page.evaluate(
    async ([first, times]) => {
      const entry = "/lib/index.js";
      const { append, DirectoryHandleStore, open } = (await import(entry)) as typeof Library;
      const root = await navigator.storage.getDirectory();
      const folder = (await root.getDirectoryHandle("appended")) as unknown as Library.DirectoryHandle;
      const array = (await open(new DirectoryHandleStore(folder))) as Library.ZarrArray;
      const errors: string[] = [];
      const status = { acknowledged: [] as number[], errors };
      (globalThis as { appends?: typeof status }).appends = status;
      for (let value = first!; value < first! + times!; ) {
        try {
          await append(array, Int32Array.of(value, value, value) as never);
          status.acknowledged.push(value++);
        } catch (error) {
          const { _tag, code, message } = error as { _tag: string; code: string; message: string };
          // Other tabs were faster ten times, and nothing was appended.
          if (_tag !== "Conflict" || code === "locked") errors.push(`${_tag} ${code}: ${message}`);
          if (_tag !== "Conflict") value++;
        }
      }
      return status;
    },
    [1 + 1000 * tab, count],
  );

test("appends of four tabs to one private folder are stored once, and one tab is closed", async ({
  page,
  context,
  site,
}) => {
  test.setTimeout(120_000);
  const tabs = [page, ...(await Promise.all([1, 2, 3].map(() => context.newPage())))];
  for (const tab of tabs) await tab.goto(`${site}/pages/blank.html`);
  await page.evaluate(async () => {
    const entry = "/lib/index.js";
    const { create, DirectoryHandleStore } = (await import(entry)) as typeof Library;
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("appended", { create: true });
    const place = new DirectoryHandleStore(folder as unknown as Library.DirectoryHandle);
    await create(place, { shape: [0], chunkShape: [8], dtype: "int32" });
  });
  const closing = tabs[3]!;
  const running = tabs.map((tab, i) =>
    appendRows(tab, i, tab === closing ? 1000 : 25).catch(() => undefined),
  );
  type Status = { appends?: { acknowledged: number[] } };
  await closing.waitForFunction(() => ((globalThis as Status).appends?.acknowledged.length ?? 0) >= 8);
  const acknowledged = await closing.evaluate(() => (globalThis as Status).appends!.acknowledged.length);
  await closing.close();
  const statuses = (await Promise.all(running)).slice(0, 3);
  expect(statuses.flatMap((status) => status!.errors)).toEqual([]);
  const values = await page.evaluate(async () => {
    const entry = "/lib/index.js";
    const { DirectoryHandleStore, get, open } = (await import(entry)) as typeof Library;
    const root = await navigator.storage.getDirectory();
    const folder = (await root.getDirectoryHandle("appended")) as unknown as Library.DirectoryHandle;
    const { data } = await get((await open(new DirectoryHandleStore(folder))) as Library.ZarrArray);
    return [...(data as Int32Array)];
  });
  const blocks = Array.from({ length: values.length / 3 }, (_, i) => values.slice(3 * i, 3 * i + 3));
  const counts = new Map<number, number>();
  for (const block of blocks.filter(([a, b, c]) => a === b && b === c))
    counts.set(block[0]!, (counts.get(block[0]!) ?? 0) + 1);
  for (const tab of [0, 1, 2])
    for (let i = 0; i < 25; i++) expect(counts.get(1 + 1000 * tab + i), `${tab}, ${i}`).toBe(1);
  for (let i = 0; i < acknowledged; i++) expect(counts.get(3001 + i)).toBe(1);
  // The tab that was closed may have left one append without its elements.
  const gaps = blocks.filter((block) => block.includes(0)).length;
  expect(gaps).toBeLessThanOrEqual(1);
});
