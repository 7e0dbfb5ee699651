/**
 * docs/browsers.md: detects the features of every engine. The table's promises must hold; if an engine has
 * more features, ZARR_WASM_WRITE_BROWSERS=1 adds them.
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

/** The table's entry for a context; undefined if the context is missing, or not in the table. */
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

/** Records detected features, and updates the documentation on request. */
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
