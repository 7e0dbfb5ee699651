// Storage of the data: an R2 bucket, and an S3 bucket with signed requests.
import { afterAll, beforeAll, expect, it } from "vitest";
import { S3Server } from "../node/support/s3-server.js";
import { wrongIn } from "../node/support/sigv4.js";
import { element, makeStores, type Objects } from "./stores.js";
import { startMiniflare } from "./tools.mjs";

let objects: Objects;
beforeAll(async () => {
  objects = await makeStores();
});

async function corner(url: string, path: string): Promise<number> {
  const answer = await fetch(`${url}/${path}`);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return Buffer.from(await answer.arrayBuffer()).readUInt16LE(2);
}

const wanted = [
  ["v2/0/1/1.raw", element(0, 256, 257)],
  ["v3/0/1/1.raw", element(0, 256, 257)],
  ["sharded/0/1/1.raw", element(0, 256, 257)],
  ["plates/ome-sharded/2/1/1.raw?c=2&t=1", element(5, 256, 257)],
] as const;

it("an R2 bucket", async () => {
  const worker = await startMiniflare({}, { r2Buckets: ["BUCKET"] });
  const bucket = await worker.server.getR2Bucket("BUCKET");
  for (const [key, bytes] of objects) await bucket.put(key.slice(1), bytes);
  for (const [path, value] of wanted) expect(await corner(worker.url, path), path).toBe(value);
  expect((await fetch(`${worker.url}/none/0/0/0.raw`)).status).toBe(404);
  // A shard that was replaced before its chunks are read is read again.
  await bucket.put("sharded/c/0/0", objects.get("/sharded/c/0/1")!);
  expect(await corner(worker.url, "sharded/0/0/0.raw?v=2")).toBe(element(0, 0, 513));
  // A shard shorter than its index.
  await bucket.put("sharded/c/1/0", objects.get("/sharded/c/1/0")!.slice(0, 100));
  expect((await fetch(`${worker.url}/sharded/0/2/0.raw`)).status).toBe(502);
  await worker.close();
});

it("an S3 bucket with signed requests", async () => {
  const credentials = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "a/secret+key=",
    region: "eu-central-1",
  };
  const server = await new S3Server().start();
  const wrong: string[] = [];
  server.allows = (request) => {
    const found = wrongIn(request, credentials);
    if (found) wrong.push(found);
    return found === undefined;
  };
  for (const [key, bytes] of objects) server.put(key.slice(1), bytes);
  const keys = {
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    S3_REGION: credentials.region,
  };
  const worker = await startMiniflare({ STORE_URL: server.url, ...keys });
  for (const [path, value] of wanted) expect(await corner(worker.url, path), path).toBe(value);
  expect(wrong).toEqual([]);
  await worker.close();
  const unsigned = await startMiniflare({ STORE_URL: server.url });
  expect((await fetch(`${unsigned.url}/v3/0/0/0.raw`)).status).toBe(502);
  await unsigned.close();
  await server.close();
});

afterAll(() => objects.clear());
