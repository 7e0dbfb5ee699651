// Help, documentation, hints, colors and --json follow the list of commands and options.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { create, createGroup, set } from "zarr-wasm";
import { commandOptions, commands } from "#src/cli/options/commands.js";
import { options } from "#src/cli/options/options.js";
import { resumeCommand, schemeHint } from "#src/cli/source/places.js";
import { closestTo } from "#src/util/arguments.js";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";
import { root, run, temporaryFolder, tool } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";

const folder = temporaryFolder();
const guide = readFileSync(path.join(root, "docs/command-line.md"), "utf8");

describe("the list of commands", () => {
  it("has the documented commands and options", () => {
    expect(Object.keys(commands).toSorted()).toEqual([
      "bench",
      "completion",
      "copy",
      "help",
      "info",
      "pyramid",
      "read",
      "references",
      "stats",
      "verify",
      "view",
    ]);
    const own = (name: string) => commandOptions(commands[name]!).map(([option]) => option);
    expect(own("info")).toEqual(expect.arrayContaining(["path", "json"]));
    expect(own("read")).toEqual(expect.arrayContaining(["path", "select", "format", "out", "v1-order"]));
    expect(own("bench")).toEqual(expect.arrayContaining(["time", "bytes", "json"]));
    for (const name of [
      "info",
      "read",
      "stats",
      "copy",
      "pyramid",
      "verify",
      "references",
      "bench",
      "view",
    ]) {
      expect(own(name)).toContain("json");
      expect(new Set(own(name)).size).toBe(own(name).length);
    }
    const used = new Set([...Object.keys(commands).flatMap(own), "help", "version"]);
    expect([...used].toSorted()).toEqual(Object.keys(options).toSorted());
  });

  it("appears in help, with valid examples", async () => {
    const all = (await run("--help")).text;
    for (const [name, command] of Object.entries(commands)) {
      expect(all).toContain(`\n  ${name} ${command.operands.join(" ")}`);
      const { text, status } = await run(name, "--help");
      expect(status).toBe(0);
      expect(text).toContain(`Usage: zarr-wasm ${name} ${command.operands.join(" ")}`);
      for (const [option] of commandOptions(command))
        expect(text).toMatch(new RegExp(`^  --${option}\\b`, "m"));
      expect(command.examples.length).toBeGreaterThan(0);
      for (const [, line] of command.examples) {
        expect(text).toContain(line);
        for (const [, option] of line.matchAll(/ --([\w-]+)/g))
          expect(commandOptions(command).map(([known]) => known)).toContain(option);
      }
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(112);
    }
  });

  it("matches the guide", () => {
    for (const name of Object.keys(commands)) expect(guide).toContain(`zarr-wasm ${name}`);
    const named = new Set([...guide.matchAll(/--([a-z][\w-]+)/g)].map(([, name]) => name!));
    expect([...named].toSorted()).toEqual(Object.keys(options).toSorted());
    const known = new Set([...guide.matchAll(/zarr-wasm ([a-z]+) /g)].map(([, name]) => name!));
    expect([...known].filter((name) => !Object.hasOwn(commands, name))).toEqual([]);
  });
});

describe("hints", () => {
  it.each([
    ["inof", ["info", "verify"], "info"],
    ["INFO", ["info"], "info"],
    ["temprature", ["time", "temperature"], "temperature"],
    ["temp", ["temperature"], "temperature"],
    ["x", ["y"], "y"],
    ["x", ["completely"], undefined],
    ["abcdefgh", ["info"], undefined],
  ])("%s means one of %j: %s", (word, candidates, meant) => {
    expect(closestTo(word, candidates)).toBe(meant);
  });

  it("name commands, options, locations and nodes", async () => {
    const place = path.join(folder, "data.zarr");
    const group = await createGroup(urlOf(place));
    const inner = await createGroup(group, { path: "scale0" });
    await set(await create(inner, { path: "image", shape: [2], dtype: "uint8" }), null, 1);
    await createGroup(group, { path: "it's" });
    await create(inner, { path: "axis", shape: [2], dtype: "uint8", dimensionNames: ["axis"] });
    const err = async (...args: string[]) => {
      const result = await run(...args);
      expect(result.status).toBeGreaterThan(0);
      expect(result.text).toBe("");
      return result.err;
    };
    expect(await err("verfy", place)).toContain('did you mean "verify"?');
    expect(await err("read", place, "--slect", "0")).toContain("--slect; did you mean --select?");
    expect(await err("read", path.join(folder, "dat.zarr"))).toContain(`did you mean ${place}?`);
    expect(await err("view", path.join(folder, "dat.zarr"))).toContain(`did you mean ${place}?`);
    expect(await err("read", place)).toContain("did you mean --path scale0/image?");
    expect(await err("info", place, "--path", "scale0/imag")).toContain("did you mean --path scale0/image?");
    expect(await err("info", place, "--path", "scale/image")).toContain("did you mean --path scale0/image?");
    expect(await err("info", place, "--path", "scale/nothing")).toContain("did you mean --path scale0?");
    expect(await err("info", place, "--path", "image")).toContain("did you mean --path scale0/image?");
    expect(await err("info", place, "--path", "its")).toContain("did you mean --path 'it'\\''s'?");
    expect(await err("info", place, "--path", "elsewhere")).toMatch(/found .*scale0.* in "\/"/);
    expect(await err("info", folder)).toContain("found data.zarr in it");
    expect(await err("read", place, "--path", "scale0/image/x")).toContain('"/scale0/image" is an array');
    expect(await err("copy", place, path.join(folder, "new"), "--path", "scale9")).toContain(
      "--path scale0?",
    );
  });
});

