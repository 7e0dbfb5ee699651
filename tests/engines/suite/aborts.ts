/** Aborted reads. */
import { get, HttpStore } from "zarr-wasm";
import { at, openArray, pause, sampleNamed } from "./data.js";
import { equal, errorOf, ok, test, within } from "./registry.js";

const held = async () => (await (await fetch("/held")).json()) as { count: number; gone: number };

test("aborts: a signal that is already aborted", async () => {
  const { path } = await sampleNamed("transposed");
  const array = await openArray(at(path));
  const reason = new Error("changed my mind");
  ok(
    (await errorOf(() => get(array, null, { signal: AbortSignal.abort(reason) }))) === reason,
    "the reason comes back",
  );
  const plain = await errorOf(() => get(array, null, { signal: AbortSignal.abort() }));
  equal(plain.name, "AbortError");
});

test("aborts: a request in flight is aborted, and its connection closed", async () => {
  const controller = new AbortController();
  const before = await held();
  const store = new HttpStore(at("/hold"));
  const reading = Promise.all(
    Array.from({ length: 3 }, (_, i) => errorOf(() => store.get(`/${i}`, { signal: controller.signal }))),
  );
  while ((await held()).count < before.count + 3) await pause(20);
  const reason = new Error("enough");
  controller.abort(reason);
  const errors = await within(10_000, reading, "giving up");
  ok(
    errors.every((error) => error === reason),
    "the reason comes back",
  );
  await within(
    10_000,
    (async () => {
      while ((await held()).gone < before.gone + 3) await pause(20);
    })(),
    "closing the connections",
  );
});

test("aborts: while a body arrives, then the next read succeeds", async () => {
  const { path } = await sampleNamed("transposed");
  const array = await openArray(at(`/drip${path}`));
  const controller = new AbortController();
  const reading = get(array, null, {
    signal: controller.signal,
    onProgress: ({ chunks }) => chunks === 3 && controller.abort(),
  });
  equal((await errorOf(() => reading)).name, "AbortError");
  ok((await get(array)).data.length > 0, "it is read");
});

test("aborts: a timeout signal", async () => {
  const error = await within(
    20_000,
    errorOf(() => new HttpStore(at("/hold")).get("/late", { signal: AbortSignal.timeout(100) })),
    "giving up",
  );
  equal(error.name, "TimeoutError");
});
