// Follows docs/adding-a-codec.md: the files that the guide names, and the code of a toy filter for each of them.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** The example of the guide, which the toy replaces. */
const example = "lz4";
const toy = "xor";

/** Files of the example codec, by the guide's table; `written` lists those that a command generates. */
export function filesOfGuide() {
  const text = readFileSync(path.join(root, "docs/adding-a-codec.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([\w./-]+)` \| ([^|]+) \|$/gm)];
  return rows.map(([, file, what]) => ({
    file: path.posix.normalize(file.replace(example, toy)),
    isNew: what.startsWith("new"),
    isWritten: what.startsWith("written"),
  }));
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

/**
 * Edits for the toy: functions from a file's old contents to its new ones. It changes every bit that its option names.
 */
export const toyEdits = {
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
  "web/src/engine/codec-table.ts": before("] as const satisfies", '  ["xor", "rare", "decode", "full"],\n'),
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
