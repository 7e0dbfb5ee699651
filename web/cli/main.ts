#!/usr/bin/env node
/** Entry point of the command line: runs a command in this process. */
import { report, run } from "./run.js";

// A reader that closes the pipe early, such as head, is not an error.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") process.exit(0);
  report(new Error(`stdout cannot be written: ${message}`));
  process.exit(1);
});

process.exitCode = await run();
