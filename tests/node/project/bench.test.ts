// The benchmarks' modules load, every target names an existing row, and docs/performance.md and docs/benchmarks.md show
// bench/results.json. Nothing is measured.
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { chartsOf, documentOf, glanceCosts, glances, pages, readResults } from "../../../bench/documents.mjs";
import { driftOf, historyRows, readHistory, warningsOf } from "../../../bench/history.mjs";
import { packageSuites } from "../../../bench/suites/package.mjs";
import { judge, targetOf, targets, viewerTargets } from "../../../bench/targets.mjs";
import { viewerSuite } from "../../../bench/viewer/suite.mjs";

const text = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
const results = readResults();
const names = results.map(({ name }) => name);

it("every target has a row, and every row one target at most", () => {
  for (const target of targets)
    expect(
      names.filter((name) => target.pattern.test(name)),
      String(target.pattern),
    ).not.toEqual([]);
  for (const name of names)
    expect(targets.filter(({ pattern }) => pattern.test(name)).length, name).toBeLessThan(2);
  expect(targetOf("nothing of this name")).toBeUndefined();
});

it("every row of the viewer has one target, and every such target a row", () => {
  const rows = viewerSuite("unused").suite.flatMap(({ rows }) => rows);
  expect(new Set(rows).size).toBe(rows.length);
  for (const name of rows)
    expect(viewerTargets.filter(({ pattern }) => pattern.test(name)).length, name).toBe(
      /(?:1,024|second visit) .* requests/.test(name) ? 0 : 1,
    );
  for (const { pattern } of viewerTargets)
    expect(
      rows.some((name) => pattern.test(name)),
      String(pattern),
    ).toBe(true);
});

it("the suites yield rows of the names in bench/results.json", () => {
  const yielded = packageSuites("unused").flatMap(({ rows }) => rows);
  expect(yielded.length).toBeGreaterThan(100);
  expect(new Set(yielded).size).toBe(yielded.length);
  expect(yielded.filter((name) => !names.includes(name))).toEqual([]);
});

it("rows are numbers, and ratios follow from them", () => {
  for (const { name, value, baseline, ratio } of results) {
    expect(Number.isFinite(value) && baseline > 0, name).toBe(true);
    expect(Math.abs(ratio - value / baseline), name).toBeLessThanOrEqual(0.002 * ratio);
  }
});

it("the pages and their charts show bench/results.json: node bench/documents.mjs writes them", () => {
  for (const page of pages) expect(documentOf(page, text(page), results), page).toBe(text(page));
  for (const [name, svg] of Object.entries(chartsOf(results)))
    expect(text(`docs/charts/${name}`), name).toBe(svg);
});

it("docs/performance.md is one screen of results and the method", () => {
  for (const [what, , isOfIt] of glances) expect(names.filter(isOfIt).length, what).toBeGreaterThan(1);
  for (const [what, start] of glanceCosts)
    expect(names.filter((name) => name.startsWith(start)).length, what).toBe(1);
  const document = text("docs/performance.md");
  const screen = document.slice(0, document.indexOf("\n## "));
  expect(screen.split("\n").length).toBeLessThan(40);
  expect(screen.match(/!\[/g)).toHaveLength(2);
  expect(document.split("\n").length).toBeLessThan(70);
  expect(titlesOf(document)).toEqual(["Method", "Measure it"]);
});

it("docs/benchmarks.md ends with the targets that were missed", () => {
  const document = text("docs/benchmarks.md");
  expect(titlesOf(document).at(-1)).toBe("Targets");
  const [, list] = document.split("\n## Targets\n");
  expect(list).toMatch(/\d+ of the \d+ rows that have a target met it/);
  for (const page of pages) expect(text(page)).not.toMatch(/(NaN|Infinity|undefined)/);
});

it("every missed target has a reason", () => {
  for (const row of results) {
    const target = targetOf(row.name);
    if (target && judge(target, row) === "missed") expect(target.reason, row.name).toBeTruthy();
  }
});

it("the history records at most 40 rows, each of which is in bench/results.json", () => {
  const recorded = Object.values(historyRows);
  expect(recorded.length).toBeLessThanOrEqual(40);
  expect(recorded.filter((name) => !names.includes(name))).toEqual([]);
  for (const { commit, date, machine, ratios } of readHistory()) {
    expect([commit, date, machine].every((part) => typeof part === "string" && part !== "")).toBe(true);
    for (const [key, ratio] of Object.entries(ratios)) expect(ratio, key).toBeGreaterThanOrEqual(0);
  }
});

it("the history warns of rows that are more than 5 % worse than before on the same machine", () => {
  const line = (machine: string, set: number, startup: number) => {
    return { commit: "0", date: "2026-01-01", machine, ratios: { set, startup } };
  };
  const history = [line("a", 2, 0.5), line("b", 9, 0.1), line("a", 1.91, 0.52)];
  expect(driftOf(history).map(({ values }) => values)).toEqual([
    [2, 1.91],
    [0.5, 0.52],
  ]);
  expect(warningsOf(history)).toEqual([]);
  expect(warningsOf([...history, line("a", 1.8, 0.4)])).toEqual([
    "warning: bench/history.jsonl: set: 1.8 after 1.91, 6 % worse",
  ]);
  expect(warningsOf([...history, line("a", 3, 0.6)])[0]).toContain("startup: 0.6 after 0.52, 15 % worse");
  expect(warningsOf([line("a", 2, 0.5), line("b", 1, 1)])).toEqual([]);
  expect(warningsOf([])).toEqual([]);
});

const titlesOf = (document: string) => [...document.matchAll(/^## (.*)$/gm)].map(([, title]) => title);

it("linked charts and pages exist", () => {
  for (const file of ["README.md", ...pages])
    for (const [, link] of text(file).matchAll(/\]\(((?:docs\/)?charts\/[^)]+)\)/g))
      expect(
        existsSync(new URL(`../../../${file === "README.md" ? "" : "docs/"}${link}`, import.meta.url)),
        link,
      ).toBe(true);
});
