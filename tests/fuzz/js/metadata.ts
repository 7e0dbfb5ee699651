/** Metadata documents of all versions, as read by `open`, and the JSON reader. */

import { type ErrorTag, open, ZarrArray, type ZarrGroup } from "../../../dist/index.js";
import { type Json, JsonNumber, toPlain } from "../../../dist/util/json.js";
import { parseJson } from "../../../dist/util/json-reader.js";
import { mutatedText } from "./mutations.js";
import { codecDocuments, goldenDocuments } from "./seeds.js";
import { type FuzzTarget, holds, textBytes } from "./target.js";

const tags: ErrorTag[] = ["InvalidMetadata", "UnknownCodec", "Unsupported", "LimitExceeded", "NotFound"];
const limits = { chunkBytes: 2 ** 20, shardEntries: 2 ** 12, metadataBytes: 2 ** 20 };
/** Chunks of at most this many bytes are also read; they are missing, so they are the fill value. */
const smallBytes = 2 ** 14;

/** Checks the properties of an opened array, and reads its first chunk through the core if that is cheap. */
async function look(array: ZarrArray): Promise<void> {
  holds(array.shape.length === array.chunkShape.length, "chunks have the array's rank");
  holds(String(array.dtype).length > 0, "a data type has a name");
  holds(Object.getPrototypeOf(array.attributes) === Object.prototype, "attributes are a plain object");
  const bytes = array.chunkShape.reduce((product, length) => product * length, array.dtype.itemBytes || 4);
  if (bytes > smallBytes || array.shape.includes(0)) return;
  const { shape } = await array.getChunk(array.shape.map(() => 0));
  holds(
    shape.every((length, axis) => length <= array.chunkShape[axis]!),
    "a chunk does not exceed its shape",
  );
}

async function openIn(documents: Record<string, Uint8Array>, version: 1 | 2 | 3): Promise<void> {
  const store = new Map(Object.entries(documents));
  const node = await open(store, { version, limits });
  await (node instanceof ZarrArray ? look(node) : lookInto(node));
}

/** The first members of a group. */
async function lookInto(group: ZarrGroup): Promise<void> {
  const members = await group.members();
  for (const { name, kind } of members.slice(0, 4)) {
    const node = await group.open(name);
    if (node instanceof ZarrArray) await look(node);
    else holds(kind === "group", "a member has the listed kind");
  }
}

const typedDocuments = (version: 1 | 2 | 3, key: string) =>
  codecDocuments(version).map((documents) => JSON.stringify(documents[key]));

const common = [
  "metadata/document.js",
  "util/json.js",
  "util/json-reader.js",
  "metadata/spec.js",
  "codecs/chain.js",
  "codecs/lookup.js",
  "codecs/definition.js",
];
const empty = textBytes("{}");

const metadataV1: FuzzTarget = {
  name: "metadata-v1",
  inputs: mutatedText([...goldenDocuments("meta"), ...typedDocuments(1, "meta")]),
  covers: [...common, "metadata/v1.js", "dtypes/typestr.js"],
  tags,
  run: (input) => openIn({ "/meta": input, "/attrs": empty }, 1),
};

const metadataV2: FuzzTarget = {
  name: "metadata-v2",
  inputs: mutatedText([...goldenDocuments(".zarray"), ...typedDocuments(2, ".zarray")]),
  covers: [...common, "metadata/v2.js", "dtypes/typestr.js"],
  tags,
  run: (input) => openIn({ "/.zarray": input, "/.zattrs": empty }, 2),
};

const metadataV3: FuzzTarget = {
  name: "metadata-v3",
  inputs: mutatedText([...goldenDocuments("zarr.json"), ...typedDocuments(3, "zarr.json")]),
  covers: [...common, "metadata/v3.js", "metadata/v3.js", "dtypes/v3.js"],
  tags,
  run: (input) => openIn({ "/zarr.json": input }, 3),
};

/** Groups with consolidated metadata; an input is that document of either version. */
const consolidated: FuzzTarget = {
  name: "consolidated",
  inputs: mutatedText([...goldenDocuments(".zmetadata"), ...consolidatedV3()]),
  covers: ["metadata/document.js", "hierarchy/opener.js", "hierarchy/group.js"],
  tags,
  run: async (input) => {
    await openIn({ "/.zgroup": textBytes('{"zarr_format":2}'), "/.zmetadata": input }, 2);
    await openIn({ "/zarr.json": input }, 3);
  },
};

function consolidatedV3(): string[] {
  const arrays = goldenDocuments("zarr.json").flatMap((text) => {
    const document = JSON.parse(text.replaceAll(/\bNaN\b/g, "null")) as object;
    return "shape" in document ? [document] : [];
  });
  const metadata = Object.fromEntries(
    arrays.slice(0, 4).map((document, i) => [`a${i % 2 ? "/b" : ""}${i}`, document]),
  );
  const group = { zarr_format: 3, node_type: "group", attributes: {} };
  return [
    ...goldenDocuments("zarr.json").filter((text) => text.includes('"group"')),
    JSON.stringify({ ...group, consolidated_metadata: { kind: "inline", must_understand: false, metadata } }),
  ];
}

/** The JSON reader: it accepts the documents that JSON.parse accepts, and the bare tokens. */
const json: FuzzTarget = {
  name: "json",
  inputs: mutatedText([
    ...goldenDocuments("meta", ".zattrs", ".zmetadata"),
    '{"a":[1,-2.5e-3,"\\u00e9\\n",null,true]}',
  ]),
  covers: ["util/json.js", "util/json-reader.js"],
  tags: ["InvalidMetadata", "LimitExceeded"],
  run: (input) => {
    const reading = { name: "document", maxDepth: 64 };
    const expected = parsed(input);
    if (expected.ok && !isDeep(expected.value)) {
      const value = parseJson(input, { ...reading, bareNonFinite: false });
      holds(isSame(value, expected.value), "numbers, strings and names equal those of JSON.parse");
      toPlain(value);
    }
    const value = parseJson(input, { ...reading, bareNonFinite: true });
    toPlain(value);
    holds(expected.ok || /NaN|Infinity/.test(new TextDecoder().decode(input)), "invalid JSON is rejected");
  },
};

function parsed(input: Uint8Array): { ok: true; value: unknown } | { ok: false } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input);
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth >= 64 || Object.values(value).some((child) => isDeep(child, depth + 1));
}

function isSame(value: Json, expected: unknown): boolean {
  if (value instanceof JsonNumber) return Object.is(value.value, expected);
  if (typeof value !== "object" || value === null) return value === expected;
  if (typeof expected !== "object" || expected === null) return false;
  if (Array.isArray(value) !== Array.isArray(expected)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(expected).length &&
    names.every(
      (name) =>
        Object.hasOwn(expected, name) &&
        isSame((value as Record<string, Json>)[name]!, (expected as Record<string, unknown>)[name]),
    )
  );
}

export const metadataTargets = [metadataV1, metadataV2, metadataV3, consolidated, json];
