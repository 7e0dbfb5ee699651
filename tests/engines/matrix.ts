/**
 * docs/browsers.md: which engine has what, found out by looking. What the table promises must be so; where an
 * engine has more, ZARR_WASM_WRITE_BROWSERS=1 writes it down.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Facts, SuiteReport } from "./contexts/host.js";
import type { EngineName } from "./drivers/driver.js";

const file = new URL("../../docs/browsers.md", import.meta.url);
const titles: Record<EngineName, string> = {
  chromium: "Chromium",
  firefox: "Firefox ESR",
  webkit: "WebKitGTK",
};

const keyOf = (engine: EngineName, isolation: string, context: string) =>
  `| ${titles[engine]} | ${isolation} | ${context} |`;

/** What the table says of a context; undefined where it is not there, or not in the table. */
export function documented(
  engine: EngineName,
  isolation: string,
  context: string,
): Partial<Facts> | undefined {
  const start = keyOf(engine, isolation, context);
  const line = readFileSync(file, "utf8")
    .split("\n")
    .find((text) => text.startsWith(start));
  if (!line) return undefined;
  const [library, sharedMemory, workers, float16] = line
    .slice(start.length)
    .split("|")
    .map((cell) => cell.trim() === "yes");
  if (!library) return undefined;
  const all = { sharedMemory, workers, float16 };
  return Object.fromEntries(Object.entries(all).filter(([, has]) => has)) as Partial<Facts>;
}

/** Notes what was found; written to the documentation when that is asked for. */
export function noteContext(
  engine: EngineName,
  isolation: string,
  context: string,
  report: SuiteReport,
): void {
  if (process.env["ZARR_WASM_WRITE_BROWSERS"] !== "1") return;
  const start = keyOf(engine, isolation, context);
  const { sharedMemory, workers, float16 } = report.facts ?? {};
  const cells = [report.facts, sharedMemory, workers, float16].map((has) => (has ? "yes" : "–"));
  const row = `${start} ${cells.join(" | ")} |`;
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.startsWith(start));
  if (at >= 0) lines[at] = row;
  else lines.splice(lines.indexOf("<!-- end -->"), 0, row);
  writeFileSync(file, lines.join("\n"));
}
