// docs/adding-a-panel.md: its example compiles, its files exist, and panels are where it says.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const guide = read("docs/adding-a-panel.md");

it("the example compiles as a panel of the list", () => {
  const [, code = ""] = /```ts\n([\s\S]*?)\n\s*```/.exec(guide) ?? [];
  const [, file = ""] = /^\| `web\/viewer\/([\w./-]+)` \| new/m.exec(guide) ?? [];
  const list = read("web/viewer/panels/list.ts");
  const [, line = ""] = /`(\w+,)` in `panels`/.exec(guide) ?? [];
  const name = line.slice(0, -1);
  const edited = `import { ${name} } from "./${path.basename(file, ".ts")}.js";\n${list.replace("[\n", `[\n  ${line}\n`)}`;
  const dir = mkdtempSync(path.join(tmpdir(), "panel-"));
  try {
    mkdirSync(path.join(dir, "panels"));
    writeFileSync(path.join(dir, file), code.replaceAll(/^ {3}/gm, ""));
    writeFileSync(path.join(dir, "panels/list.ts"), edited);
    writeFileSync(path.join(dir, "package.json"), '{ "type": "module" }');
    const config = {
      extends: path.join(root, "web/viewer/tsconfig.json"),
      compilerOptions: {
        rootDir: "/",
        rootDirs: [dir, path.join(root, "web/viewer")],
        noEmit: true,
        incremental: false,
        tsBuildInfoFile: null,
      },
      include: ["panels"],
    };
    writeFileSync(path.join(dir, "tsconfig.json"), JSON.stringify(config));
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const out = () => execFileSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
    expect(out).not.toThrow();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it("names files and members that exist", () => {
  const files = [...guide.matchAll(/`((?:web|tests|element|panels)\/[\w./-]+\.\w+)`/g)].map(
    ([, file]) => file!,
  );
  const isNew = (file: string) => file === "web/viewer/panels/limits.ts";
  const place = (file: string) => (/^(?:web|tests)\//.test(file) ? file : `web/viewer/${file}`);
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(existsSync(path.join(root, place(file))), file).toBe(!isNew(file));
  const panel = read("web/viewer/panels/panel.ts");
  const [, members = ""] = /export interface Panel \{([\s\S]*?)\n\}/.exec(panel) ?? [];
  const listed = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual([...members.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name));
});
