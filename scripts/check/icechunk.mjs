#!/usr/bin/env node
// Measures the time and the memory that a large Icechunk repository takes up to its first chunk: one manifest of a
// million references, served on loopback, read by a separate process.
//
//   npm run check -- icechunk [--references 1000000] [--kind native|virtual]
//
// Prints the milliseconds from `open` to the chunk (the library is loaded before), the peak resident memory of the
// process, and its resident memory before it opened anything.
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  arrayDocument,
  groupDocument,
  idOf,
  idText,
  manifestFile,
  repoFile,
  snapshotFile,
} from "../lib/icechunk-writer.mjs";

const { values } = parseArgs({
  options: {
    references: { type: "string", default: "1000000" },
    kind: { type: "string", default: "native" },
    read: { type: "string" },
  },
});

/** Peak resident memory of this process so far, in KiB (Linux). */
const residentPeak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);

/** Runs in the child process. */
async function readFirst(url) {
  const { open } = await import("zarr-wasm");
  const before = residentPeak();
  const start = performance.now();
  const array = await open(url, { path: "a", branch: "main", virtual: { "s3://bucket/": `${url}/files/` } });
  const chunk = await array.getChunk([Math.floor(array.shape[0] / 3), 0]);
  const milliseconds = performance.now() - start;
  process.send({ milliseconds, before, after: residentPeak(), value: chunk.data[0] });
}

/** An id that looks random: the compression ratio of a manifest depends on it. */
const randomId = (i) => createHash("sha256").update(String(i)).digest().subarray(0, 12);

async function measure() {
  const objects = await repository(Number(values.references), values.kind);
  const server = http.createServer(({ url, headers }, response) => {
    // Chunks are one byte long.
    const bytes = /^\/(chunks|files)\//.test(url) ? Buffer.from([42]) : objects.get(url);
    if (!bytes) return void response.writeHead(404).end();
    const range = headers.range ? { "content-range": `${headers.range.replace("=", " ")}/*` } : {};
    response.writeHead(headers.range ? 206 : 200, { "content-length": bytes.length, ...range }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  for (let i = 0; i < 3; i++) {
    const child = fork(fileURLToPath(import.meta.url), ["--read", url]);
    const { milliseconds, before, after, value } = await new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => code && reject(new Error(`the reader ended with ${code}`)));
    });
    if (value !== 42) throw new Error(`the chunk's value is ${value}`);
    const mib = (kib) => (kib / 1024).toFixed(0);
    console.log(`${milliseconds.toFixed(0)} ms; ${mib(after)} MiB at most, ${mib(before)} MiB before`);
  }
  server.close();
}

async function repository(count, kind) {
  const { default: Zstd } = await import("../../dist/compat/numcodecs/zstd.js");
  const zstd = new Zstd(3);
  const [snapshot, manifest] = [idOf(1), idOf(2)];
  const references = {
    length: count,
    at: (i) =>
      kind === "native"
        ? { index: [i, 0], id: randomId(i), offset: 0, length: 1 }
        : {
            index: [i, 0],
            location: `s3://bucket/forecast/2025/file-${i % 1000}.grib2`,
            offset: i,
            length: 1,
          },
  };
  const nodes = [
    { path: "/", document: groupDocument() },
    {
      path: "/a",
      node: 1,
      document: arrayDocument([count, 1], [1, 1]),
      manifests: [
        {
          id: manifest,
          extents: [
            [0, count],
            [0, 1],
          ],
        },
      ],
    },
  ];
  let plain = 0;
  const file = manifestFile(manifest, [{ node: 1, references }], {
    compress: (bytes) => {
      plain = bytes.length;
      return bytes;
    },
  });
  const frame = await zstd.encode(file.subarray(39));
  const compressed = Buffer.concat([file.subarray(0, 39), frame]);
  console.log(`${count} ${kind} references: ${plain} bytes, ${compressed.length} compressed`);
  const snapshots = [{ id: snapshot, parent: -1 }];
  return new Map([
    ["/repo", Buffer.from(repoFile({ snapshots, branches: [{ name: "main", index: 0 }] }))],
    [`/snapshots/${idText(snapshot)}`, Buffer.from(snapshotFile(snapshot, nodes))],
    [`/manifests/${idText(manifest)}`, compressed],
  ]);
}

if (values.read === undefined) await measure();
else await readFirst(values.read);
