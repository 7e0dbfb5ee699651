/** Debian's python3-zarr, as a reader of what is written here; tests do without it where it is not installed. */
import { execFileSync } from "node:child_process";

/** Runs a script and gives what it prints. */
export function python(script: string, ...args: string[]): string {
  return execFileSync("/usr/bin/python3", ["-c", script, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Whether there is zarr-python 2. */
export function hasZarr(): boolean {
  try {
    return python("import zarr; print(zarr.__version__)").startsWith("2.");
  } catch {
    return false;
  }
}
