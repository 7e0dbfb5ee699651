// Completion in real shells: bash and zsh on a pseudo-terminal with the Tab key, fish through `complete`.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { missingProgram, skipFor, unsupportedSystem } from "../../shared/skips.js";
import { run, temporaryFolder, tool } from "../support/cli-tool.js";

const folder = temporaryFolder();
mkdirSync(path.join(folder, "my data.zarr"));
writeFileSync(path.join(folder, "only.npy"), "");
mkdirSync(path.join(folder, "bin"));
const command = path.join(folder, "bin/zarr-wasm");
writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${tool}" "$@"\n`);
chmodSync(command, 0o755);
const env = {
  ...process.env,
  PATH: `${path.dirname(command)}:${process.env["PATH"]}`,
  TERM: "dumb",
  HOME: folder,
};

/** Output of Ctrl-X: the line being edited. */
const edited = path.join(folder, "edited");

const shells = {
  bash: {
    start: "bash --norc --noprofile -i",
    setUp: [
      "source <(zarr-wasm completion bash)",
      `_show() { printf '%s' "$READLINE_LINE" > "${edited}.new"; mv "${edited}.new" "${edited}"; READLINE_LINE=; }`,
      `bind -x '"\\C-x": _show'`,
    ],
  },
  zsh: {
    start: "zsh -f -i",
    setUp: [
      `autoload -Uz compinit; compinit -u -d "${folder}/zcompdump"; setopt no_beep`,
      "source <(zarr-wasm completion zsh)",
      `show() { print -rn -- "$BUFFER" > "${edited}.new"; mv "${edited}.new" "${edited}"; BUFFER= }`,
      "zle -N show; bindkey '^X' show",
    ],
  },
};

async function until(file: string): Promise<string> {
  for (let turns = 0; turns < 1200 && !existsSync(file); turns++) await pause(50);
  const text = readFileSync(file, "utf8");
  rmSync(file);
  return text;
}

/** Types lines, each followed by the Tab key. @returns the completed lines. */
async function complete(shell: keyof typeof shells, lines: readonly string[]): Promise<string[]> {
  const { start, setUp } = shells[shell];
  const ready = path.join(folder, "ready");
  writeFileSync(path.join(folder, "setup"), `${setUp.join("\n")}\ntouch "${ready}"\n`);
  const child = spawn("script", ["-qec", start, "/dev/null"], {
    cwd: folder,
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  try {
    child.stdin.write("source ./setup\n");
    await until(ready);
    const results: string[] = [];
    for (const line of lines) {
      child.stdin.write(`${line}\t\u0018`);
      results.push(await until(edited));
    }
    return results;
  } finally {
    child.stdin.end("\u0015exit\n");
    child.kill();
  }
}

/** Lines that have one completion, in every shell. */
const lines = {
  "zarr-wasm inf": "zarr-wasm info ",
  "zarr-wasm be": "zarr-wasm bench ",
  "zarr-wasm read x --sele": "zarr-wasm read x --select",
  "zarr-wasm copy a b --metad": "zarr-wasm copy a b --metadata-only",
  "zarr-wasm read x --format n": "zarr-wasm read x --format npy",
  "zarr-wasm read x --format=js": "zarr-wasm read x --format=jsonl",
  "zarr-wasm pyramid a b --method me": "zarr-wasm pyramid a b --method mean",
  "zarr-wasm read x --path copy --sele": "zarr-wasm read x --path copy --select",
  "zarr-wasm completion z": "zarr-wasm completion zsh",
  "zarr-wasm info my": "zarr-wasm info my\\ data.zarr",
  "zarr-wasm read x --out on": "zarr-wasm read x --out only.npy",
  // Options of other commands do not apply to this one.
  "zarr-wasm info x --metad": "zarr-wasm info x --metad",
};
/** Shells append different characters to a completion: a space, a slash, an equals sign. */
const bare = (line: string) => line.replace(/[ =/]+$/, "");

describe("completion", skipFor(unsupportedSystem(process.platform === "linux")), () => {
  for (const shell of ["bash", "zsh"] as const) {
    it(`is done by ${shell}`, skipFor(missingProgram(shell)), async () => {
      const results = await complete(shell, Object.keys(lines));
      expect(results.map(bare)).toEqual(Object.values(lines).map(bare));
    });
  }

  it("is done by fish", skipFor(missingProgram("fish")), () => {
    const wanted = Object.entries(lines);
    const script = `zarr-wasm completion fish | source
for line in ${wanted.map(([line]) => `'${line}'`).join(" ")}; complete -C $line; echo ==; end`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", script], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    const words = (line: string) => bare(line).replace(/^.* (?=[^ ]*$)/, "");
    const results = stdout.split("==\n").slice(0, -1);
    const given = results.map((text) => text.split("\n").flatMap((row) => row.split("\t")[0] || []));
    expect(given.map((found) => found.map(bare))).toEqual(
      wanted.map(([line, whole]) =>
        line === whole ? [] : [words(whole.replace("my\\ ", "my\\_")).replace("my\\_", "my ")],
      ),
    );
  });

  it("rejects other shells", async () => {
    const { status, err } = await run("completion", "zhs");
    expect([status, err]).toEqual([2, expect.stringMatching(/SHELL must be bash, zsh or fish, got "zhs"/)]);
  });
});
