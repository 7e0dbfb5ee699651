// `--overwrite` refuses to delete foreign files, and data that is read under another name.
import { spawnSync } from "node:child_process";
import fs, {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { create, set, ZipWriter } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { runPyramid } from "#src/cli/commands/pyramid/command.js";
import type { Values } from "#src/cli/options/options.js";
import { skipFor } from "../../shared/skips.js";
import { temporaryFolder, tool, writeStore } from "../support/cli-tool.js";
import { copy, filesOf, urlOf } from "../support/copying.js";
import { bytesOf, errorOf } from "../support/support.js";

const folder = temporaryFolder();
const place = (...names: string[]) => path.join(mkdtempSync(path.join(folder, "place-")), ...names);

let source: string;
beforeAll(async () => {
  source = await group(place("source.zarr"));
});

/** A group with two arrays, of four chunks each. */
async function group(at: string): Promise<string> {
  for (const name of ["a", "h/b"]) {
    const options = { path: name, shape: [4, 4], chunkShape: [2, 2], dtype: "uint8" } as const;
    await set(await create(urlOf(at), options), null, 7);
  }
  return at;
}

/** Runs the tool in a folder. */
function runIn(cwd: string, ...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [tool, ...args], { cwd, encoding: "utf8" });
  return { status, err: stderr };
}

/** The message of a copy with --overwrite that is refused. */
const refusal = async (from: string, to: string, values: Values = {}) =>
  (await errorOf(() => copy(from, to, { ...values, overwrite: true }))).message;

const commands = (from: string) => [
  ["copy", from],
  ["pyramid", path.join(from, "a")],
];

describe("an empty operand", () => {
  it("is a usage error, and deletes nothing", () => {
    const cwd = writeStore(place("here"), [
      [".hidden", "x"],
      ["zarr.json", '{"zarr_format": 3, "node_type": "group"}'],
    ]);
    const before = filesOf(cwd);
    for (const [command, from] of commands(source))
      for (const dest of ["", " "])
        expect(runIn(cwd, command!, from!, dest, "--overwrite")).toEqual({
          status: 2,
          err: expect.stringContaining("DEST is empty"),
        });
    for (const args of [["copy", "", "x", "--overwrite"]])
      expect(runIn(cwd, ...args)).toEqual({ status: 2, err: expect.stringContaining("SOURCE is empty") });
    for (const [option, ...args] of [
      ["--out", "read", source, "--path", "a"],
      ["--temp", "copy", source, "x"],
      ["--bucket", "copy", source, "http://localhost/x"],
    ])
      expect(runIn(cwd, ...args, option!, "").err).toContain(`${option} is empty`);
    for (const dest of ["file:/tmp/x", "file:///"])
      expect(runIn(cwd, "copy", path.join(source, "a"), dest, "--overwrite").status).not.toBe(0);
    expect(filesOf(cwd)).toEqual(before);
  });
});

