// Several writers on a server that fails PUT requests before or after it applies them: no acknowledged write is lost or
// applied twice, and an unknown outcome is an error with its own code.
import { spawn } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  get,
  isZarrError,
  open,
  set,
  updateAttributes,
  WritableHttpStore,
  type ZarrArray,
} from "zarr-wasm";
import { stampsIn } from "#src/edit/documents.js";
import { amount } from "../support/amounts.js";
import { type Fault, type S3Request, S3Server } from "../support/s3-server.js";
import { bytesOf, errorOf } from "../support/support.js";

const closing: S3Server[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((server) => server.close()));
});

async function start(): Promise<S3Server> {
  const server = await new S3Server().start();
  closing.push(server);
  return server;
}

/** Each writer has its own store object, like programs on several machines. */
const storeOn = (server: S3Server) =>
  new WritableHttpStore(`${server.url}/data.zarr`, { retryDelay: 5, bucket: server.url });

const faults = {
  "500 before it is applied": { status: 500 },
  "503 before it is applied": { status: 503, code: "SlowDown" },
  "500 after it was applied": { status: 500, after: true },
  "a connection that breaks before": { break: true },
  "a connection that breaks after": { break: true, after: true },
  "a proxy that applies it twice": { twice: true },
} satisfies Record<string, Fault>;

const failSome = (server: S3Server, ...some: Fault[]) => {
  server.fault = ({ method }) => {
    const isMeant = method === "PUT" && Math.random() < (some.length > 1 ? 0.3 : 0.15);
    return isMeant ? some[Math.floor(some.length * Math.random())] : undefined;
  };
};

interface Outcome {
  readonly acknowledged: number[];
  readonly failed: { value: number; code: string; message: string }[];
}

