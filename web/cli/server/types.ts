/** Media types, by the ends of names. */
import path from "node:path";
import type { Head } from "./answers.js";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
};

/** Documents of Zarr v2, which have no ending. */
const documents = /^\.z(array|group|attrs|metadata)$/;

/** The type of a file, and for data what keeps browsers from taking it for anything but bytes. */
export function typeOf(file: string, isData: boolean): Head {
  const name = path.basename(file);
  if (!isData) return { "content-type": types[path.extname(name)] ?? "application/octet-stream" };
  const isJson = name.endsWith(".json") || documents.test(name);
  return { "content-type": isJson ? "application/json" : "application/octet-stream" };
}