describe("hints for sources and commands", () => {
  it.each([
    ["ls", "zarr-wasm info SOURCE"],
    ["tree", "zarr-wasm info SOURCE"],
    ["rechunk", "zarr-wasm copy SOURCE DEST --chunks 64,64"],
    ["convert", "zarr-wasm copy SOURCE DEST --format 3"],
    ["cpoy", 'did you mean "copy"?'],
  ])("%s: %s", async (name, hint) => {
    expect(await run(name, "data.zarr")).toMatchObject({
      status: 2,
      text: "",
      err: expect.stringContaining(hint),
    });
  });

  it.each([
    ["s3://bucket/a/b.zarr", "; use https://bucket.s3.amazonaws.com/a/b.zarr"],
    ["s3://my.bucket/a", "; use https://s3.amazonaws.com/my.bucket/a"],
    ["gs://bucket/a", "; use https://storage.googleapis.com/bucket/a"],
    ["gcs://bucket/a", "; use https://storage.googleapis.com/bucket/a"],
    ["abfs://box@account.dfs.core.windows.net/a", "; use https://ACCOUNT.blob.core.windows.net/box/a"],
    ["htp://example.org/a", "; did you mean http://example.org/a?"],
    ["htps://example.org/a", "; did you mean https://example.org/a?"],
    ["http:/example.org/a", "; did you mean http://example.org/a?"],
    ["ftp://example.org/a", "http"],
    ["www.example.org/a", "; did you mean https://www.example.org/a?"],
    ["example.org/a.zarr", "; did you mean https://example.org/a.zarr?"],
    ["file:///nowhere/a", ""],
    ["plain", ""],
  ])("info %s%s", async (source, hint) => {
    expect(schemeHint(source)).toContain(hint);
    const { status, err } = await run("info", source);
    expect([status! > 0, err]).toEqual([true, expect.stringContaining(`"${source}"`)]);
    expect(err).toContain(hint);
  });

  it("resumeCommand quotes operands and replaces --overwrite", () => {
    expect(resumeCommand(["copy", "a b", "c.zarr", "--overwrite", "--select", "0:10,::2"])).toBe(
      "zarr-wasm copy 'a b' c.zarr --select 0:10,::2 --resume",
    );
  });
});

describe("--json", () => {
  it("prints values, and the version", async () => {
    const place = path.join(folder, "a.zarr");
    await set(await create(urlOf(place), { shape: [2], dtype: "int16" }), null, 7);
    expect((await run("read", place, "--json")).text).toBe("7\n7\n");
    expect((await run("read", place, "--json", "--format", "raw")).status).toBe(2);
    const { version } = JSON.parse((await run("--version", "--json")).text) as { version: string };
    expect(`${version}\n`).toBe((await run("--version")).text);
  });
});

describe("colors", skipFor(unsupportedSystem(process.platform === "linux")), () => {
  /** Output for a wrong command and for help, on a terminal or a pipe. */
  const outputs = (env: Record<string, string>, onTerminal: boolean) => {
    const { NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env;
    const line = `"${process.execPath}" "${tool}"`;
    const both = `${line} nonsense; ${line} verify --help`;
    const args = onTerminal ? ["script", "-qec", `sh -c '${both}'`, "/dev/null"] : ["sh", "-c", `${both}`];
    const { stdout, stderr } = spawnSync(args[0]!, args.slice(1), {
      encoding: "utf8",
      env: { ...rest, TERM: "xterm", ...env },
    });
    return { hasColors: (stdout + stderr).includes("\u001b["), text: stdout + stderr };
  };

  it.each([
    ["a terminal", {}, true, true],
    ["a pipe", {}, false, false],
    ["a terminal without colors", { NO_COLOR: "1" }, true, false],
    ["a terminal with an empty NO_COLOR", { NO_COLOR: "" }, true, true],
    ["a dumb terminal", { TERM: "dumb" }, true, false],
    ["a pipe with FORCE_COLOR", { FORCE_COLOR: "1" }, false, true],
    ["a pipe with FORCE_COLOR and NO_COLOR", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["a terminal with FORCE_COLOR=0", { FORCE_COLOR: "0" }, true, false],
  ])("on %s", (_where, env, onTerminal, expected) => {
    const { hasColors, text } = outputs(env as Record<string, string>, onTerminal);
    expect(text).toContain("unknown command");
    expect(text).toMatch(/Usage:\S* zarr-wasm/);
    expect(hasColors).toBe(expected);
  });
});
