/** Formats the command that continues an interrupted one. */
import { isArchiveName } from "#internal";
import { context } from "../text/context.js";
import { shellQuoted } from "./places.js";

/** Returns `; to continue, run: zarr-wasm copy … --resume`; archives are written from the start. */
export function resumeHint(dest: string): string {
  if (isArchiveName(dest)) return "; an archive cannot be continued, run the command again";
  return `; to continue, run: ${resumeCommand(context().args)}`;
}

/** Returns the same command with `--resume` instead of `--overwrite`, quoted for a shell. */
export function resumeCommand(args: readonly string[]): string {
  const kept = args.filter((arg) => arg !== "--overwrite" && arg !== "--resume");
  return ["zarr-wasm", ...kept, "--resume"].map(shellQuoted).join(" ");
}
