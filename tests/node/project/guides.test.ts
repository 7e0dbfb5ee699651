// The guides of scripts/lib/guide.mjs: the files that they name are those that their examples change, and every codec is
// where its guide says. scripts/check/guide.mjs follows the guides to their end, which takes minutes.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codecNames, findCodec } from "#src/codecs/registry.js";
import { editsOfGuide, filesOfGuide, guides } from "../../../scripts/lib/guide.mjs";
import { skipFor } from "../../shared/skips.js";

const root = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

describe.each(Object.entries(guides))("the guide to a %s", (_name, guide) => {
  const files = filesOfGuide(guide);
  const edits = editsOfGuide(guide);
  const edited = files.filter(({ command }) => command === undefined);

  it("names exactly the files that its example changes", () => {
    expect(edited.map(({ file }) => file).sort()).toEqual(Object.keys(edits).sort());
    for (const { file } of files.filter(({ command }) => command))
      expect(existsSync(path.join(root, file))).toBe(true);
  });

  /** After the script has followed a guide in a copy, no step of it remains. */
  const isFollowed = edited.some(({ file, isNew }) => isNew && existsSync(path.join(root, file)));
  describe("its steps", skipFor(isFollowed ? "the guide is followed already" : undefined), () => {
    it.each(edited.map((entry) => [entry.file, entry] as const))("have a place in %s", (file, { isNew }) => {
      expect(existsSync(path.join(root, file))).toBe(!isNew);
      const content = isNew ? "" : read(file);
      expect(edits[file]!(content)).toContain(guide.toy);
      expect(content).not.toContain(guide.toy);
    });
  });
});

describe("every codec", () => {
  const versions = [1, 2, 3] as const;
  const names = versions.flatMap((version) => codecNames(version).map((name) => ({ name, version })));
  const rows = read("docs/codecs/README.md")
    .split("\n")
    .filter((line) => line.startsWith("| ["));
  const implied = ["bytes", "transpose"]; // by "dtype" and "order", in v1 and v2
  const listed = names.filter(({ name, version }) => version === 3 || !implied.includes(name));

  it.each(listed.map(({ name, version }) => [name, version] as const))(
    "%s of v%i is in the tables",
    (name, version) => {
      const row = rows.find((line) => line.split("|").slice(2).join("|").includes(`\`${name}\``));
      expect(row).toBeDefined();
      const page = /\]\(([\w.-]+\.md)\)/.exec(row!)![1]!;
      expect(read(`docs/codecs/${page}`)).toContain(name.replace(/^numcodecs\./, ""));
      const found = findCodec(name, version)!;
      const id = found.type === "core" ? found.definition.core : name.replace(/^numcodecs\./, "");
      expect(read("README.md")).toContain(id.replace(/^numcodecs_/, ""));
    },
  );
});
