// The command line as a user runs it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { goldenCases, serve, sha256, storeOf, v1Meta } from "../support/support.js";

const folder = temporaryFolder();

/** Writes a Zarr v1 array. */
const write = (name: string, meta: object, chunks: Record<string, Uint8Array | string>, attrs = "{}") =>
  writeStore(path.join(folder, name), Object.entries({ meta, attrs, ...chunks }));

const matrix = write(
  "matrix",
  v1Meta({ shape: [3, 4], chunks: [3, 4], dtype: "<f4", fill_value: null }),
  { "0.0": new Uint8Array(Float32Array.of(0, 1.5, -2, Number.NaN, 4, 5, 6, Infinity, 8, 9, 10, 0.1).buffer) },
  '{"units": "m"}',
);

describe("zarr-wasm read", () => {
  it("writes raw bytes", async () => {
    const { status, out, err } = await run("read", matrix, "--format", "raw");
    expect([status, err, out.length]).toEqual([0, "", 48]);
    expect(new Float32Array(new Uint8Array(out).buffer)[1]).toBe(1.5);
  });

  it("reads selections", async () => {
    expect((await run("read", matrix, "--select", "1:,::2")).text).toBe("4\t6\n8\t10\n");
    expect((await run("read", matrix, "--select", "-1,0")).text).toBe("8\n");
    expect((await run("read", matrix, "--select", "0")).text).toBe("0\t1.5\t-2\tNaN\n");
  });

  it("prints times as ISO dates, and durations with their unit; JSON lines have the counts", async () => {
    const times = (name: string, dtype: string, ...counts: bigint[]) => {
      const meta = v1Meta({ shape: [counts.length], chunks: [counts.length], dtype, fill_value: null });
      return write(name, meta, { "0": new Uint8Array(BigInt64Array.from(counts).buffer) });
    };
    const none = -(2n ** 63n);
    const text = async (...array: Parameters<typeof times>) =>
      (await run("read", times(...array))).text.trim().split("\t");
    const nanoseconds = times("ns", "<M8[ns]", 1579046400123456789n, -1n, none);
    expect((await run("read", nanoseconds)).text).toBe(
      "2020-01-15T00:00:00.123456789\t1969-12-31T23:59:59.999999999\tNaT\n",
    );
    expect((await run("read", nanoseconds, "--format", "jsonl")).text).toBe(
      `1579046400123456789\n-1\n${none}\n`,
    );
    expect(await text("days", "<M8[D]", 0n, -719529n, 2932897n, 2n ** 60n)).toEqual([
      ...["1970-01-01", "-000001-12-31", "+010000-01-01", `${2n ** 60n} D since 1970`],
    ]);
    expect(await text("hours", "<M8[6h]", 1n)).toEqual(["1970-01-01T06"]);
    expect(await text("months", "<M8[M]", 601n, -1n)).toEqual(["2020-02", "1969-12"]);
    expect(await text("years", "<M8[Y]", 50n)).toEqual(["2020"]);
    expect(await text("durations", "<m8[10s]", 9n, none)).toEqual(["90 s", "NaT"]);
    const fields = [
      ["at", "<M8[D]"],
      ["for", "<m8[s]"],
    ];
    const structs = write("structs", v1Meta({ shape: [2], chunks: [2], dtype: fields, fill_value: null }), {
      "0": new Uint8Array(BigInt64Array.of(1n, 2n, 0n, none).buffer),
    });
    expect((await run("read", structs)).text).toBe(
      '{"at":"1970-01-02","for":"2 s"}\t{"at":"1970-01-01","for":"NaT"}\n',
    );
    expect((await run("read", structs, "--format", "jsonl")).text).toBe(
      `{"at":1,"for":2}\n{"at":0,"for":${none}}\n`,
    );
  });

  it("writes JSON lines, bytes as base64 and non-finite numbers by name", async () => {
    const lines = (await run("read", matrix, "--format", "jsonl", "--select", ":2")).text.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      0,
      1.5,
      -2,
      "NaN",
      4,
      5,
      6,
      "Infinity",
    ]);
    const jsonl = async (dtype: unknown, bytes: number[]) => {
      const dir = write(`j${Math.random()}`, v1Meta({ shape: [1], chunks: [1], dtype, fill_value: null }), {
        0: Uint8Array.from(bytes),
      });
      return (await run("read", dir, "--format", "jsonl")).text;
    };
    expect(await jsonl("<i8", [1, 0, 0, 0, 0, 0, 32, 0])).toBe("9007199254740993\n");
    expect(await jsonl("|S3", [97, 98, 0])).toBe('{"b64":"YWI="}\n');
    expect(await jsonl("<U1", [0xe9, 0, 0, 0])).toBe('"é"\n');
    expect(await jsonl("<c8", [0, 0, 128, 63, 0, 0, 0, 192])).toBe("[1,-2]\n");
    expect(await jsonl("|b1", [1])).toBe("true\n");
    expect(
      await jsonl(
        [
          ["a", "|u1"],
          ["b", ">i2"],
        ],
        [7, 1, 2],
      ),
    ).toBe('{"a":7,"b":258}\n');
  });

  it("writes NumPy files", async () => {
    const file = path.join(folder, "x.npy");
    expect((await run("read", matrix, "--format", "npy", "--out", file)).status).toBe(0);
    const npy = readFileSync(file);
    expect(npy.subarray(0, 8)).toEqual(Buffer.from("\x93NUMPY\x01\x00", "latin1"));
    const length = npy.readUInt16LE(8);
    expect((10 + length) % 64).toBe(0);
    expect(npy.subarray(10, 10 + length).toString()).toMatch(
      /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(3, 4\), \} *\n$/,
    );
    expect(npy.length).toBe(10 + length + 48);
  });

  it.each([
    ["Latin-1 names of fields", ["é", "b'\"\\"], 1, "latin1"],
    ["other names, in UTF-8", ["é", "ż😀", "\u202e"], 3, "utf8"],
    ["long Latin-1 headers", Array.from({ length: 1200 }, (_, i) => `${"é".repeat(60)}${i}`), 2, "latin1"],
    ["long UTF-8 headers", Array.from({ length: 1200 }, (_, i) => `${"ż".repeat(60)}${i}`), 3, "utf8"],
  ] as const)("writes NumPy files with %s", async (name, fields, version, encoding) => {
    const dtype = fields.map((field) => [field, "|u1"]);
    const meta = v1Meta({ shape: [1], chunks: [1], dtype, fill_value: null });
    const elements = Uint8Array.from(fields, (_, i) => i);
    const { status, out } = await run("read", write(name, meta, { 0: elements }), "--format", "npy");
    expect([status, out.subarray(0, 8)]).toEqual([
      0,
      Buffer.from(`\x93NUMPY${String.fromCharCode(version)}\0`, "latin1"),
    ]);
    const prefix = version === 1 ? 10 : 12;
    const length = version === 1 ? out.readUInt16LE(8) : out.readUInt32LE(8);
    expect((prefix + length) % 64).toBe(0);
    expect(length > 65535).toBe(fields.length > 100);
    const descr = fields.map((field) => `(${JSON.stringify(field)}, '|u1')`).join(", ");
    const header = `{'descr': [${descr}], 'fortran_order': False, 'shape': (1,), }`;
    expect(
      out
        .subarray(prefix, prefix + length)
        .toString(encoding)
        .trimEnd(),
    ).toBe(header);
    expect(out[prefix + length - 1]).toBe(0x0a);
    expect(new Uint8Array(out.subarray(prefix + length))).toEqual(elements);
  });

  it("writes NumPy files with the longest header of format 1.0, and one byte more", async () => {
    const header = async (nameLength: number) => {
      const dtype = [["x".repeat(nameLength), "|u1"]];
      const meta = v1Meta({ shape: [1], chunks: [1], dtype, fill_value: null });
      const { out } = await run("read", write(`name-${nameLength}`, meta, { 0: "x" }), "--format", "npy");
      return { version: out[6], bytes: out.length - 1 };
    };
    const fits =
      65536 - 10 - 1 - "{'descr': [(\"\", '|u1')], 'fortran_order': False, 'shape': (1,), }".length;
    expect(await header(fits)).toEqual({ version: 1, bytes: 65536 });
    expect(await header(fits + 1)).toEqual({ version: 2, bytes: 65536 + 64 });
  });

  it("reads over HTTP", async () => {
    const golden = goldenCases("v1").find((g) => g.name.includes("021-blosc-zlib"))!;
    const store = storeOf(golden);
    const server = await serve((url) => store.get(url));
    const { status, out } = await run("read", server.url, "--format", "raw");
    await server.close();
    expect([status, sha256(out)]).toEqual([0, golden.sha256]);
  });

  it("warns once about the order of zarr-python 1.x, and takes --v1-order", async () => {
    const golden = goldenCases("v1").find((g) => g.writerOrderSha256)!;
    const dir = writeStore(path.join(folder, "order"), storeOf(golden));
    const spec = await run("read", dir, "--format", "raw");
    expect([spec.status, sha256(spec.out)]).toEqual([0, golden.sha256]);
    expect(spec.err.trim().split("\n").length).toBe(1);
    expect(spec.err).toMatch(/warning: .*--v1-order writer/);
    const writer = await run("read", dir, "--format", "raw", "--v1-order", "writer");
    expect([writer.status, writer.err, sha256(writer.out)]).toEqual([0, "", golden.writerOrderSha256]);
  });

  it.each([
    ["a missing folder", ["read", "/no/such/folder"], 1],
    ["a folder without an array", ["read", folder], 1],
    ["a corrupt chunk", ["read", write("bad", v1Meta({ compression: "blosc" }), { "0.0": "xx" })], 1],
    ["a selection out of range", ["read", matrix, "--select", "9"], 1],
    ["a malformed selection", ["read", matrix, "--select", "a"], 2],
    ["an unknown format", ["read", matrix, "--format", "xml"], 2],
    ["an unknown option", ["read", matrix, "--nonsense"], 2],
    ["an unknown command", ["write", matrix], 2],
    ["no source", ["read"], 2],
    ["two sources", ["read", matrix, matrix], 2],
    ["a wrong order", ["read", matrix, "--v1-order", "x"], 2],
  ])("reports %s in one line", async (_what, args, status) => {
    const result = await run(...args);
    expect(result.status).toBe(status);
    expect(result.text).toBe("");
    expect(result.err).toMatch(/^zarr-wasm: .+\n/);
    expect(result.err).not.toMatch(/\n\s+at |Error:/);
  });

  it("exits with status 2 without arguments", async () => {
    expect((await run()).status).toBe(2);
  });

  it("prints a short overview as help", async () => {
    const { status, text } = await run("--help");
    expect(status).toBe(0);
    expect(text).toMatch(/^ {2}read SOURCE +print or save elements/m);
    expect(text.split("\n").length).toBeLessThan(24);
    expect((await run("help")).text).toBe(text);
    expect((await run("help", "read")).text).toBe((await run("read", "--help")).text);
    expect((await run("-v")).text).toBe((await run("--version")).text);
  });
});

