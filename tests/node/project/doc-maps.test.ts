// The samples of docs/maps.md, docs/deckgl.md and docs/maplibre.md are the files of examples/maps, which
// npm run test:compat -- maps builds and opens.
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root, samplesOf, textOf } from "../support/doc-samples.js";

it("docs/maps.md shows what the pages do", () => {
  const folder = "examples/maps";
  const names = readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".js"));
  const programs = names.map((name) => textOf(`${folder}/${name}`));
  const parts = samplesOf("docs/maps.md").slice(1);
  expect(parts).toHaveLength(4);
  for (const { text } of parts)
    expect(
      programs.some((program) => program.includes(text)),
      text,
    ).toBe(true);
});

it.each([
  ["docs/deckgl.md", ["deck.html", "deck.js", "maps.js"]],
  ["docs/maplibre.md", ["maplibre.html", "maplibre.js"]],
])("%s shows the complete program", (page, files) => {
  const shown = samplesOf(page).map(({ text }) => text);
  for (const file of files) expect(shown, file).toContain(textOf(`examples/maps/${file}`));
});
