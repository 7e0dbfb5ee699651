// npm run api: reports of the public types, tests/api/*.api.md, made from the built declarations (API Extractor).
//   npm run api -- --check     writes nothing; fails if a report differs, and prints the difference
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { typedEntries } from "./lib/entries.mjs";
import { ensureSitePackages, siteTool } from "./lib/npm.mjs";
import { buildDir, root } from "./lib/paths.mjs";
import { attempt, runMain, SetupError, step } from "./lib/process.mjs";

const reports = path.join(root, "tests/api");
const made = path.join(buildDir, "api");

/** Makes API Extractor write the report of one entry. @throws if the declarations cannot be understood. */
function extract({ Extractor, ExtractorConfig }, { report: name, folder, targets }) {
  const configObject = {
    projectFolder: root,
    mainEntryPointFilePath: path.join(folder, targets.types),
    newlineKind: "lf",
    compiler: { tsconfigFilePath: path.join(root, "docs/site/tsconfig.json"), skipLibCheck: true },
    apiReport: {
      enabled: true,
      reportFileName: `${name}.api.md`,
      reportFolder: made,
      reportTempFolder: path.join(made, "temp"),
    },
    docModel: { enabled: false },
    dtsRollup: { enabled: false },
    messages: {
      extractorMessageReporting: {
        default: { logLevel: "none" },
        "ae-forgotten-export": { logLevel: "none" },
      },
      tsdocMessageReporting: { default: { logLevel: "none" } },
    },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: path.join(root, "docs/site/api-extractor.json"),
    packageJsonFullPath: path.join(folder, "package.json"),
  });
  const messageCallback = (message) => {
    if (["info", "verbose", "warning"].includes(message.logLevel)) message.logLevel = "none";
  };
  const { errorCount } = Extractor.invoke(config, { localBuild: true, messageCallback });
  if (errorCount > 0) throw new SetupError(`the types of ${name} cannot be reported`);
}

/** Contents of reports by file name. */
function readReports(folder) {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder).filter((name) => name.endsWith(".api.md"));
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}

function check(wanted) {
  const there = readReports(reports);
  const names = [...new Set([...wanted.keys(), ...there.keys()])];
  const differing = names.filter((name) => wanted.get(name) !== there.get(name));
  for (const name of differing) {
    const files = [reports, made].map((folder) => path.join(folder, name));
    attempt("git", [
      "--no-pager",
      "diff",
      "--no-index",
      "--",
      ...files.map((file) => (existsSync(file) ? file : "/dev/null")),
    ]);
  }
  if (differing.length === 0) return 0;
  console.error(
    `\nThe public types differ from ${differing.join(", ")} in tests/api. If that is meant: npm run api`,
  );
  return 1;
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  if (!existsSync(path.join(root, "dist/index.d.ts")))
    throw new SetupError("dist is not built: npm run build");
  ensureSitePackages();
  const extractor = (await import(siteTool("@microsoft/api-extractor", "module"))).default;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  step("Reporting the public types");
  for (const entry of typedEntries()) extract(extractor, entry);
  const wanted = readReports(made);
  if (values.check) return check(wanted);
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports);
  for (const [name, text] of wanted) writeFileSync(path.join(reports, name), text);
  console.log(`${wanted.size} reports are in tests/api`);
  return 0;
}

runMain(main);
