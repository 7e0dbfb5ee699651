// Terminal control sequences and bidirectional overrides in a store or in user input: no output contains them unescaped.
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root, run, temporaryFolder, tool, writeStore } from "../support/cli-tool.js";
import { bytesOf, v1Meta } from "../support/support.js";

const folder = temporaryFolder();
const write = (store: Record<string, Uint8Array | string | object>) =>
  writeStore(mkdtempSync(path.join(folder, "store-")), Object.entries(store));

/** Every character that no output may have. */
const unsafe = [
  ...Array.from({ length: 0x20 }, (_, i) => i),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069, 0xd800, 0xdbff, 0xdc00, 0xdfff],
].map((code) => String.fromCharCode(code));
/** All of them, apart, so that no two are a pair. */
const evil = `red${unsafe.join("|")}é😀`;

/** Line breaks and, in tables, tabs come from the tool. An output encoder turns lone surrogates into U+FFFD. */
const raw = new RegExp(`[${unsafe.filter((c) => c !== "\n" && !/\p{Cs}/u.test(c)).join("")}\ufffd]`, "u");
const escapeOf = (c: string) =>
  ({ "\t": "\\t", "\n": "\\n", "\r": "\\r" })[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
const escaped = `red${unsafe.map(escapeOf).join("|")}é😀`;

const v3Array = (fields: object) => ({
  zarr_format: 3,
  node_type: "array",
  shape: [2],
  data_type: "string",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: "",
  codecs: ["vlen-utf8"],
  ...fields,
});
const v3Group = (attributes: object) => ({ zarr_format: 3, node_type: "group", attributes });

/** A chunk of the vlen-utf8 codec. */
function vlen(texts: readonly string[]): Uint8Array {
  const word = (n: number) => new Uint8Array(Uint32Array.of(n).buffer);
  const items = texts.map((text) => bytesOf(text)).flatMap((bytes) => [word(bytes.length), bytes]);
  return Buffer.concat([word(texts.length), ...items]);
}
/** What UTF-8 can carry: everything but the halves. */
const whole = evil.replace(/\p{Cs}/gu, "");

describe("text of elements", () => {
  const strings = write({
    "zarr.json": v3Array({
      shape: [3],
      chunk_grid: { name: "regular", configuration: { chunk_shape: [3] } },
    }),
    "c/0": vlen(["a", whole, "b"]),
  });

  it("is escaped in tables, one element per line", async () => {
    const { status, text, err } = await run("read", strings);
    expect([status, err]).toEqual([0, ""]);
    expect(text).toBe(`a\t${escaped.replace(/\\ud[89a-f]../g, "")}\tb\n`);
  });

  it("is escaped in JSON lines and survives parsing", async () => {
    const { text } = await run("read", strings, "--format", "jsonl");
    expect(text).not.toMatch(raw);
    expect(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(["a", whole, "b"]);
  });

  it("is escaped in the fields' names of structured types", async () => {
    const dtype = [
      [argument, "|u1"],
      ["u", "<U2"],
    ];
    const chunk = new Uint8Array([7, ...new Uint8Array(Uint32Array.of(0x1b, 0x202e).buffer)]);
    const dir = write({
      meta: v1Meta({ shape: [1], chunks: [1], dtype, fill_value: null }),
      attrs: "{}",
      0: chunk,
    });
    for (const format of ["text", "jsonl"]) {
      const { status, text } = await run("read", dir, "--format", format);
      expect(status).toBe(0);
      expect(text).not.toMatch(raw);
      expect(text.split("\n")).toHaveLength(2);
      expect(JSON.parse(text)).toEqual({ [dtype[0]![0]!]: 7, u: "\u001b\u202e" });
    }
  });
});

/** Characters allowed in an argument and a file name. */
const argument = whole.replaceAll("\0", "");
/** Characters allowed in a node path. */
const nodeName = whole.replace(/[^ -~\u{80}-\u{10ffff}]/gu, "");

describe("text of metadata", () => {
  const named = v3Array({
    dimension_names: [evil],
    attributes: { units: evil, [evil]: { [evil]: [evil] } },
    fill_value: evil,
  });
  const dir = write({
    "zarr.json": v3Group({ [evil]: 1 }),
    "a/zarr.json": named,
    "b/zarr.json": v3Array({ codecs: [{ name: evil, configuration: { [evil]: evil } }] }),
    [`c${nodeName}/zarr.json`]: v3Array({}),
  });

  it("is escaped in info of groups and arrays", async () => {
    const group = await run("info", dir);
    expect([group.status, group.err]).toEqual([0, ""]);
    expect(group.text).toContain("red\\u0000");
    expect(group.text.split("\n")).toHaveLength(5);
    const array = await run("info", dir, "--path", "a");
    expect([array.status, array.err]).toEqual([0, ""]);
    expect(array.text.split("\n")).toHaveLength(10);
    for (const { text } of [group, array]) expect(text).not.toMatch(raw);
  });

  it("is escaped in info --json and survives parsing", async () => {
    const { status, text } = await run("info", dir, "--path", "a", "--json");
    expect(status).toBe(0);
    expect(text).not.toMatch(raw);
    expect(JSON.parse(text)).toMatchObject({
      dimensionNames: [evil],
      attributes: named["attributes" as never],
    });
  });

  it("is escaped in errors", async () => {
    const wrong = (fields: object) => run("read", write({ "zarr.json": v3Array(fields) }));
    const runs = [
      await wrong({ codecs: [{ name: evil }] }),
      await wrong({ data_type: evil }),
      await wrong({ [evil]: { must_understand: true } }),
      await wrong({ chunk_grid: { name: evil } }),
      await wrong({ fill_value: [evil] }),
      await run("read", write({ "zarr.json": `{"a": ${evil}}` })),
      await run("read", dir, "--path", `a/${argument}`),
      await run("info", `http://localhost:1/${argument}`),
      await run(argument),
      await run("read", dir, `--${argument}`),
    ];
    for (const { status, text, err } of runs) {
      expect([status, text]).toEqual([expect.toBeOneOf([1, 2]), ""]);
      expect(err).not.toMatch(raw);
      expect(err.replace(/^Try .*\n/m, "").split("\n"), err).toHaveLength(2);
    }
    expect(runs.filter(({ err }) => err.includes("red")).length).toBeGreaterThan(6);
  });

  it("is escaped in warnings", async () => {
    const key = JSON.stringify(evil);
    const document = JSON.stringify(v3Array({})).replace(
      /^\{/,
      `{${key}: {"must_understand": false}, ${key}: 1,`,
    );
    const dir = write({
      "zarr.json": document.replaceAll(`${key}: 1`, `${key}: {"must_understand": false}`),
    });
    const { status, text, err } = await run("read", dir);
    expect([status, text]).toEqual([0, "\t\n"]);
    expect(err).toMatch(/^zarr-wasm: warning: .*red\\u0000.*\n$/);
    expect(err).not.toMatch(raw);
  });
});

it("binary formats are not written to a terminal", () => {
  const dir = write({
    meta: v1Meta({ shape: [1], chunks: [1], dtype: "|S1", fill_value: null }),
    attrs: "{}",
    0: "x",
  });
  // script (of Debian's essential bsdutils) gives the tool a terminal.
  const onTerminal = (format: string) =>
    spawnSync(
      "script",
      ["-qec", `"${process.execPath}" "${tool}" read "${dir}" --format ${format}`, "/dev/null"],
      { cwd: root, env: { ...process.env, NO_COLOR: "1" } },
    );
  for (const format of ["raw", "npy"]) {
    const { status, stdout } = onTerminal(format);
    expect([status, stdout.toString()]).toEqual([
      2,
      expect.stringMatching(/^zarr-wasm: --format \w+ does not write to a terminal/),
    ]);
  }
  expect(onTerminal("text").stdout.toString()).toBe("x\r\n");
});
