// Tools in build/edge-tiles: the bundled Worker, and the packages to run it.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const home = fileURLToPath(new URL("../../build/edge-tiles/", import.meta.url));
const fromHome = createRequire(path.join(home, "package.json"));
const { Miniflare } = fromHome("miniflare");
export const sharp = fromHome("sharp");
export const autocannon = fromHome("autocannon");

const bundle = path.join(home, "worker");
const files = () => readdirSync(bundle).filter((name) => /\.(js|wasm)$/.test(name));
/** Scripts first: the first module is the Worker. */
const sorted = () => files().sort((a, b) => Number(b.endsWith(".js")) - Number(a.endsWith(".js")));

/** Date and flags from the example's own configuration. */
const configuration = readFileSync(path.join(home, "example/wrangler.jsonc"), "utf8");
const compatibilityDate = /"compatibility_date": "(.*)"/.exec(configuration)[1];
const compatibilityFlags = JSON.parse(/"compatibility_flags": (\[.*\])/.exec(configuration)[1]);

/** Runs the Worker in Miniflare, which emulates the Cloudflare environment: the cache, buckets. */
export async function startMiniflare(bindings, options = {}) {
  const modules = sorted().map((name) => ({
    type: name.endsWith(".js") ? "ESModule" : "CompiledWasm",
    path: name,
    contents: readFileSync(path.join(bundle, name)),
  }));
  const server = new Miniflare({
    modules,
    modulesRoot: ".",
    compatibilityDate,
    compatibilityFlags,
    bindings,
    port: 0,
    ...options,
  });
  const url = String(await server.ready).replace(/\/$/, "");
  return { url, server, pid: childOf(process.pid, "workerd"), close: () => server.dispose() };
}

/** Runs the Worker in workerd alone: no cache, and direct connections. */
export async function startWorkerd(bindings, v8Flags = []) {
  const dir = mkdtempSync(path.join(home, "workerd-"));
  const quoted = JSON.stringify;
  const modules = sorted().map((name) => {
    const kind = name.endsWith(".js") ? "esModule" : "wasm";
    const own = name.endsWith(".js") ? name : `./${name}`;
    return `(name = ${quoted(own)}, ${kind} = embed ${quoted(path.relative(dir, path.join(bundle, name)))})`;
  });
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${quoted(name)}, text = ${quoted(String(text))})`,
  );
  writeFileSync(
    path.join(dir, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  v8Flags = ${quoted(v8Flags)}
);
const main :Workerd.Worker = (
  modules = [${modules.join(", ")}],
  compatibilityDate = ${quoted(compatibilityDate)},
  compatibilityFlags = ${quoted(compatibilityFlags)},
  bindings = [${texts.join(", ")}]
);
`,
  );
  const program = fromHome("workerd").default;
  const child = spawn(program, ["serve", path.join(dir, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const port = await new Promise((resolve, reject) => {
    let text = "";
    child.on("exit", (code) => reject(new Error(`workerd exited with ${code}`)));
    child.stdio[3].on("data", (bytes) => {
      text += bytes;
      const said = /"event":"listen".*?"port":(\d+)/.exec(text);
      if (said) resolve(Number(said[1]));
    });
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const close = () => {
    child.kill();
    return ended;
  };
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, close };
}

/** The newest child of a process with a given name. Linux only. */
function childOf(parent, name) {
  const found = readdirSync("/proc").filter((pid) => {
    try {
      const [, command, rest] = /\((.*)\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"));
      return command === name && Number(rest) === parent;
    } catch {
      return false;
    }
  });
  return Math.max(...found.map(Number));
}

/** CPU time of all threads of a process, in milliseconds. */
export function cpuOf(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The process has ended.
    }
  }
  return nanoseconds / 1e6;
}

/** Memory of a process in MiB. */
export function memoryOf(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