/** Appends blocks of three elements in another process. */
async function appendElsewhere(url: string, writer: number, times: number): Promise<Outcome> {
  const script = `
    import { append, isZarrError, open, WritableHttpStore } from ${JSON.stringify(import.meta.resolve("zarr-wasm"))};
    const outcome = { acknowledged: [], failed: [] };
    const array = await open(new WritableHttpStore(${JSON.stringify(url)}, { retryDelay: 5 }));
    for (let i = 0; i < ${times}; i++) {
      const value = ${1 + writer * 1000} + i;
      for (;;) {
        try {
          await append(array, new Int32Array(3).fill(value));
          outcome.acknowledged.push(value);
        } catch (error) {
          // Other writers were faster ten times, and nothing was appended.
          if (isZarrError(error, "Conflict") && error.chunkKey === undefined) continue;
          outcome.failed.push({ value, code: error.code, message: error.message });
        }
        break;
      }
    }
    console.log(JSON.stringify(outcome));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`the process ended with ${status}`);
  return JSON.parse(output) as Outcome;
}

const allFaults: [string, Fault[]][] = [
  ...Object.entries(faults).map(([name, fault]): [string, Fault[]] => [name, [fault]]),
  ["all of these", Object.values(faults)],
];

describe.each(allFaults)("PUT requests fail at random: %s", (_, some) => {
  it("the array holds each acknowledged append once, and no gaps", async () => {
    const server = await start();
    await create(storeOn(server), { shape: [0], chunkShape: [8], dtype: "int32" });
    failSome(server, ...some);
    const [writers, times] = [amount(2, 10), amount(6, 50)];
    const outcomes = await Promise.all(
      Array.from({ length: writers }, (_, writer) =>
        appendElsewhere(`${server.url}/data.zarr`, writer, times),
      ),
    );
    server.fault = undefined;
    expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
    const array = (await open(storeOn(server))) as ZarrArray;
    const found = [...((await get(array)).data as Int32Array)];
    const blocks = Array.from({ length: found.length / 3 }, (_, i) => found.slice(3 * i, 3 * i + 3));
    expect(blocks.filter((block) => new Set(block).size !== 1)).toEqual([]);
    const wanted = outcomes.flatMap(({ acknowledged }) => acknowledged);
    expect(wanted).toHaveLength(writers * times);
    expect(blocks.map(([value]) => value!).sort((a, b) => a - b)).toEqual(wanted.sort((a, b) => a - b));
  });
});

const isBusy = (error: unknown): true => {
  if (!isZarrError(error, "Conflict")) throw error;
  return true;
};

it("requests that the server carries out after they have timed out undo no append", async () => {
  const server = await start();
  const impatient = () => new WritableHttpStore(`${server.url}/data.zarr`, { retryDelay: 5, timeout: 150 });
  await create(impatient(), { shape: [0], chunkShape: [8], dtype: "int32" });
  let late: Promise<unknown> = Promise.resolve();
  server.fault = async (request) => {
    if (request.method !== "PUT" || Math.random() > 0.1) return undefined;
    const applied = new Promise((resolve) => setTimeout(resolve, 100 + 300 * Math.random()));
    const answered = applied.then(() => server.apply(request));
    late = Promise.all([late, answered]);
    await answered;
    return { break: true };
  };
  const write = async (writer: number) => {
    const array = (await open(impatient())) as ZarrArray;
    for (let i = 0; i < amount(5, 30); i++) {
      const values = new Int32Array(3).fill(1 + 100 * writer + i);
      while (await append(array, values).then(() => false, isBusy)); // other writers were faster
    }
  };
  await Promise.all([0, 1, 2].map(write));
  await late;
  server.fault = undefined;
  const found = await elements(await reopened(server));
  const wanted = [0, 1, 2].flatMap((writer) =>
    Array.from({ length: 3 * amount(5, 30) }, (_, i) => 1 + 100 * writer + Math.floor(i / 3)),
  );
  expect(found.toSorted((a, b) => a - b)).toEqual(wanted);
});

/** Fails the first PUT of a key, before or after applying it, while another writer does its work. */
function failOnce(server: S3Server, key: RegExp, fault: Fault, others: () => Promise<unknown>): void {
  let isDone = false;
  const meets = ({ method, key: asked }: S3Request) => method === "PUT" && key.test(asked);
  server.fault = async (request) => {
    if (isDone || !meets(request)) return undefined;
    isDone = true;
    if (fault.after || "twice" in fault) server.apply(request);
    await others();
    if ("twice" in fault) return undefined; // applied again
    return "break" in fault ? { break: true } : { ...fault, after: false };
  };
}

const documents = { 1: /meta$/, 2: /\.zarray$/, 3: /zarr\.json$/ };
const elements = async (array: ZarrArray) => [...((await get(array)).data as Int32Array)];
const reopened = async (server: S3Server) => (await open(storeOn(server))) as ZarrArray;
const textOf = (server: S3Server, key: string) =>
  new TextDecoder().decode(server.objects.get(`data.zarr/${key}`)!.bytes);

/** Rewrites a document like another program, which drops the stamps. */
const rewrite = (
  server: S3Server,
  key: string,
  change: (object: Record<string, unknown>) => void = () => {},
) => {
  const object = JSON.parse(textOf(server, key));
  change(object);
  server.put(`data.zarr/${key}`, bytesOf(JSON.stringify(object)));
};

describe.each(Object.entries(faults))("a PUT request fails: %s", (_, fault) => {
  describe.each([1, 2, 3] as const)("Zarr v%i", (zarrFormat) => {
    const make = async (server: S3Server) => {
      const options = { shape: [0], chunkShape: [4], dtype: "int32" as const, zarrFormat };
      await create(storeOn(server), options);
      return [await reopened(server), await reopened(server)] as const;
    };

    it("two appends of the same length are both stored", async () => {
      const server = await start();
      const [mine, theirs] = await make(server);
      failOnce(server, documents[zarrFormat], fault, () => append(theirs, Int32Array.of(4, 5, 6)));
      await append(mine, Int32Array.of(1, 2, 3));
      const found = await elements(await reopened(server));
      expect(found).toEqual("after" in fault || "twice" in fault ? [1, 2, 3, 4, 5, 6] : [4, 5, 6, 1, 2, 3]);
    });

    it("two appends are both stored after another program has rewritten the document", async () => {
      const server = await start();
      const [mine, theirs] = await make(server);
      rewrite(server, { 1: "meta", 2: ".zarray", 3: "zarr.json" }[zarrFormat]);
      failOnce(server, documents[zarrFormat], fault, () => append(theirs, Int32Array.of(4, 5, 6)));
      await append(mine, Int32Array.of(1, 2, 3));
      expect((await elements(await reopened(server))).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it("only one of two creates succeeds", async () => {
      const server = await start();
      const options = { shape: [4], dtype: "int32", zarrFormat, attributes: { a: 1 } } as const;
      const others: unknown[] = [];
      failOnce(server, documents[zarrFormat], fault, async () => {
        others.push(await create(storeOn(server), options).catch((error) => error._tag));
      });
      const mine = await create(storeOn(server), options).catch((error) => error._tag);
      const results = [mine, ...others];
      expect(results).toHaveLength(2);
      expect(results.filter((result) => result === "AlreadyExists")).toHaveLength(1);
      const array = await reopened(server);
      expect(array.attributes).toEqual({ a: 1 });
    });
  });

  it("attributes of two writers are both stored, also in consolidated metadata", async () => {
    const server = await start();
    const group = await createGroup(storeOn(server));
    await create(group, { path: "a", shape: [4], dtype: "int32" });
    await consolidate(group);
    const theirs = (await open(storeOn(server), { path: "a" })) as ZarrArray;
    const mine = (await open(storeOn(server), { path: "a" })) as ZarrArray;
    for (const key of [/a\/zarr\.json$/, /data\.zarr\/zarr\.json$/]) {
      const name = key.source.slice(0, 3);
      failOnce(server, key, fault, () => updateAttributes(theirs, { [`their ${name}`]: 1 }));
      await updateAttributes(mine, { [`my ${name}`]: 1 });
    }
    const wanted = { "my a\\/": 1, "their a\\/": 1, "my dat": 1, "their dat": 1 };
    expect(JSON.parse(textOf(server, "a/zarr.json")).attributes).toEqual(wanted);
    const root = JSON.parse(textOf(server, "zarr.json"));
    expect(root.consolidated_metadata.metadata.a.attributes).toEqual(wanted);
  });

  it("calls that do not retry conflicts succeed if they were applied", async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [0], chunkShape: [4], dtype: "int32" });
    const options = { conflicts: "error" } as const;
    const once = (key: RegExp) => failOnce(server, key, fault, async () => {});
    once(documents[3]);
    await append(array, Int32Array.of(1, 2), 0, options);
    once(/c\/0$/);
    await append(array, Int32Array.of(3), 0, options);
    once(/c\/0$/);
    await set(array, [0], 7, options);
    expect(await elements(await reopened(server))).toEqual([7, 2, 3]);
  });

  it("elements of two writers in one chunk are both stored", async () => {
    const server = await start();
    await create(storeOn(server), { shape: [4], chunkShape: [4], dtype: "int32" });
    const [mine, theirs] = [await reopened(server), await reopened(server)];
    for (const round of [1, 2]) {
      failOnce(server, /c\/0$/, fault, () => set(theirs, [1], round));
      await set(mine, [0], round);
      expect(await elements(mine)).toEqual([round, round, 0, 0]);
    }
  });
});

describe("an unknown outcome", () => {
  it("is an error if another program has dropped the stamps", async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [0], chunkShape: [4], dtype: "int32" });
    failOnce(server, documents[3], { break: true, after: true }, async () =>
      rewrite(server, "zarr.json", (object) => Object.assign(object, { attributes: { a: 1 } })),
    );
    const error = await errorOf(() => append(array, Int32Array.of(1)));
    expect([error._tag, error.code]).toEqual(["Network", "unknown-outcome"]);
    server.objects.clear();
    failOnce(server, documents[3], { break: true, after: true }, async () => rewrite(server, "zarr.json"));
    const created = await errorOf(() => create(storeOn(server), { shape: [0], dtype: "int32" }));
    expect(created.code).toBe("unknown-outcome");
  });

  it("is an error if more writers have replaced the document than its stamps name", async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [0], chunkShape: [4], dtype: "int32" });
    failOnce(server, documents[3], { break: true, after: true }, async () => {
      for (let i = 0; i < 30; i++) await updateAttributes(await reopened(server), { [i]: i });
    });
    expect((await errorOf(() => append(array, Int32Array.of(1)))).code).toBe("unknown-outcome");
    expect(server.objects.get("data.zarr/zarr.json")!.bytes.byteLength).toBeLessThan(3000);
  });

  it("is an error with the status if the server fails every PUT request", async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [0], chunkShape: [4], dtype: "int32" });
    const before = textOf(server, "zarr.json");
    server.fault = ({ method }) => (method === "PUT" ? { status: 503, code: "SlowDown" } : undefined);
    const error = await errorOf(() => append(array, Int32Array.of(1)));
    expect([error._tag, error.code, error["status"]]).toEqual(["Network", "unknown-outcome", 503]);
    expect(textOf(server, "zarr.json")).toBe(before);
    expect(array.shape).toEqual([0]);
  });
});

describe.each([
  [404, "NoSuchBucket"],
  [410, "Gone"],
  [409, "ConditionalRequestConflict"],
  [412, "PreconditionFailed"],
])("a server that answers every PUT request with %i (%s)", (status, code) => {
  it("is named by the error of create: nothing exists", async () => {
    const server = await start();
    server.fault = ({ method }) => (method === "PUT" ? { status, code } : undefined);
    const error = await errorOf(() => create(storeOn(server), { path: "g/a", shape: [4], dtype: "int32" }));
    expect([error._tag, error.code, error["status"]]).toEqual(["Network", "http-status", status]);
    expect(error.message).toContain(`to PUT (${code})`);
    expect(server.log.filter((line) => line.startsWith("PUT")).length).toBeLessThan(20);
  });

  it("is named by the errors of changes", async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [2], chunkShape: [4], dtype: "int32" });
    await set(array, [0], 1);
    server.fault = ({ method }) => (method === "PUT" ? { status, code } : undefined);
    const wanted = status === 412 ? ["Unsupported", "no-conditions"] : ["Network", "http-status"];
    for (const change of [
      () => append(array, Int32Array.of(1)),
      () => updateAttributes(array, { a: 1 }),
      () => set(array, [0], 2),
    ]) {
      const error = await errorOf(change);
      expect([error._tag, error.code]).toEqual(wanted);
      expect(error.message).toContain(status === 412 ? "If-Match" : `to PUT (${code})`);
    }
    expect(array.shape).toEqual([2]);
  });
});

describe("an append whose values cannot be written", () => {
  const make = async () => {
    const server = await start();
    const array = await create(storeOn(server), { shape: [0], chunkShape: [4], dtype: "int32" });
    await append(array, Int32Array.of(1, 2));
    return { server, array };
  };

  it("is undone", async () => {
    const { server, array } = await make();
    server.fault = ({ method, key }) =>
      method === "PUT" && key.endsWith("c/1") ? { status: 403, code: "AccessDenied" } : undefined;
    const error = await errorOf(() => append(array, Int32Array.of(3, 4, 5)));
    expect([error.code, error["status"]]).toEqual(["http-status", 403]);
    expect(error.message).toMatch(/^nothing was appended: /);
    expect(array.shape).toEqual([2]);
    server.fault = undefined;
    await append(array, Int32Array.of(6));
    const { shape } = await reopened(server);
    expect(shape).toEqual([3]);
    const longer = await reopened(server);
    await append(longer, new Int32Array(2));
    expect(await elements(longer)).toEqual([1, 2, 6, 0, 0]);
  });

  it("changes nothing if the server carries out its request after another writer has appended", async () => {
    const { server, array } = await make();
    let late: S3Request | undefined;
    server.fault = (request) => {
      if (request.method !== "PUT" || !request.key.endsWith("c/1")) return undefined;
      late ??= request;
      return { break: true };
    };
    const error = await errorOf(() => append(array, Int32Array.of(3, 4, 5, 6, 7, 8)));
    expect(error.message).toMatch(/^nothing was appended: /);
    server.fault = undefined;
    await append(await reopened(server), Int32Array.of(13, 14, 15, 16, 17, 18));
    const { body, headers, target } = late!;
    const condition = headers["if-none-match"];
    const { status } = await fetch(new URL(target, server.url), {
      method: "PUT",
      headers: condition ? { "if-none-match": condition } : {},
      body: new Uint8Array(body),
    });
    expect(status).toBe(412);
    expect(await elements(await reopened(server))).toEqual([1, 2, 13, 14, 15, 16, 17, 18]);
  });

  it("is undone if its document cannot be read back, and can be repeated", async () => {
    const { server, array } = await make();
    let isWritten = false;
    server.fault = ({ method, key }) => {
      if (method === "PUT" && key.endsWith("c/1")) isWritten = true;
      if (!isWritten || method !== "GET" || !key.endsWith("zarr.json")) return undefined;
      isWritten = false;
      return { status: 403, code: "AccessDenied" };
    };
    expect((await errorOf(() => append(array, Int32Array.of(3, 4, 5)))).message).toMatch(
      /^nothing was appended: /,
    );
    server.fault = undefined;
    await append(array, Int32Array.of(6, 7, 8));
    expect(await elements(await reopened(server))).toEqual([1, 2, 6, 7, 8]);
  });

  it("names its elements if another writer has appended since", async () => {
    const { server, array } = await make();
    const theirs = await reopened(server);
    let isTheirs = false;
    server.fault = async ({ method, key }) => {
      if (isTheirs || method !== "PUT" || !key.endsWith("c/1")) return undefined;
      isTheirs = true;
      await append(theirs, Int32Array.of(7, 8, 9, 10, 11));
      isTheirs = false;
      return { status: 403, code: "AccessDenied" };
    };
    const error = await errorOf(() => append(array, Int32Array.of(3, 4, 5)));
    server.fault = undefined;
    expect([error._tag, error.code, error["status"]]).toEqual(["Network", "unknown-outcome", 403]);
    expect(error.message).toMatch(/^elements 2 to 4 along axis 0 may be fill value: /);
    expect(await elements(await reopened(server))).toEqual([1, 2, 3, 4, 0, 7, 8, 9, 10, 11]);
  });
});

it("an append whose consolidated metadata cannot be updated has its own error", async () => {
  const server = await start();
  const group = await createGroup(storeOn(server));
  const array = await create(group, { path: "a", shape: [0], dtype: "int32" });
  await consolidate(group);
  server.fault = ({ method, key }) =>
    method === "PUT" && key === "data.zarr/zarr.json"
      ? { status: 412, code: "PreconditionFailed" }
      : undefined;
  const error = await errorOf(() => append(array, Int32Array.of(1)));
  expect([error._tag, error.code]).toEqual(["Network", "outdated-consolidated"]);
  expect(await elements(array)).toEqual([1]);
});

it("stamps are whitespace after the JSON text, and only in stores that need them", async () => {
  const server = await start();
  const array = await create(storeOn(server), { shape: [0], dtype: "int32" });
  await append(array, Int32Array.of(1));
  const { bytes } = server.objects.get("data.zarr/zarr.json")!;
  expect(stampsIn(bytes).length).toBe(2);
  expect(JSON.parse(new TextDecoder().decode(bytes)).shape).toEqual([1]);
  const plain = new Map<string, Uint8Array>();
  await append(await create(plain, { shape: [0], dtype: "int32" }), Int32Array.of(1));
  expect(new TextDecoder().decode(plain.get("/zarr.json"))).toMatch(/\}\n$/);
});
