/** `worker.node.js`: the worker script in Node, Deno and Bun, which also copies files. */

import { nodeModule } from "../util/platform.js";
import { runFiles, unpackFiles } from "./file-work.js";
import { addTask, startWorker } from "./worker-main.js";

addTask("files", async (message, plans) => {
  const work = unpackFiles(plans, message);
  const fs = await nodeModule<typeof import("node:fs")>("node:fs");
  return (session) => ({ files: runFiles(session, work, fs) });
});
startWorker();
