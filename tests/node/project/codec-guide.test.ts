// docs/adding-a-codec.md: the files that it names are those that a codec needs, and every codec is where it says.
// scripts/check/guide.mjs follows the guide to its end, which takes minutes.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { codecNames, findCodec } from "#src/codecs/registry.js";
import { filesOfGuide, toyEdits } from "../../../scripts/lib/guide.mjs";
import { skipFor } from "../../shared/skips.js";

const root = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

/** After the script has followed the guide in a copy, no step of the guide remains. */
const isFollowed = existsSync(path.join(root, "src/codecs/xor.cpp"));

describe("the guide to codecs", skipFor(isFollowed ? "the guide is followed already" : undefined), () => {
  const files = filesOfGuide();
  const edited = files.filter(({ isWritten }) => !isWritten);

  it("names exactly the files that the toy codec changes", () => {
    expect(edited.map(({ file }) => file).sort()).toEqual(Object.keys(toyEdits).sort());
    expect(files.filter(({ isWritten }) => isWritten).map(({ file }) => file)).toEqual(["docs/support.md"]);
  });

  it.each(edited.map((entry) => [entry.file, entry] as const))("has a place in %s", (file, { isNew }) => {
    expect(existsSync(path.join(root, file))).toBe(!isNew);
    const content = isNew ? "" : read(file);
    expect(toyEdits[file]!(content)).toContain("xor");
    expect(content).not.toContain("xor");
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
