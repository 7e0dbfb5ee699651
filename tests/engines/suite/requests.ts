/** All kinds of responses: in small parts, compressed, broken, refused. */
import { getBytes, HttpStore } from "zarr-wasm";
import { at, hasHash, openArray, sampleNamed } from "./data.js";
import { equal, errorOf, ok, test, within } from "./registry.js";

const quick = { retries: 1, retryDelay: 1 };

for (const [how, place] of [
  ["in small parts, without a length", "drip"],
  ["compressed on the way", "gzip"],
] as const) {
  test(`requests: responses ${how}`, async () => {
    const { path, sha256 } = await sampleNamed("transposed");
    const array = await openArray(new HttpStore(at(`/${place}${path}`)));
    await hasHash((await getBytes(array)).bytes, sha256, how);
  });
}

test("requests: a response that breaks off is an error, not a short chunk", async () => {
  const { path } = await sampleNamed("uncompressed");
  const store = new HttpStore(at(`/cut${path}`), quick);
  const error = await within(
    30_000,
    errorOf(() => store.get("/c/0/0")),
    "breaking off",
  );
  equal(error["_tag"], "Network", String(error));
  ok(["fetch-failed", "truncated-answer"].includes(error["code"] as string), `${error["code"]} is the code`);
  ok(error.message.includes(path), `"${error.message}" names the path`);
});

test("requests: only 404 and 410 mean missing", async () => {
  for (const status of [404, 410]) {
    equal(await new HttpStore(at(`/status/${status}`)).get("/a"), undefined, `the answer ${status}`);
  }
  for (const status of [401, 403, 500, 503]) {
    const error = await errorOf(() => new HttpStore(at(`/status/${status}`), quick).get("/a"));
    equal([error["_tag"], error["code"], error["status"]], ["Network", "http-status", status], String(error));
  }
});

test("requests: another server that the policy does not allow", async () => {
  const error = await within(
    30_000,
    errorOf(() => new HttpStore("http://127.0.0.2:9/store", quick).get("/a")),
    "failing",
  );
  equal([error["_tag"], error["code"]], ["Network", "fetch-failed"], String(error));
});

test("requests: suffixes, lengths, and ranges past the end", async () => {
  const { path } = await sampleNamed("uncompressed");
  const store = new HttpStore(at(path));
  const whole = (await store.get("/c/0/0"))!;
  const parts = [
    [{ offset: 5, length: 70_000 }, whole.subarray(5, 70_005)],
    [{ suffixLength: 9 }, whole.subarray(-9)],
    [{ offset: whole.length - 3, length: 100 }, whole.subarray(-3)],
    [{ offset: 7, length: 0 }, whole.subarray(0, 0)],
  ] as const;
  for (const [range, expected] of parts) {
    const found = (await store.getRange("/c/0/0", range))!;
    equal(found.length, expected.length, JSON.stringify(range));
    ok(
      found.every((byte, i) => byte === expected[i]),
      `${JSON.stringify(range)} has the right bytes`,
    );
  }
  equal(await store.getRange("/c/9/9", { suffixLength: 9 }), undefined, "a part of nothing");
});
