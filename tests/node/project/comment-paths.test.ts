// Comments name files by their path in the repository; each must exist.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folders = ["src", "bindings", "web", "scripts", "tests", "cmake", "examples", "docs"];
const source = /\.(ts|mjs|js|cpp|hpp|h|inc|cmake|txt|py)$/;
const comment = /^\s*(\/\/|\/?\*|#)|[;{,]\s+\/\/ /;
const namedFile = new RegExp(
  `(?<![\\w./:@-])(?:${folders.join("|")})/[\\w./-]*\\w\\.(?:ts|mjs|js|cpp|hpp|inc|cmake|py|md|jsonl?)\\b`,
  "g",
);

it("comments name only files that exist", () => {
  const files = execFileSync("git", ["ls-files", ...folders], { encoding: "utf8" }).split("\n");
  const missing = files
    .filter((file) => source.test(file) && existsSync(file))
    .flatMap((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      const named = lines.filter((line) => comment.test(line)).flatMap((line) => line.match(namedFile) ?? []);
      return named.filter((name) => !existsSync(name)).map((name) => `${file}: ${name}`);
    });
  expect(missing).toEqual([]);
});
