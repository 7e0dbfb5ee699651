// The guides of docs/ that tests follow: the files that each names, and edits that add its example.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** Returns the text of a guide: a page, or a section of it. */
function textOf({ page, section }) {
  const text = readFileSync(path.join(root, page), "utf8");
  return section === undefined ? text : text.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
}

/** Files by the table of a guide: new ones, and those that a command writes. A toy may replace the example in names. */
export function filesOfGuide(guide) {
  const { example = "", toy } = guide;
  const rows = [...textOf(guide).matchAll(/^\| `([\w./-]+)` \| ([^|]+) \|$/gm)];
  return rows.map(([, file, what]) => ({
    file: example === "" ? file : path.posix.normalize(file.replace(example, toy)),
    isNew: what.startsWith("new"),
    command: /^written by `([^`]+)`/.exec(what)?.[1],
  }));
}

/** Returns the edits of a guide by file: functions from old contents to new ones. Sections print their new files. */
export function editsOfGuide(guide) {
  const printed = /^\d\. \*\*`([\w./-]+)`\*\*(?:(?!^\d\. )[\s\S])*?^ {3}```ts\n([\s\S]*?)^ {3}```$/gm;
  const files = guide.section === undefined ? [] : [...textOf(guide).matchAll(printed)];
  const contents = files.map(([, file, code]) => [file, () => code.replaceAll(/^ {3}/gm, "")]);
  return { ...Object.fromEntries(contents), ...guide.edits };
}

/** Inserts a string before the last occurrence of another; throws if there is none. */
const before = (anchor, text) => (content) => {
  const at = content.lastIndexOf(anchor);
  if (at < 0) throw new Error(`"${anchor}" not found`);
  return content.slice(0, at) + text + content.slice(at);
};
const after = (anchor, text) => (content) => {
  const at = content.lastIndexOf(anchor);
  if (at < 0) throw new Error(`"${anchor}" not found`);
  return content.slice(0, at + anchor.length) + text + content.slice(at + anchor.length);
};
const all =
  (...edits) =>
  (content) =>
    edits.reduce((text, edit) => edit(text), content);

/** A filter that changes every bit that its option names. */
const filterEdits = {
  "src/codecs/xor.cpp":
    () => `// xor (bytes → bytes): every byte with some bits turned over. A toy, for scripts/check/guide.mjs.
//
// Parameters: [bits]   the bits to turn over, 0 … 255
#include "codecs/sizes.hpp"

namespace zw {
namespace {

Status prepare(Step& step) {
  if (step.params.size() != 1 || step.params[0] > 255) return Code::BadParameters;
  step.encoded = step.decoded;
  return {};
}

Status run(const Step& step, ByteView in, ByteSpan out, ByteView& result) {
  const auto bits = static_cast<uint8_t>(step.params[0]);
  for (size_t i = 0; i < in.size(); i++) out[i] = in[i] ^ bits;
  result = out.first(in.size());
  return {};
}

Status decode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  const ByteSpan room = decodeRoom(step, out);
  if (in.size() > room.size()) return tooLarge(step);
  if (step.decoded.exact && in.size() != room.size()) return {Code::SizeMismatch, in.size()};
  return run(step, in, room, result);
}

#ifdef ZW_FULL_MODULE
Status encode(const Step& step, ByteView in, ByteSpan out, Workspace&, ByteView& result) {
  if (in.size() > out.size()) return Code::EncodeFailed;
  return run(step, in, out, result);
}
#endif

}  // namespace

constinit const Codec kXorCodec = {
    .kind = CodecKind::BytesToBytes,
    .prepare = prepare,
    .decode = decode,
    .encode = ZW_FULL_ONLY(encode),
};

}  // namespace zw
`,
  "src/codecs/codec_list.inc": (content) => `${content}ZW_CODEC(Xor, "xor")\n`,
  "web/src/codecs/rare-compressors.ts": (content) => `${content}
/** xor: flips the same bits of every byte. A toy. */
export const xor: CodecDefinition = {
  core: "xor",
  kind: "bytes-to-bytes",
  names: { 2: ["xor"], 3: ["numcodecs.xor"] },
  encodedBytes: (bytes) => bytes,
  parse(config) {
    config.only("bits");
    return { params: [config.integer("bits", 0, 255)] };
  },
};
`,
  "web/src/engine/codec-table.ts": before("] as const satisfies", '  ["xor", "decode", "full"],\n'),
  "web/src/codecs/registry.ts": all(
    before('} from "./rare-compressors.js";', "  xor,\n"),
    before('} satisfies DefinitionsIn<"rare">', "  xor,\n"),
  ),
  "tests/cpp/codec_support.hpp": after(
    '{"base64", &kBase64Codec, {}},',
    '\n        {"xor_0", &kXorCodec, {0}},\n        {"xor_90", &kXorCodec, {90}},',
  ),
  "tests/node/support/codec-arrays.ts": before(
    "  shuffle: ({ dtype }) =>",
    "  xor: () => ({ old: { bits: 90 }, v3: { bits: 90 } }),\n",
  ),
  "docs/codecs/xor.md": () => "# xor\n\nEvery byte with some bits turned over. A toy.\n",
  "docs/codecs/README.md": after(
    "| [base64](base64.md) | | `base64` | `numcodecs.base64` | full | full |\n",
    "| [xor](xor.md) | | `xor` | `numcodecs.xor` | both | full |\n",
  ),
  "README.md": after("crc32c, crc32, adler32, fletcher32", ", xor"),
};

const storeEdits = {
  "web/src/index.ts": before("export { HttpStore,", 'export { FolderStore } from "./store/folder.js";\n'),
  "tests/node/store/write-contract.test.ts": all(
    before("  MapStore,\n", "  FolderStore,\n"),
    before('  ["FileSystemStore", ', '  ["FolderStore", () => new FolderStore(new MapStore(), "a/b")],\n'),
  ),
  "docs/stores.md": before("| a `Map` | built in", "| `FolderStore` | `zarr-wasm` | yes | yes | yes |\n"),
};

const conventionEdits = {
  "web/src/conventions.ts": before(
    "export type {\n  AffineTransform",
    'export { type DatasetDescription, describeDataset } from "./conventions/acdd/read.js";\n',
  ),
  "docs/conventions.md": (content) =>
    `${content}\n## ACDD\n\n\`describeDataset(group)\` returns title and licence.\n`,
};

