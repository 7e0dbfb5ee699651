// docs/frameworks.md shows the files of examples/frameworks, and the one that all components share works: it reports
// progress, aborts, and opens an array once.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { create, set } from "zarr-wasm";
import { root, samplesOf, textOf } from "../support/doc-samples.js";

interface Result {
  state: "reading" | "ready" | "error";
  progress: number;
  region?: { data: Int16Array };
  error?: Error;
}
type ReadRegion = (url: string, selection: unknown[], report: (result: Result) => void) => () => void;

mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/frameworks-"));
const url = `file://${folder}/a.zarr/`;
let readRegion: ReadRegion;

beforeAll(async () => {
  const array = await create(new URL(url), { shape: [4, 8], chunkShape: [1, 8], dtype: "int16" });
  const values = Int16Array.from({ length: 32 }, (_, i) => i);
  await set(array, null, values);
  ({ readRegion } = (await import(path.join(root, "examples/frameworks/region.js"))) as {
    readRegion: ReadRegion;
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads to the end. @returns all reported states */
function reportsOf(place: string, selection: unknown[]): Promise<Result[]> {
  const reports: Result[] = [];
  return new Promise((resolve) => {
    readRegion(place, selection, (result) => {
      reports.push(result);
      if (result.state !== "reading") resolve(reports);
    });
  });
}

it("docs/frameworks.md shows every file of examples/frameworks", () => {
  const shown = samplesOf("docs/frameworks.md").map(({ text }) => text);
  for (const name of readdirSync(path.join(root, "examples/frameworks")))
    expect(shown, name).toContain(textOf(`examples/frameworks/${name}`));
});

it("reports progress and then the region", async () => {
  const reports = await reportsOf(url, [null, 3]);
  expect(reports[0]).toEqual({ state: "reading", progress: 0 });
  expect(reports.at(-2)).toEqual({ state: "reading", progress: 1 });
  expect(reports.at(-1)).toMatchObject({ state: "ready", progress: 1 });
  expect([...reports.at(-1)!.region!.data]).toEqual([3, 11, 19, 27]);
});

it("reports nothing after an abort, as StrictMode does with the first effect", async () => {
  const dropped: Result[] = [];
  readRegion(url, [0, null], (result) => dropped.push(result))();
  const reports = await reportsOf(url, [0, null]);
  expect(reports.at(-1)!.state).toBe("ready");
  expect(dropped).toEqual([{ state: "reading", progress: 0 }]);
});

it("reports an error, and tries again at the next call", async () => {
  const later = url.replace("a.zarr", "b.zarr");
  expect((await reportsOf(later, [0])).at(-1)).toMatchObject({ state: "error", error: { _tag: "NotFound" } });
  await create(new URL(later), { shape: [2], dtype: "int16" });
  expect((await reportsOf(later, [null])).at(-1)).toMatchObject({ state: "ready" });
});
