// The README's programs run as they stand there, in a folder of their own; only addresses are those of a local server.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root, tool, writeStore } from "./cli-tool.js";
import { serve } from "./support.js";

const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text]) => text!,
  );

// Inside of the checkout, "zarr-wasm" is the built package.
mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/readme-"));
const run = promisify(execFile);

const v3 = (fields: object) => ({ zarr_format: 3, attributes: {}, ...fields });
const array = (shape: number[], dimension_names?: string[]) =>
  v3({
    node_type: "array",
    shape,
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value: 7,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    ...(dimension_names && { dimension_names }),
  });
const pr = array([400, 50, 20], ["time", "lat", "lon"]);
const metadata = { pr };
const consolidated_metadata = { kind: "inline", must_understand: false, metadata };
const documents: Record<string, object> = {
  "/data.zarr/zarr.json": array([120, 6, 30]),
  "/climate.zarr/zarr.json": v3({ node_type: "group", consolidated_metadata }),
  "/climate.zarr/pr/zarr.json": pr,
};

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve((url) => {
    const document = documents[url];
    return document && new TextEncoder().encode(JSON.stringify(document));
  });
  writeStore(path.join(folder, "data.zarr"), [["zarr.json", array([100, 6, 30])]]);
  cpSync(path.join(root, "examples/field.zarr"), path.join(folder, "two.zarr"), { recursive: true });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program of the README's, and gives what it prints. */
async function outputOf(program: string, last = ""): Promise<string> {
  const file = path.join(folder, `program-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(file, program.replaceAll("https://example.org", server.url) + last);
  return (await run(process.execPath, [file], { cwd: folder })).stdout;
}
const programWith = (text: string) => {
  const found = blocks("js").filter((block) => block.includes(text));
  expect(found, text).toHaveLength(1);
  return found[0]!;
};

describe("programs of the README", () => {
  it("for browsers: an array, and a group by dimension names", async () => {
    const first = programWith("console.log(array.shape, String(array.dtype)");
    expect(await outputOf(first)).toMatch(/^\[ 120, 6, 30 \] int16 \{\}\n\[ 100, 6 \] Int16Array/);
    const group = `import { get, open, slice } from "zarr-wasm";\n${programWith('group.open("pr"')}`;
    expect(await outputOf(group, "console.log(series.shape);")).toBe("pr array\n[ 365, 3 ]\n");
  });

  it("for Node: a folder", async () => {
    const program = programWith("new FileSystemStore(").replace("data.zarr", "two.zarr");
    expect(await outputOf(program, "console.log(chunk.shape);")).toBe("[ 512, 256 ]\n");
  });

  it("writing", async () => {
    const last = 'console.log(out.shape, existsSync(new URL("out.zarr/c/0/0/0", import.meta.url)));';
    const program = `import { existsSync } from "node:fs";\n${programWith("append(out")}`;
    expect(await outputOf(program, last)).toBe("[ 3, 512, 512 ] true\n");
  });

  it("codecs alone", async () => {
    const program = programWith("createCodecChain({");
    const last = "console.log(encoded.constructor.name, decoded.constructor.name, decoded.length);";
    expect(await outputOf(program, last)).toBe("Uint8Array Int16Array 3072\n");
  });

  it("in the place of zarrita and numcodecs", async () => {
    const last = "console.log(typeof zarr.open, Blosc.codecId);";
    expect(await outputOf(programWith("zarr-wasm/numcodecs"), last)).toBe("function blosc\n");
  });

  it("errors", async () => {
    const program = `import { get, open } from "zarr-wasm";
      const array = await open(new Map([["/zarr.json", ${JSON.stringify(JSON.stringify(array([2])))}], ["/c/0", "x"]]
        .map(([key, text]) => [key, new TextEncoder().encode(text)])), { kind: "array" });
      ${programWith('isZarrError(error, "CorruptChunk")')}`;
    expect(await outputOf(program)).toMatch(/^\/c\/0 bytes [\w-]+\n$/);
  });

  it("on the command line", async () => {
    const lines = blocks("sh")
      .join("")
      .split("\n")
      .filter((line) => /^npx zarr-wasm (?!view )/.test(line)); // which goes on until it is ended
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const command = line.replace("npx zarr-wasm", `"${process.execPath}" "${tool}"`);
      await run("sh", ["-c", command.replace("https://example.org", server.url)], { cwd: folder });
    }
    expect(readFileSync(path.join(folder, "part.npy")).subarray(1, 6).toString()).toBe("NUMPY");
    expect(existsSync(path.join(folder, "image.zarr/2/zarr.json"))).toBe(true);
  });
});

it("pages that the README links are there", () => {
  const links = [...readme.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((link) => !existsSync(path.join(root, link)))).toEqual([]);
});
