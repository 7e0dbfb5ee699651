/** Seeds: golden data, and an array for each codec and data type. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { codecNames } from "../../../dist/codecs/registry.js";
import { documentsOf } from "../../node/support/codec-arrays.js";
import { triedTypes } from "../../node/support/data-types.js";

/** A golden store: its documents and chunks as bytes. */
export interface GoldenStore {
  readonly documents: Readonly<Record<string, string>>;
  readonly chunks: Readonly<Record<string, Uint8Array>>;
}

const goldenDir = path.resolve("tests/golden");

interface GoldenLine {
  store?: Record<string, string | { b64: string }>;
  zip?: string;
}

function lines(file: string): GoldenLine[] {
  const text = readFileSync(path.join(goldenDir, file), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as GoldenLine);
}

const files = readdirSync(goldenDir).filter((name) => name.endsWith(".jsonl"));

export function goldenStores(): GoldenStore[] {
  const stores = files.flatMap(lines).flatMap(({ store }) => (store ? [store] : []));
  return stores.map((store) => {
    const documents: Record<string, string> = {};
    const chunks: Record<string, Uint8Array> = {};
    for (const [key, value] of Object.entries(store)) {
      if (typeof value === "string") documents[key] = value;
      else chunks[key] = Uint8Array.from(Buffer.from(value.b64, "base64"));
    }
    return { documents, chunks };
  });
}

export function goldenZips(): Uint8Array[] {
  return files
    .flatMap(lines)
    .flatMap(({ zip }) => (zip ? [Uint8Array.from(Buffer.from(zip, "base64"))] : []));
}

/** The golden documents whose keys have this suffix. */
export function goldenDocuments(...endings: string[]): string[] {
  const all = goldenStores().flatMap(({ documents }) =>
    Object.entries(documents).filter(([key]) =>
      endings.some((end) => key === end || key.endsWith(`/${end}`)),
    ),
  );
  return [...new Set(all.map(([, text]) => text))];
}

/** Metadata of arrays with each compatible pair of codec and data type of a version. */
export function codecDocuments(version: 1 | 2 | 3): Record<string, object>[] {
  return codecNames(version).flatMap((name) =>
    triedTypes.flatMap((type) => {
      const documents = documentsOf(name, type, version);
      return documents ? [documents] : [];
    }),
  );
}
