// Serves one array from memory on the loopback interface, so that almost only the client's work is measured.
// Prints its address.
//   node bench/array-server.mjs DIR      DIR: zarr.json and 0.chunk, 1.chunk, …, which are repeated
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { chunkNumber } from "./stores.mjs";

const [dir] = process.argv.slice(2);
const metadata = readFileSync(path.join(dir, "zarr.json"));
const chunks = readdirSync(dir)
  .filter((name) => name.endsWith(".chunk"))
  .map((name) => readFileSync(path.join(dir, name)));

function find(url) {
  if (url === "/zarr.json") return metadata;
  return url.startsWith("/c/") ? chunks[chunkNumber(url, chunks.length)] : undefined;
}

const server = http.createServer(({ url }, response) => {
  const body = find(url);
  response.writeHead(body ? 200 : 404, { "content-length": body?.length ?? 0 }).end(body);
});
server.keepAliveTimeout = 600_000; // a client may decode for a long time between two requests
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