const commandEdits = {
  "web/cli/options/commands.ts": before(
    "  completion: {",
    `  dims: {
    operands: ["SOURCE"],
    summary: "print the shape of an array",
    options: ["path", "json", "bucket", "v1-order", ...versionOptions],
    examples: [{ caption: "print the shape of an array", line: "zarr-wasm dims data.zarr --path a" }],
  },
`,
  ),
  "web/cli/run.ts": before(
    "  completion: async",
    '  dims: async ([source], values) => (await import("./commands/dims.js")).runDims(source!, values),\n',
  ),
  "tests/node/cli/commands.test.ts": before('      "help",\n      "info",', '      "dims",\n'),
  "docs/command-line.md": before(
    "## info and read",
    "`zarr-wasm dims SOURCE` prints the shape of an array.\n\n",
  ),
};

/** The guides by name: their place, the name that their toy adds, further edits, and filters of Vitest for its tests. */
const page = "docs/extending.md";
export const guides = {
  codec: {
    page: "docs/adding-a-codec.md",
    ...{ example: "lz4", toy: "xor", edits: filterEdits },
    tests: ["mirrors", "matrix", "codecs", "parts", "mutations", "vlen", "layers"],
  },
  store: {
    ...{ page, section: "A store", toy: "FolderStore", edits: storeEdits },
    tests: ["write-contract", "layers", "doc-pages"],
  },
  convention: {
    ...{ page, section: "A convention", toy: "describeDataset", edits: conventionEdits },
    tests: ["acdd", "layers", "doc-pages"],
  },
  command: {
    ...{ page, section: "A command", toy: "dims", edits: commandEdits },
    tests: ["cli/commands", "cli/dims", "cli-layers", "completion", "doc-commands"],
  },
};
