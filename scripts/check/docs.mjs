// npm run check -- docs: builds the site and tests it in Chromium: the console stays empty, runnable programs run,
// search finds the right pages first, phones need no horizontal scrolling, and axe-core finds no violations.
//   npm run check -- docs built     tests the existing build of the site
// The last line is "N passed, N failed".
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { buildDir, root } from "../lib/paths.mjs";
import { run, runMain, step } from "../lib/process.mjs";
import { count, summarise } from "../lib/reports.mjs";
import { launchChromium, startServer } from "../lib/server.mjs";
import { siteOutput } from "../lib/site.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = path.join(buildDir, "reports/docs");

/** Pages to test: one of each kind. */
const pages = {
  start: "index.html",
  guide: "start.html",
  table: "support.html",
  errors: "troubleshooting.html",
  codec: "codecs/blosc.html",
  function: "api/zarr-wasm/functions/get.html",
  class: "api/zarr-wasm/classes/ZarrArray.html",
  live: "live.html",
};

const schemes = ["light", "dark"];

/** The page that must be the first result of a search, by query. */
const firstResults = {
  CORS: "CORS",
  "bundle size": "Download and bundle size",
  FAQ: "FAQ",
};

/** Tests by name: each gets a page, and throws if it fails. */
function tests(url) {
  const all = {};
  for (const [name, place] of Object.entries(pages))
    for (const scheme of schemes)
      all[`${name}, ${scheme}`] = async (page, problems) => {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await open(page, `${url}/${place}`);
        await page.screenshot({ path: path.join(pictures, `${name}-${scheme}.png`) });
        expectNone(await violations(page));
        expectNone(problems);
      };
  for (const [name, place] of Object.entries(pages))
    all[`${name}, 390 pixels wide`] = async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await open(page, `${url}/${place}`);
      await page.screenshot({ path: path.join(pictures, `${name}-phone.png`) });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 390) throw new Error(`the page is ${width} pixels wide`);
    };
  all["programs run in the page"] = (page, problems) => runPrograms(page, `${url}/live.html`, problems);
  all["a program can be changed"] = (page) => changeProgram(page, `${url}/live.html`);
  all["the viewer shows the sample"] = async (page) => {
    await open(page, `${url}/live.html`);
    await page.locator('zarr-viewer .zw-viewer[data-state="ready"]').waitFor({ timeout: 60_000 });
  };
  for (const [query, title] of Object.entries(firstResults))
    all[`search for "${query}" finds "${title}" first`] = async (page) => {
      await open(page, `${url}/start.html`);
      await page.getByRole("button", { name: "Search" }).first().click();
      await page.locator("#localsearch-input").fill(query);
      const first = page.locator(".VPLocalSearchBox .result").first();
      await first.waitFor();
      await page.waitForTimeout(500); // results are replaced while the query is typed
      const found = (await first.locator(".titles").innerText()).replaceAll(/\s+/g, " ").trim();
      if (!found.includes(title)) throw new Error(`the first result is "${found}"`);
    };
  all["a function has an example"] = async (page) => {
    await open(page, `${url}/${pages.function}`);
    await page.locator("#example").waitFor();
  };
  return all;
}

async function open(page, url) {
  const answer = await page.goto(url);
  if (!answer.ok()) throw new Error(`${url} answered ${answer.status()}`);
  await page.locator(".VPContent").waitFor();
  await page.waitForLoadState("networkidle");
}

function expectNone(list) {
  if (list.length > 0) throw new Error(list.join("\n"));
}

/**
 * Violations in VitePress's own theme, by rule: folding groups are buttons that contain a link; the key beside
 * "Search".
 */
const ofTheTheme = {
  "nested-interactive": '.item[role="button"]',
  "label-content-name-mismatch": ".DocSearch",
};

/** Violations of WCAG 2.2 up to AA, or of good practice. */
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  return found.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ target }) => !(id in ofTheTheme && String(target).includes(ofTheTheme[id])))
      .map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
  );
}

async function runPrograms(page, url, problems) {
  await open(page, url);
  const examples = page.locator(".live-example");
  const found = await examples.count();
  if (found < 4) throw new Error(`found only ${found} programs in the pages`);
  for (let i = 0; i < found; i++) {
    const example = examples.nth(i);
    await example.locator(".live-run").click();
    await page.waitForFunction(
      (at) => /done|failed/.test(document.querySelectorAll(".live-example")[at].dataset.state),
      i,
      { timeout: 30_000 },
    );
    const text = await example.locator(".live-output").textContent();
    if ((await example.getAttribute("data-state")) !== "done" || text.trim() === "")
      throw new Error(`program ${i + 1}: ${text}`);
    console.log(`  program ${i + 1}: ${text.split("\n")[0]}`);
  }
  if ((await page.locator(".live-pictures canvas").count()) !== 1) throw new Error("no picture was drawn");
  await page.screenshot({ path: path.join(pictures, "programs.png"), fullPage: true });
  expectNone(await violations(page));
  expectNone(problems);
}

async function changeProgram(page, url) {
  await open(page, url);
  const example = page.locator(".live-example").first();
  await example.getByRole("button", { name: "Change it" }).click();
  await example.locator("textarea").fill('console.log("changed", 1 + 1);');
  await example.locator(".live-run").click();
  await example.locator(".live-output", { hasText: "changed 2" }).waitFor();
}

/** Runs one test in a new page. */
async function toItsEnd(browser, name, test) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const problems = [];
  page.on("console", (message) => {
    // Requests for documents of other Zarr versions fail with 404.
    const isProbe = message.text().includes("404") && message.location().url.includes("/samples/");
    if (["error", "warning"].includes(message.type()) && !isProbe) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  try {
    await test(page, problems);
    console.log(`✓ ${name}`);
    return true;
  } catch (error) {
    console.error(`✗ ${name}\n  ${error.message.replaceAll("\n", "\n  ")}`);
    return false;
  } finally {
    await page.close();
  }
}

async function main() {
  if (!process.argv.includes("built")) run(process.execPath, [path.join(root, "scripts/docs.mjs")]);
  step("The site in Chromium");
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const server = await startServer({ mounts: { "/": siteOutput } });
  const browser = await launchChromium();
  let [passed, failed] = [0, 0];
  try {
    for (const [name, test] of Object.entries(tests(server.url))) {
      if (await toItsEnd(browser, name, test)) passed++;
      else failed++;
    }
  } finally {
    await browser.close();
    await server.close();
  }
  return summarise([{ name: "docs", ...count(true, passed, failed) }]);
}

runMain(main);
