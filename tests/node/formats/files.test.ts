// Files of other formats by other writers: every value and attribute equals what the writer's own reader returns. Reads
// tests/golden/files, or the folders in $ZARR_WASM_FILES: see tests/files/README.md.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { casesIn, checkCase, titleOf } from "../../files/runner.js";

const home = process.env["ZARR_WASM_FILES"] ?? new URL("../../golden/files/", import.meta.url).pathname;
const folders = readdirSync(home).filter((name) => existsSync(path.join(home, name, "expected.jsonl")));

describe.each(folders)("%s", (name) => {
  it.each(casesIn(path.join(home, name)).map((wanted) => [titleOf(wanted), wanted] as const))(
    "%s",
    (_, wanted) => checkCase(wanted),
  );
});