describe("--overwrite", () => {
  it("refuses folders that are not Zarr, and names their files", () => {
    const cwd = writeStore(place("here"), [
      [".hidden", "x"],
      ["data/notes.txt", "x"],
    ]);
    const before = filesOf(cwd);
    for (const [command, from] of commands(source)) {
      for (const dest of [".", "data/.."]) {
        const { status, err } = runIn(cwd, command!, from!, dest, "--overwrite");
        expect([status, err]).toEqual([
          1,
          expect.stringMatching(/is not a Zarr node and holds ".*nothing was deleted/),
        ]);
      }
      const { err } = runIn(path.join(cwd, "data"), command!, from!, "..", "--overwrite");
      expect(err).toMatch(/is above the working directory; its contents are never deleted/);
    }
    expect(filesOf(cwd)).toEqual(before);
    expect(spawnSync("ls", ["-A", path.dirname(cwd)], { encoding: "utf8" }).stdout).toBe("here\n"); // no lock
  });

  it("refuses files that belong to no node, and deletes the rest once they are gone", async () => {
    const dest = await group(place("dest.zarr"));
    for (const name of ["a/notes.txt", "h/.DS_Store", "x/y/z", "h/b/2"]) writeStore(dest, [[name, "mine"]]);
    const before = filesOf(dest);
    expect(await refusal(source, dest, { format: "2" })).toMatch(
      /belong to no Zarr node: ".*", ".*", ".*" and 1 more;/,
    );
    expect(filesOf(dest)).toEqual(before);
    for (const name of ["a/notes.txt", "h/.DS_Store", "x", "h/b/2"])
      rmSync(path.join(dest, name), { recursive: true });
    await copy(source, dest, { overwrite: true, format: "2" });
    expect([...filesOf(dest).keys()].some((name) => name.endsWith("zarr.json"))).toBe(false);
  });

  it("refuses the home folder", () => {
    const home = writeStore(place("home"), [["zarr.json", '{"zarr_format": 3, "node_type": "group"}']]);
    const env = { ...process.env, HOME: home };
    for (const dest of [home, path.dirname(home)]) {
      writeFileSync(path.join(dest, "zarr.json"), '{"zarr_format": 3, "node_type": "group"}');
      const { stderr } = spawnSync(process.execPath, [tool, "copy", source, dest, "--overwrite"], {
        env,
        encoding: "utf8",
      });
      expect(stderr).toMatch(/the home folder; its contents are never deleted/);
    }
    expect(existsSync(path.join(home, "zarr.json"))).toBe(true);
  });

  it("refuses the home folder without searching it", async () => {
    const home = writeStore(place("home"), [["zarr.json", '{"zarr_format": 3, "node_type": "group"}']]);
    for (let i = 0; i < 100; i++) mkdirSync(path.join(home, `${i}`));
    vi.stubEnv("HOME", home);
    const opened = vi.spyOn(fs.promises, "opendir");
    try {
      for (const run of [() => copy(source, home, { overwrite: true }), () => pyramid(home)])
        expect((await errorOf(run)).message).toMatch(/the home folder; its contents are never deleted/);
      expect(
        opened.mock.calls.filter(([folder]) => String(folder).includes(path.basename(home))).length,
      ).toBeLessThan(10);
      expect(existsSync(path.join(home, ".zw-writer.tmp"))).toBe(false);
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
  });

  const pyramid = (dest: string) => runPyramid(path.join(source, "a"), dest, { overwrite: true });

  it("replaces only archives of Zarr data and empty files", async () => {
    const other = place("other.zip");
    const writer = new ZipWriter(fileSink(other));
    await writer.set("/zarr.json", bytesOf("{}"));
    await writer.set("/notes.txt", bytesOf("mine"));
    await writer.close();
    const text = place("text.zip");
    writeFileSync(text, "mine");
    for (const [dest, why] of [
      [other, /not an archive of Zarr data: .*"notes.txt"/],
      [text, /not an archive of Zarr data: .*not a valid zip archive/],
    ] as const) {
      expect(await refusal(source, dest)).toMatch(why);
    }
    const empty = place("empty.zip");
    writeFileSync(empty, "");
    for (const dest of [empty, empty]) expect((await copy(source, dest, { overwrite: true })).arrays).toBe(2);
    const linked = place("linked.zip");
    linkSync(empty, linked);
    symlinkSync(linked, `${linked}.zip`);
    for (const dest of [linked, `${linked}.zip`])
      expect(await refusal(empty, dest)).toContain("SOURCE and DEST are the same location");
  });
});

describe("SOURCE is never deleted as DEST", () => {
  it(
    "through links in either",
    skipFor(process.platform === "win32" ? "does not run on win32" : undefined),
    async () => {
      const lead = (from: string, to: string) => {
        rmSync(from, { recursive: true });
        symlinkSync(to, from);
      };
      for (const [name, change] of [
        ["a folder of chunks", (from, to) => lead(path.join(from, "a/c"), path.join(to, "a/c"))],
        ["a node", (from, to) => lead(path.join(from, "h"), path.join(to, "h"))],
        ["a chunk", (from, to) => lead(path.join(from, "a/c/0/0"), path.join(to, "a/c/0/0"))],
        ["a document", (from, to) => lead(path.join(from, "zarr.json"), path.join(to, "zarr.json"))],
        [
          "a link",
          (from, to) => {
            symlinkSync(path.join(source, "a"), path.join(to, "link"));
            lead(path.join(from, "a"), path.join(to, "link"));
          },
        ],
      ] as [string, (from: string, to: string) => void][]) {
        const [from, to] = [await group(place("from.zarr")), await group(place("to.zarr"))];
        change(from, to);
        const before = filesOf(to);
        expect(await refusal(from, to), name).toMatch(
          /would delete data that is read, .*nothing was deleted/,
        );
        expect(filesOf(to)).toEqual(before);
      }
      const [from, to] = [await group(place("from.zarr")), place("to.zarr")];
      spawnSync("cp", ["-al", from, to]); // a name of a file goes, and not the file
      const before = filesOf(from);
      await copy(from, to, { overwrite: true, format: "2" });
      expect(filesOf(from)).toEqual(before);
      symlinkSync(from, path.join(to, "link"));
      expect(await refusal(path.join(to, "link"), to)).toContain("would delete data that is read");
    },
  );

  it("by references to chunks in DEST", async () => {
    const dest = await group(place("dest.zarr"));
    const document = {
      "zarr.json": filesOf(dest).get("a/zarr.json")!.toString(),
      "c/0/0": [`${pathToFileURL(dest)}/a/c/0/0`],
    };
    const refs = path.join(writeStore(place("refs"), [["refs.json", document]]), "refs.json");
    symlinkSync(dest, `${dest}.link`);
    for (const name of [dest, `${dest}.link`])
      expect(await refusal(refs, name)).toMatch(/SOURCE refers to .*which lies in DEST/);
    expect(filesOf(dest).size).toBe(filesOf(source).size);
  });

  const canMount =
    process.platform === "linux" &&
    spawnSync("unshare", ["-m", "mount", "--bind", folder, folder]).status === 0;

  it(
    "through bind mounts (needs the right to mount)",
    skipFor(canMount ? undefined : "needs the right to mount"),
    async () => {
      const at = place();
      const [from, dest] = [await group(path.join(at, "from.zarr")), await group(path.join(at, "dest.zarr"))];
      for (const name of ["alias", "above", "member", "dest.zarr/inner"]) mkdirSync(path.join(at, name));
      const before = [filesOf(from), filesOf(dest)];
      const mounts = [
        [from, "alias"],
        [at, "above"],
        [path.join(from, "a"), "member"],
        [from, "dest.zarr/inner"],
      ].map(([what, where]) => `mount --bind "${what}" "${path.join(at, where!)}"`);
      const attempts = [
        ["alias", "from.zarr"],
        ["from.zarr", "alias"],
        ["from.zarr", "alias/a"],
        ["from.zarr", "above"],
        ["from.zarr", "above/from.zarr"],
        ["above/from.zarr", "from.zarr"],
        ["from.zarr", "member"],
        ["from.zarr", "dest.zarr"],
      ].map(([one, other]) => `"${process.execPath}" "${tool}" copy ${one} ${other} --overwrite; echo $?`);
      const script = ["set -e", ...mounts, `cd "${at}"`, "set +e", ...attempts].join("\n");
      const { stdout, stderr } = spawnSync("unshare", ["-m", "sh", "-c", script], { encoding: "utf8" });
      expect(stdout).toBe("1\n".repeat(attempts.length));
      expect(
        stderr.match(/same location, or one contains the other|would delete data that is read/g),
      ).toHaveLength(attempts.length);
      expect([filesOf(from), filesOf(dest)]).toEqual(before);
    },
  );

  it("by another spelling of a URL", async () => {
    for (const [from, to] of [
      ["https://bucket.s3.amazonaws.com/a.zarr", "https://s3.us-east-1.amazonaws.com/bucket/a.zarr"],
      ["http://localhost/a/b", "http://127.0.0.1:80//a/%62/c"],
    ] as const)
      expect(await refusal(from, to, { bucket: to })).toContain("SOURCE and DEST are the same location");
  });
});
