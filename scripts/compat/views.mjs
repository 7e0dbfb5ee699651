// npm run test:compat -- views [NAME…]: views of images, maps and grids, in Chromium, against colours and positions that
// NumPy, matplotlib, cartopy, pyproj and healpy compute (tests/views). A pixel may have the colour of any place within
// half a pixel, and differ from it by 1/255; lines lie within half a pixel. PYTHON=… names an interpreter with those
// packages (default: /usr/bin/python3). Pictures are in build/reports/views. The last line is "N passed, N failed".
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildAll } from "../build.mjs";
import { buildDir, distDir, root, viewerDist } from "../lib/paths.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { summarise } from "../lib/reports.mjs";
import { launchChromium, startServer } from "../lib/server.mjs";

const folder = path.join(buildDir, "reports/views");
const size = { width: 1000, height: 760 };
/** Parts over the picture that are not compared. */
const hidden = ".zw-scale-bar, .zw-map-lines, .zw-cursor { visibility: hidden !important }";

function python(...args) {
  const script = path.join(root, "tests/views/views.py");
  const command = process.env.PYTHON ?? "/usr/bin/python3";
  const { status, stdout, stderr, error } = spawnSync(command, [script, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new SetupError(`${command} ${script} failed: ${error ?? stderr.slice(-2000)}`);
  return stdout;
}

/** Saves the canvas of lines of a map that shows only some of them. */
async function saveLines(page, url, file, kind) {
  await page.goto(`${url}&lines=${kind}`);
  await page.locator(`.zw-map-lines[data-lines="${kind}"]`).waitFor({ state: "attached" });
  await page.locator('.zw-viewer[data-state="ready"]').waitFor();
  const data = await page.locator(".zw-map-lines[data-lines]").evaluate((canvas) => canvas.toDataURL());
  writeFileSync(`${file}.${kind}.png`, Buffer.from(data.split(",")[1], "base64"));
}

async function saveView(page, site, { name, query, hasLines }) {
  const file = path.join(folder, name.replace(":", " "));
  const url = `${site}/viewer/?${query.replace("source=", `source=${site}`)}`;
  await page.goto(`${url}&lines=none`);
  await page.locator('.zw-viewer[data-state="ready"]').waitFor({ timeout: 60_000 });
  await page.addStyleTag({ content: hidden });
  const facts = await page.locator(".zw-view .zw-box").evaluate((box) => {
    const numbers = (text) => text.split(/[:,]/).map(Number);
    const colour = (name) => {
      const probe = Object.assign(document.createElement("i"), { style: `color: var(${name})` });
      box.append(probe);
      const [, ...parts] = /(\d+), (\d+), (\d+)/.exec(getComputedStyle(probe).color);
      probe.remove();
      return parts.map(Number);
    };
    const { width, height } = box.querySelector("canvas");
    return {
      view: numbers(box.dataset.view),
      world: numbers(box.dataset.world),
      size: [width, height],
      ground: colour("--zw-sunken"),
      paper: colour("--zw-surface"),
      chequer: colour("--zw-check-a"),
      chequer2: colour("--zw-check-b"),
    };
  });
  writeFileSync(`${file}.json`, JSON.stringify(facts));
  await page.locator(".zw-view .zw-canvas").screenshot({ path: `${file}.png` });
  for (const kind of hasLines ? ["coasts", "graticule"] : []) await saveLines(page, url, file, kind);
}

/** Reasons why a view failed. */
function faultsOf({ colours, ...lines }) {
  const faults = [];
  if (colours.pixels < 1000) faults.push(`only ${colours.pixels} pixels have data`);
  if (colours.wrong > 0)
    faults.push(`${colours.wrong} pixels have other colours, such as ${JSON.stringify(colours.first)}`);
  for (const [kind, found] of Object.entries(lines)) {
    if (kind === "name") continue;
    if (found.segments < 10 || found.missing > 0 || !(found["99%"] <= 0.5))
      faults.push(`${kind}: ${JSON.stringify(found)}`);
  }
  return faults;
}

await runMain(async () => {
  const wanted = process.argv.slice(2);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  step("Making stores");
  python("make", folder);
  const views = JSON.parse(readFileSync(path.join(folder, "views.json"), "utf8")).filter(
    ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  const { coastlines } = await import("../../build/viewer/base/coastlines.js");
  writeFileSync(path.join(folder, "coasts.json"), JSON.stringify(coastlines().map((line) => [...line])));
  const mounts = {
    "/viewer/": viewerDist,
    "/wasm/": path.join(distDir, "wasm"),
    "/data/": { root: path.join(folder, "data"), isData: true },
  };
  const server = await startServer({ mounts });
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: size });
  step(`Drawing ${views.length} views`);
  for (const one of views) await saveView(page, server.url, one);
  await Promise.all([browser.close(), server.close()]);
  step("Comparing");
  const counts = { passed: 0, failed: 0 };
  for (const line of python("compare", folder, ...views.map(({ name }) => name))
    .trim()
    .split("\n")) {
    const result = JSON.parse(line);
    const faults = faultsOf(result);
    counts[faults.length === 0 ? "passed" : "failed"]++;
    const { colours, coasts, graticule } = result;
    const distances = [coasts, graticule].map((found) => found?.["99%"].toFixed(2) ?? "");
    const share = `${(100 * colours.exact).toFixed(2)} %`;
    console.log(
      `  ${faults.length === 0 ? "✓" : "✗"} ${result.name.padEnd(40)} ${colours.pixels} pixels, ${share} exact  ${distances.join("  ")}`,
    );
    for (const fault of faults) console.error(`    ${fault}`);
  }
  return summarise([{ name: "views", ...counts }]);
});