describe("zarr-wasm read of large arrays as text", () => {
  const large = write(
    "large",
    v1Meta({ shape: [40, 30], chunks: [40, 30], dtype: "<i2", fill_value: null }),
    {
      "0.0": new Uint8Array(Int16Array.from({ length: 1200 }, (_, i) => i).buffer),
    },
  );

  it("abbreviates to the first and last three elements of each axis", async () => {
    const { text, err } = await run("read", large);
    const row = (start: number) =>
      [0, 1, 2, "...", 27, 28, 29].map((i) => (i === "..." ? i : start + +i)).join("\t");
    expect(text.split("\n")).toEqual([
      ...[0, 1, 2].map((i) => row(30 * i)),
      "...",
      ...[37, 38, 39].map((i) => row(30 * i)),
      "",
    ]);
    expect(err).toBe("zarr-wasm: abbreviated 1200 elements; pass --all to print every one\n");
  });

  it("prints up to 1000 elements, or all with --all", async () => {
    expect((await run("read", large, "--select", ":33")).text.trim().split(/\s/)).toHaveLength(990);
    const { text, err } = await run("read", large, "--all");
    expect([err, text.trim().split(/\s/)]).toEqual(["", Array.from({ length: 1200 }, (_, i) => String(i))]);
  });

  it("writes every element to a file", async () => {
    const file = path.join(folder, "large.txt");
    expect(await run("read", large, "--out", file)).toMatchObject({ status: 0, err: "" });
    expect(readFileSync(file, "utf8").trim().split(/\s/)).toHaveLength(1200);
  });
});

describe("zarr-wasm info", () => {
  it("prints the properties of an array", async () => {
    const { status, text } = await run("info", matrix);
    expect(status).toBe(0);
    expect(text).toMatch(/shape\s+\[3, 4\]/);
    expect(text).toMatch(/dtype\s+float32/);
    expect(text).toMatch(/chunks\s+\[3, 4\], 1 of 48 bytes/);
  });

  it("prints JSON", async () => {
    const facts = JSON.parse((await run("info", matrix, "--json")).text) as Record<string, unknown>;
    expect(facts).toMatchObject({
      kind: "array",
      zarrFormat: 1,
      shape: [3, 4],
      chunkShape: [3, 4],
      dtype: "float32",
      chunks: 1,
      bytes: 48,
      attributes: { units: "m" },
    });
  });
});
