// Downloads files, each from the first location that has it with the right SHA-256. A separate program, so that scripts
// can wait for it synchronously: node download.mjs '[{"file", "sha256", "urls"}]'. Prints the result of each as JSON.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Timeout of one location in milliseconds, and maximum size of a file in bytes. */
const patience = 60_000;
const maxBytes = 64 * 2 ** 20;

const sha256Of = (bytes) => createHash("sha256").update(bytes).digest("hex");

function isThere({ file, sha256 }) {
  try {
    return sha256Of(readFileSync(file)) === sha256;
  } catch {
    return false;
  }
}

async function bytesOf(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(patience) });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const pieces = [];
  let size = 0;
  for await (const piece of response.body) {
    size += piece.byteLength;
    if (size > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function download(wanted) {
  const { file, sha256, urls } = wanted;
  const failures = [];
  if (isThere(wanted)) return { file, isThere: true, failures };
  for (const url of urls) {
    try {
      const bytes = await bytesOf(url);
      const found = sha256Of(bytes);
      if (found !== sha256) throw new Error(`it has SHA-256 ${found}, expected ${sha256}`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(`${file}.part`, bytes);
      renameSync(`${file}.part`, file);
      return { file, isThere: true, url, failures };
    } catch (error) {
      failures.push(`not from ${url}: ${error.cause?.message ?? error.message}`);
    }
  }
  return { file, isThere: false, failures };
}

const files = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await Promise.all(files.map(download))));
