// Signed requests: WritableHttpStore with a signer from npm, against a server that checks signatures by itself.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { create, deleteNode, get, open, set, slice, WritableHttpStore, type ZarrArray } from "zarr-wasm";
import { S3Server } from "../support/s3-server.js";
import { wrongIn } from "../support/sigv4.js";
import { bytesOf, errorOf } from "../support/support.js";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a/secret+key=", region: "eu-central-1" };
const aws = new AwsClient({ ...credentials, service: "s3" });
let server: S3Server;
let wrong: string[] = [];
beforeAll(async () => {
  server = await new S3Server().start();
  server.allows = (request) => {
    const found = wrongIn(request, credentials);
    if (found) wrong.push(found);
    return found === undefined;
  };
});
afterEach(() => {
  wrong = [];
});
afterAll(() => server.close());

const storeWith = (sign: (request: Request) => Request | Promise<Request>, name = "signed data.zarr") =>
  new WritableHttpStore(`${server.url}/${encodeURIComponent(name)}`, {
    bucket: server.url,
    sign,
    retryDelay: 1,
  });

/** Creates, writes, reads, changes in part, lists and deletes. */
async function useAll(store: WritableHttpStore): Promise<void> {
  const array = await create(store, {
    path: "a (1)/b'c!",
    shape: [6, 6],
    chunkShape: [2, 2],
    shardShape: [4, 4],
    dtype: "int16",
  });
  await set(
    array,
    null,
    Int16Array.from({ length: 36 }, (_, i) => i),
  );
  await set(array, [slice(1, 3), 2], 99);
  const again = (await open(store, { path: array.path })) as ZarrArray;
  expect([...((await get(again, [2, slice(1, 4)])).data as Int16Array)]).toEqual([13, 99, 15]);
  expect(await store.listChildren!("")).toHaveLength(1);
  expect((await errorOf(() => create(store, { path: array.path, shape: [1], dtype: "int8" })))._tag).toBe(
    "AlreadyExists",
  );
  await deleteNode(store, "a (1)");
  expect([...server.objects.keys()].filter((key) => key.includes("b'c!"))).toEqual([]);
}

describe("signatures in headers", () => {
  it("match the server's", async () => {
    await useAll(storeWith((request) => aws.sign(request)));
    expect(wrong).toEqual([]);
  });

  it("with the body's hash", async () => {
    const sign = async (request: Request) => {
      const body = new Uint8Array(await request.clone().arrayBuffer());
      const digest = await crypto.subtle.digest("SHA-256", body);
      const headers = new Headers(request.headers);
      headers.set("x-amz-content-sha256", Buffer.from(digest).toString("hex"));
      const { method, url } = request;
      return aws.sign(url, { method, headers, ...(method === "PUT" ? { body } : {}) });
    };
    await useAll(storeWith(sign, "hashed.zarr"));
    expect(wrong).toEqual([]);
  });

  it("are renewed for each attempt", async () => {
    let tries = 0;
    server.fault = ({ method }) =>
      method === "PUT" && tries++ < 2 ? { status: 503, code: "SlowDown" } : undefined;
    await storeWith((request) => aws.sign(request)).set("/k", bytesOf("x"));
    server.fault = undefined;
    expect([tries, wrong]).toEqual([3, []]);
  });

  it("with other keys, or of another region, are refused, and the error has the status", async () => {
    const others = [
      { ...credentials, secretAccessKey: "another" },
      { ...credentials, region: "us-east-1" },
    ];
    for (const other of others) {
      const signer = new AwsClient({ ...other, service: "s3" });
      const error = await errorOf(() =>
        storeWith((request) => signer.sign(request)).set("/k2", bytesOf("x")),
      );
      expect([error._tag, error.code, error["status"]]).toEqual(["Network", "http-status", 403]);
      expect(error.message).toContain("AccessDenied");
    }
    expect(wrong).toEqual(["SignatureDoesNotMatch", "another scope"]);
    const changed = async (request: Request) => {
      const signed = await aws.sign(request);
      return new Request(signed.url.replace("/k2", "/k3"), signed);
    };
    expect((await errorOf(() => storeWith(changed).get("/k2")))["status"]).toBe(403);
    expect(server.objects.has("signed data.zarr/k2")).toBe(false);
  });

  it("leave a request that can be aborted", async () => {
    const abort = new AbortController();
    server.fault = async () => {
      abort.abort(new Error("enough"));
      await new Promise((resolve) => setTimeout(resolve, 50));
      return undefined;
    };
    const seen: boolean[] = [];
    const store = new WritableHttpStore(`${server.url}/x`, {
      sign: (request) => aws.sign(request),
      fetch: async (request) => {
        const answer = fetch(request);
        await answer.catch(() => seen.push(request.signal.aborted));
        return answer;
      },
    });
    await expect(store.get("/k", { signal: abort.signal })).rejects.toThrow("enough");
    await expect.poll(() => seen).toEqual([true]);
    server.fault = undefined;
  });
});

describe("presigned URLs", () => {
  const presign = async (method: string, url: string, seconds: number) => {
    const asked = new URL(url);
    asked.searchParams.set("X-Amz-Expires", String(seconds));
    return (await aws.sign(asked, { method, aws: { signQuery: true } })).url;
  };
  const presigned =
    (seconds: number, methodOf = (method: string) => method) =>
    async (request: Request) => {
      const { method, url, headers } = request;
      const body = method === "PUT" ? await request.arrayBuffer() : null;
      return new Request(await presign(methodOf(method), url, seconds), { method, headers, body });
    };

  it("read, write on conditions, list and delete", async () => {
    await useAll(storeWith(presigned(60), "presigned.zarr"));
    expect(wrong).toEqual([]);
  });

  it("that have expired, or are for another method, are refused", async () => {
    expect((await errorOf(() => storeWith(presigned(-1000)).get("/k")))["status"]).toBe(403);
    const forReading = storeWith(presigned(60, () => "GET"));
    expect((await errorOf(() => forReading.set("/k", bytesOf("y"))))["status"]).toBe(403);
    expect(wrong).toEqual(["expired", "SignatureDoesNotMatch"]);
  });
});

it("examples/s3.mjs prints the documented output", async () => {
  const program = path.join(import.meta.dirname, "../../../examples/s3.mjs");
  const env = {
    ...process.env,
    BUCKET: server.url,
    AWS_REGION: credentials.region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(stdout).toBe("the array has the shape 2 × 512 × 512\na row of it: 7 7 9 9\n");
  expect(wrong).toEqual([]);
});
