// References in Parquet files, as kerchunk, DuckDB and arrow-rs wrote them (tests/golden/references.mjs).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Reference } from "#src/formats/kerchunk/place.js";
import { readRecords } from "#src/formats/kerchunk/records.js";
import { readRuns } from "#src/formats/parquet/pages.js";

interface Golden {
  name: string;
  rows: number;
  first: string[];
  sha256: string;
  file: string;
}

const goldenPath = new URL("../../golden/", import.meta.url);
const cases = readFileSync(new URL("references.jsonl", goldenPath), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Golden);

const limits = { rows: 10_000, bytes: 2 ** 20 };

function fileOf({ name, file }: Golden): Uint8Array {
  const [, array] = /^kerchunk, (.*)$/.exec(name) ?? [];
  return array
    ? readFileSync(new URL(`kerchunk/combined.parq/${array}/refs.0.parq`, goldenPath))
    : Buffer.from(file, "base64");
}

/** Rows in the form that references.mjs writes. */
function textOf(reference: Reference | undefined): string {
  if (!reference) return "null";
  if ("bytes" in reference) return `base64:${Buffer.from(reference.bytes).toString("base64")}`;
  const { url, offset, length } = reference;
  return JSON.stringify(offset === undefined ? [url] : [url, offset, length]);
}

describe("files", () => {
  it.each(cases.map((golden) => [golden.name, golden] as const))("by %s", async (_name, golden) => {
    const records = await readRecords(fileOf(golden), limits);
    const rows = Array.from({ length: golden.rows }, (_, row) => textOf(records.at(row, "/a/0")));
    expect(rows.slice(0, 3)).toEqual(golden.first);
    expect(createHash("sha256").update(rows.join("\n")).digest("hex")).toBe(golden.sha256);
    expect(() => records.at(golden.rows, "/a/0")).toThrow(/has only \d+ rows/);
  });
});

describe("runs of numbers", () => {
  /** Consecutive bit fields, lowest bit first. */
  function packed(values: readonly number[], width: number): Uint8Array {
    const bits = values
      .map((value) => [...value.toString(2).padStart(width, "0")].reverse().join(""))
      .join("");
    const bytes = bits.match(/.{8}/g) ?? [];
    return Uint8Array.from(bytes, (byte) => Number.parseInt([...byte].reverse().join(""), 2));
  }

  it.each(Array.from({ length: 33 }, (_, width) => width))("of %i bits", (width) => {
    const most = 2 ** width;
    const values = Array.from({ length: 16 }, (_, i) => (i === 3 ? most - 1 : (i * 2_654_435_761) % most));
    const one = Array.from(
      { length: Math.ceil(width / 8) },
      (_, i) => Math.floor(values[5]! / 256 ** i) % 256,
    );
    // Two groups of eight, then the sixth number seven times.
    const bytes = Uint8Array.from([(2 << 1) | 1, ...(width ? packed(values, width) : []), 7 << 1, ...one]);
    const expected = [...values, ...Array(7).fill(values[5])];
    expect([...readRuns(bytes, 0, width, 23)]).toEqual(expected);
    expect([...readRuns(bytes, 0, width, 11)]).toEqual(expected.slice(0, 11));
    if (width > 0) expect(() => readRuns(bytes.subarray(0, 2), 0, width, 16)).toThrow(/has truncated runs/);
  });
});
