// docs/start.md runs as printed, in an empty folder and without a network: every program is saved under the name in
// its first line, every command is run in order, and the output is the `text` block that follows.
// ZARR_WASM_WRITE_START=1 writes these blocks.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { root, type Sample, samplesOf, textOf } from "../support/doc-samples.js";

const file = "docs/start.md";
const folder = mkdtempSync(path.join(root, "build/tmp/start-"));
const isWriting = process.env.ZARR_WASM_WRITE_START === "1";
const outputs: string[] = [];
const servers: ChildProcess[] = [];

afterAll(() => {
  for (const server of servers) server.kill();
  rmSync(folder, { recursive: true });
  if (isWriting) {
    let at = 0;
    const written = textOf(file).replace(
      /^```text\n[\s\S]*?^```$/gm,
      () => `\`\`\`text\n${outputs[at++]}\`\`\``,
    );
    writeFileSync(path.join(root, file), written);
  }
});

/** Ports of servers differ from run to run. */
const withoutPort = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8000");

/** Runs a command to its end, or until the first line of one that serves. */
function outputOf(command: string): Promise<string> {
  const isServing = command.includes("zarr-wasm-viewer ");
  // Proxies that refuse every connection keep npm and the programs off the network.
  const proxy = "http://127.0.0.1:9/";
  const child = spawn("sh", ["-c", `exec ${command}`], {
    cwd: folder,
    detached: true,
    env: { ...process.env, npm_config_offline: "true", http_proxy: proxy, https_proxy: proxy, NO_COLOR: "1" },
  });
  servers.push(child);
  let [out, err] = ["", ""];
  child.stderr.on("data", (piece) => {
    err += piece;
  });
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (piece) => {
      out += piece;
      if (!isServing || !out.includes("\n")) return;
      process.kill(-child.pid!, "SIGINT");
      resolve(out);
    });
    child.on("close", (status) =>
      status === 0 || isServing
        ? resolve(out)
        : reject(new Error(`${command}: exit status ${status}\n${err}`)),
    );
  });
}

/** Creates what `npm install zarr-wasm zarr-wasm-viewer` installs: the built packages and their commands. */
function install() {
  mkdirSync(path.join(folder, "node_modules/.bin"), { recursive: true });
  const programs = { "zarr-wasm": ["", "dist/cli/main.js"], "zarr-wasm-viewer": ["web/viewer", "bin.js"] };
  for (const [name, [place, script]] of Object.entries(programs)) {
    const target = path.join(root, place!);
    symlinkSync(target, path.join(folder, "node_modules", name));
    const program = path.join(folder, "node_modules/.bin", name);
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${path.join(target, script!)}" "$@"\n`);
    chmodSync(program, 0o755);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the web server of the guide on a free port; it must serve the page and all files that the page names. */
async function checkPage(command: string) {
  const port = await freePort();
  servers.push(spawn("sh", ["-c", `exec ${command.replace("8080", String(port))}`], { cwd: folder }));
  const get = async (name: string): Promise<Response> => {
    for (let attempt = 0; ; attempt++)
      try {
        return await fetch(`http://127.0.0.1:${port}/${name}`);
      } catch (error) {
        if (attempt === 100) throw error;
        await sleep(100);
      }
  };
  const page = await (await get("")).text();
  const sources = [...page.matchAll(/src="([^"]+)"/g)].map(([, source]) => source!);
  expect(sources).toHaveLength(2);
  for (const source of sources) {
    const name = source.endsWith(".zarr") ? `${source}/zarr.json` : source;
    expect((await get(name)).status, name).toBe(200);
  }
}

async function runBlock({ language, text }: Sample): Promise<string> {
  if (language === "sh") {
    const command = text.trim();
    expect(command).not.toContain("\n");
    if (command === "npm install zarr-wasm zarr-wasm-viewer") install();
    else if (command.startsWith("python3")) await checkPage(command);
    else return outputOf(command);
    return "";
  }
  const [, name] = /^(?:\/\/|<!--) ([\w.]+)/.exec(text) ?? [];
  expect(name, "the first line of a program is its file name").toBeDefined();
  writeFileSync(path.join(folder, name!), text);
  return "";
}

it("docs/start.md runs as printed", { timeout: 60_000 }, async () => {
  let output = "";
  for (const block of samplesOf(file)) {
    if (block.language !== "text") {
      expect(output, `${file}:${block.line}: the output before it is not shown`).toBe("");
      output = await runBlock(block);
      continue;
    }
    outputs.push(withoutPort(output));
    if (!isWriting) expect(withoutPort(output), `${file}:${block.line}`).toBe(block.text);
    output = "";
  }
  expect(output).toBe("");
  expect(outputs.length).toBeGreaterThan(3);
});
