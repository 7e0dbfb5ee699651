// npm run check -- screens: takes screenshots of the viewer's samples and of the fixtures of its tests, light and dark,
// at three sizes. Fails if a page reports an error, is wider than its window, or violates a rule of axe-core.
//   npm run check -- screens scatter     only the screens whose names contain "scatter"
// build/screens/index.html shows all of them. The last line is "N passed, N failed".
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ensureSamples } from "../../examples/samples/samples.mjs";
import { buildDir } from "../lib/paths.mjs";
import { runMain } from "../lib/process.mjs";
import { runPlaywright, summarise } from "../lib/reports.mjs";

const folder = path.join(buildDir, "screens");

/** A row for each screen: its pictures by size and scheme. */
function contactSheet() {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".png"))
    .sort();
  const names = [...new Set(files.map((file) => file.split("_")[0]))];
  const picture = (file) => `<a href="${file}"><img src="${file}" alt="${file}"></a>`;
  const row = (name) => {
    const pictures = files.filter((file) => file.startsWith(`${name}_`)).map(picture);
    return `<h2>${name}</h2>\n<p>${pictures.join("")}</p>`;
  };
  const style = "body { font: 14px sans-serif; background: #888 } img { height: 300px; margin: 4px }";
  return `<!doctype html><meta charset="utf-8"><title>Screens</title><style>${style}</style>\n${names.map(row).join("\n")}\n`;
}

runMain(async () => {
  await ensureSamples();
  mkdirSync(folder, { recursive: true });
  const names = process.argv.slice(2);
  const chosen = names.length > 0 ? [`--grep=${names.join("|")}`] : [];
  const result = runPlaywright("screens", ["--config=tests/screens/playwright.config.ts", ...chosen]);
  writeFileSync(path.join(folder, "index.html"), contactSheet());
  console.log(`Pictures: ${path.join(folder, "index.html")}`);
  return summarise([{ name: "screens", ...result }]);
});
