// Large metadata documents are parsed in slices, with the same results and errors as small ones.
import { afterEach, expect, it, vi } from "vitest";
import { isZarrError, MapStore, open, type ZarrWarning } from "#src/index.js";
import { type JsonOptions, JsonReader, parseJson } from "#src/util/json-reader.js";
import { errorOf } from "../support/support.js";

const encode = (text: string) => new TextEncoder().encode(text);
const options: JsonOptions = { name: "a document", maxDepth: 64, bareNonFinite: true };

/** Parses a document in calls of `steps` steps each, and counts the calls. */
function inSteps(text: string, steps: number): { json: unknown; calls: number } {
  const reader = new JsonReader(encode(text), options);
  for (let calls = 1; ; calls++) {
    const json = reader.read(steps);
    if (json !== undefined) return { json, calls };
  }
}

afterEach(() => void vi.restoreAllMocks());

/** Advances the clock by a second per call, so that each slice is one step. */
function hurry(): { turns(): number } {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
  const spy = vi.spyOn(globalThis, "setImmediate");
  return { turns: () => spy.mock.calls.length };
}

const group = (attributes: object, metadata?: object) => ({
  zarr_format: 3,
  node_type: "group",
  attributes,
  ...(metadata ? { consolidated_metadata: { kind: "inline", must_understand: false, metadata } } : {}),
});

const storeWith = (entries: readonly (readonly [string, Uint8Array])[]) => new MapStore(new Map(entries));

const storeOf = (document: object) => storeWith([["/zarr.json", encode(JSON.stringify(document))]]);

it("a reader that pauses after every step returns the same document", () => {
  const text =
    ' {"a":[1,-2.5e3,{"b":"x\\u00e9\\n\\"\\\\y"},[],{}],"\\u0063d":NaN,"0":true,"e":{"f":null,"g":[false,"\\t\\t\\t"]}} ';
  const whole = parseJson(encode(text), options);
  for (const steps of [1, 2, 3, 7, 1000]) expect(inSteps(text, steps).json).toEqual(whole);
  expect(inSteps(text, 1).calls).toBeGreaterThan(20);
  expect(inSteps('"text"', 1)).toEqual({ json: "text", calls: 1 });
});

it("a reader pauses within a string of escapes", () => {
  const { json, calls } = inSteps(JSON.stringify(["\n".repeat(5000)]), 100);
  expect(json).toEqual(["\n".repeat(5000)]);
  expect(calls).toBeGreaterThanOrEqual(50);
});

it("errors name line and column, or the character in megabytes of text", () => {
  expect(() => parseJson(encode('{"a":\n 1,\n  x}'), options)).toThrow("(line 3, column 3)");
  const long = `[${"\n".repeat(2 ** 20)}x]`;
  expect(() => parseJson(encode(long), options)).toThrow(`(character ${2 ** 20 + 2})`);
});

it("a key repeated a thousand times gives eight short warnings", () => {
  const warnings: ZarrWarning[] = [];
  const key = "k".repeat(5000);
  const text = `{${Array.from({ length: 1000 }, () => `"${key}":1`).join()}}`;
  parseJson(encode(text), { ...options, onWarning: (warning) => warnings.push(warning) });
  expect(warnings).toHaveLength(8);
  expect(Math.max(...warnings.map(({ message }) => message.length))).toBeLessThan(200);
});

it("large attributes are parsed, converted and frozen in slices", async () => {
  const { turns } = hurry();
  const attributes = {
    list: Array.from({ length: 40_000 }, (_, i) => ({ i })),
    big: [2 ** 40],
    deep: [[["x"]]],
  };
  const opened = await open(storeOf(group(attributes)), { kind: "group" });
  expect(opened.attributes).toEqual(attributes);
  expect(Object.isFrozen((opened.attributes["list"] as object[])[39_999])).toBe(true);
  expect(Object.isFrozen(opened.attributes["list"])).toBe(true);
  expect(turns()).toBeGreaterThan(20);
});

it("small documents are parsed without yielding", async () => {
  const { turns } = hurry();
  await open(storeOf(group({ a: 1 })), { kind: "group" });
  expect(turns()).toBe(0);
});

it("members of large consolidated metadata are sorted by name and open without requests", async () => {
  const { turns } = hurry();
  const names = Array.from({ length: 20_000 }, (_, i) => `node${(i * 7919) % 20_000}`);
  const store = storeOf(group({}, Object.fromEntries(names.map((name) => [name, group({ name })]))));
  const opened = await open(store, { kind: "group" });
  const members = await opened.members();
  expect(members.map(({ name }) => name)).toEqual([...names].sort());
  expect((await opened.open("node777")).attributes).toEqual({ name: "node777" });
  expect(turns()).toBeGreaterThan(10);
});

it("v2: large attributes and consolidated metadata are read in slices", async () => {
  const { turns } = hurry();
  const json = (value: object) => encode(JSON.stringify(value));
  const names = Array.from({ length: 4000 }, (_, i) => `g${i}`);
  const list = Array.from({ length: 40_000 }, (_, i) => i);
  const metadata = Object.fromEntries([
    ...names.map((name) => [`${name}/.zgroup`, { zarr_format: 2 }]),
    ["g5/.zattrs", { list }],
  ]);
  const store = storeWith([
    ["/.zgroup", json({ zarr_format: 2 })],
    ["/.zattrs", json({ list })],
    ["/.zmetadata", json({ zarr_consolidated_format: 1, metadata })],
  ]);
  const opened = await open(store, { kind: "group" });
  expect(opened.attributes).toEqual({ list });
  expect(await opened.members()).toHaveLength(4000);
  expect((await opened.open("g5")).attributes).toEqual({ list });
  expect(turns()).toBeGreaterThan(10);
});

it("aborting stops the parsing of a large document", async () => {
  const controller = new AbortController();
  hurry();
  const opening = open(storeOf(group({ list: Array.from({ length: 100_000 }, () => 1) })), {
    signal: controller.signal,
  });
  setTimeout(() => controller.abort(new Error("given up")), 1);
  expect((await errorOf(() => opening)).message).toBe("given up");
});

it("invalid large documents give the same errors as small ones", async () => {
  const padding = " ".repeat(2 ** 18);
  const read = async (text: string) =>
    errorOf(() => open(storeWith([["/zarr.json", encode(text)]]), { version: 3 }));
  for (const text of ["{", "[1]", '{"zarr_format":3}', "<html>"]) {
    const [small, large] = [await read(text), await read(text + padding)];
    expect(isZarrError(large, "InvalidMetadata")).toBe(true);
    expect((large as { code?: string }).code).toBe((small as { code?: string }).code);
  }
});

it("listing thousands of nodes of an in-memory store yields to the event loop", async () => {
  const document = encode(JSON.stringify(group({})));
  const store = storeWith([
    ["/zarr.json", document],
    ...Array.from({ length: 2000 }, (_, i) => [`/n${i}/zarr.json`, document] as const),
  ]);
  const opened = await open(store, { kind: "group" });
  const { turns } = hurry();
  expect(await opened.members()).toHaveLength(2000);
  expect(turns()).toBeGreaterThan(100);
});
