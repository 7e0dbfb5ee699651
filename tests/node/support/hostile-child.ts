/** Reads in a separate process, whose memory and time can be measured. */
import { spawn } from "node:child_process";

export interface Measured {
  /** The script's `result`, as JSON. */
  result: unknown;
  /** Peak memory of the process, above its initial memory. */
  mebibytes: number;
  /** CPU time. */
  seconds: number;
}

/** Runs the body of an async function that returns a JSON value. @param args the variable `args` of that function. */
export async function measure(body: string, args: Record<string, unknown>): Promise<Measured> {
  const script = `
    import * as zarr from ${JSON.stringify(import.meta.resolve("zarr-wasm"))};
    import * as formats from ${JSON.stringify(import.meta.resolve("zarr-wasm/formats"))};
    import { FileSystemStore } from ${JSON.stringify(import.meta.resolve("zarr-wasm/node"))};
    const codeOf = (work) => work.then(() => "read", (error) => error._tag + " " + error.code);
    const args = ${JSON.stringify(args)};
    const before = process.resourceUsage();
    const result = await (async () => { ${body} })();
    const after = process.resourceUsage();
    console.log(JSON.stringify({
      result,
      mebibytes: (after.maxRSS - before.maxRSS) / 1024,
      seconds: (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1e6,
    }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`the process ended with ${status}`);
  return JSON.parse(said) as Measured;
}
