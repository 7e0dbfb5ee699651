// npm run test:compat -- origins zarrita PATH | numcodecs PATH: runs the tests of the package that a drop-in replaces
// against the built package. PATH is a checkout of its repository with installed dependencies. Fails for tests that
// fail and are not listed as different, and for listed tests that pass.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { differences } from "../../tests/origins/zarrita-differences.mjs";
import { distDir, root, tempDir } from "../lib/paths.mjs";
import { runMain, SetupError } from "../lib/process.mjs";
import { count, reportsDir, runVitest, summarise } from "../lib/reports.mjs";

/** Returns the entry of a listed test. */
function differenceOf(file, name) {
  return differences.find((entry) => file.endsWith(entry.file) && name.startsWith(entry.test ?? ""));
}

function testZarrita(checkout) {
  mkdirSync(reportsDir, { recursive: true });
  const { report } = runVitest("zarrita", {
    args: ["--config=tests/origins/zarrita.config.mjs", "--silent", "--reporter=dot"],
    env: { ZARRITA_CHECKOUT: checkout },
  });
  const counts = { passed: 0, different: 0, failed: 0, skipped: 0 };
  const reasons = new Map();
  const stale = new Set(differences);
  for (const { name: file, assertionResults, message } of report.testResults) {
    const tests = assertionResults.length > 0 ? assertionResults : [{ fullName: "", status: "failed" }];
    for (const { fullName, status } of tests) {
      const listed = differenceOf(file, fullName);
      if (status === "passed") counts.passed++;
      else if (status !== "failed") counts.skipped++;
      else if (listed) {
        counts.different++;
        stale.delete(listed);
        reasons.set(listed.reason, (reasons.get(listed.reason) ?? 0) + 1);
      } else {
        counts.failed++;
        console.error(`failed, and not listed: ${file}: ${fullName || message}`);
      }
    }
  }
  for (const { file, test = "" } of stale) console.error(`listed, and passes: ${file}: ${test}`);
  counts.failed += stale.size;
  for (const [reason, count] of reasons) console.log(`  ${count} × ${reason}`);
  console.log(`${counts.different} different as documented, ${counts.skipped} skipped`);
  const skipped = Array(counts.skipped).fill("zarrita skips it");
  return { name: "zarrita's tests", ...counts, skipped };
}

/**
 * numcodecs' tests call GZip and Zlib without awaiting them, which are asynchronous here, and compare error messages.
 */
const awaited = (text) =>
  text
    .replaceAll("= checkEncodeDecode(", "= await checkAsyncEncodeDecode(")
    .replaceAll("checkEncodeDecode }", "checkAsyncEncodeDecode }")
    .replaceAll(/^( *)(codec\.\w+\(\w+\)\.then\()/gm, "$1await $2")
    .replaceAll(/error\.message\.match\([^)]*\)/g, "error.message")
    .replaceAll(/\((['"].*['"]), t =>/g, "($1, async t =>");

async function testNumcodecs(checkout) {
  const own = path.join(distDir, "bundle/numcodecs.js");
  const outfile = path.join(tempDir(), "numcodecs-tests.mjs");
  const plugin = {
    name: "zarr-wasm",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/dist\/index\.js$/ }, () => ({ path: own, external: true }));
      onLoad({ filter: /\.test\.js$/ }, async (file) => ({
        contents: awaited(await readFile(file.path, "utf8")),
      }));
    },
  };
  const entryPoints = [path.join(checkout, "test/index.test.js")];
  // Its tests are modules with side effects, but its package.json declares none.
  const options = {
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    ignoreAnnotations: true,
  };
  await build({ ...options, entryPoints, outfile, plugins: [plugin] });
  const { stdout, status } = spawnSync(process.execPath, [outfile], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [passed, failed] = [/^# pass +(\d+)/m, /^# fail +(\d+)/m].map((line) =>
    Number(line.exec(stdout)?.[1] ?? 0),
  );
  if (failed > 0) console.error(stdout);
  return { name: "numcodecs' assertions", ...count(status === 0, passed, failed) };
}

const origins = { zarrita: testZarrita, numcodecs: testNumcodecs };

runMain(async () => {
  const [name, given] = process.argv.slice(2);
  const test = origins[name];
  if (!test || !given) throw new SetupError("usage: npm run test:compat -- origins zarrita|numcodecs PATH");
  const checkout = path.resolve(root, given);
  if (!existsSync(path.join(checkout, "package.json"))) throw new SetupError(`${checkout} is not a checkout`);
  return summarise([await test(checkout)]);
});
