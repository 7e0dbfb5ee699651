#!/usr/bin/env node
// Measures the time, the bytes read and the memory that references in Parquet files take up to the first chunk: a
// million references in files of 100 000, written by DuckDB, served on loopback, read by a separate process.
//
//   npm install --prefix build/writers @duckdb/node-api@1.5.6-r.1
//   npm run check -- references build/writers [--references 1000000] [--record-size 100000] [--paths 1000]
//
// `--paths` is the number of files that the references point to. Prints the requests up to the first chunk, the bytes
// of references among them, the milliseconds from `open` to the chunk (the library is loaded before), the peak resident
// memory of the process and its resident memory before it opened anything; then the same for one chunk of every file.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    references: { type: "string", default: "1000000" },
    "record-size": { type: "string", default: "100000" },
    paths: { type: "string", default: "1000" },
    read: { type: "string" },
    size: { type: "string" },
  },
});

/** Peak resident memory of this process so far, in KiB (Linux). */
const residentPeak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);

/** Runs in the child process. */
async function readChunks(url, recordSize) {
  const { open } = await import("zarr-wasm");
  const before = residentPeak();
  const start = performance.now();
  const array = await open(url, { path: "a", kind: "array" });
  const chunk = await array.getChunk([Math.floor(array.shape[0] / 3)]);
  const milliseconds = performance.now() - start;
  const after = residentPeak();
  process.send({ milliseconds, before, after, value: chunk.data[0] });
  await new Promise((resolve) => process.once("message", resolve)); // until the parent has counted the requests
  const again = performance.now();
  for (let at = 0; at < array.shape[0]; at += recordSize) await array.getChunk([at]);
  process.send({ milliseconds: performance.now() - again, before, after: residentPeak(), value: 42 });
}

async function measure() {
  const objects = await folder(
    Number(values.references),
    Number(values["record-size"]),
    Number(values.paths),
  );
  const seen = [];
  const server = http.createServer(({ url, headers }, response) => {
    // Chunks are one byte long.
    const bytes = url.startsWith("/files/") ? Buffer.from([42]) : objects.get(url);
    seen.push({ url, bytes: bytes?.length ?? 0 });
    if (!bytes) return void response.writeHead(404).end();
    const range = headers.range ? { "content-range": `${headers.range.replace("=", " ")}/*` } : {};
    response.writeHead(headers.range ? 206 : 200, { "content-length": bytes.length, ...range }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/refs.parquet`;
  for (let i = 0; i < 3; i++) {
    const child = fork(fileURLToPath(import.meta.url), ["--read", url, "--size", values["record-size"]]);
    child.on("message", ({ milliseconds, before, after, value }) => {
      if (value !== 42) throw new Error(`the chunk's value is ${value}`);
      const mib = (kib) => (kib / 1024).toFixed(0);
      const { length } = seen;
      const read = seen.splice(0).reduce((sum, { bytes }) => sum + bytes, 0);
      const memory = `${mib(after)} MiB at most, ${mib(before)} MiB before`;
      console.log(`${milliseconds.toFixed(0)} ms; ${length} requests, ${read} bytes; ${memory}`);
      child.send("go on", () => {}); // it may have ended
    });
    const status = await new Promise((resolve) => child.once("exit", resolve));
    if (status) throw new Error(`the reader ended with ${status}`);
  }
  server.close();
}

async function folder(count, recordSize, paths) {
  const { DuckDBInstance } = createRequire(path.resolve(positionals[0] ?? "", "package.json"))(
    "@duckdb/node-api",
  );
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const dir = mkdtempSync(path.join(tmpdir(), "references-"));
  const array = {
    zarr_format: 2,
    shape: [count],
    chunks: [1],
    dtype: "|u1",
    compressor: null,
    filters: null,
  };
  const metadata = { ".zgroup": { zarr_format: 2 }, "a/.zarray": { ...array, fill_value: 0, order: "C" } };
  const document = Buffer.from(JSON.stringify({ metadata, record_size: recordSize }));
  const objects = new Map([["/refs.parquet/.zmetadata", document]]);
  for (let file = 0; file * recordSize < count; file++) {
    const place = path.join(dir, `${file}.parq`);
    await database.run(
      `copy (select '/files/forecast/2025/file-' || (i % ${paths}) || '.grib2' as path, i * 4099 as "offset",
        1::bigint as size, null::blob as raw from range(${file * recordSize}, ${(file + 1) * recordSize}) t(i))
       to '${place}' (format parquet, compression zstd)`,
    );
    objects.set(`/refs.parquet/a/refs.${file}.parq`, readFileSync(place));
  }
  rmSync(dir, { recursive: true });
  const bytes = [...objects.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`${count} references to ${paths} files: ${objects.size - 1} Parquet files, ${bytes} bytes`);
  return objects;
}

await (values.read ? readChunks(values.read, Number(values.size)) : measure());
