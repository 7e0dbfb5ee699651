// The viewer's single script for pages; sizes.test.ts has the budgets of its download and the element's.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { viewerFolder } from "../../shared/places.js";

it("is one script for pages, which loads its parts from beside it", () => {
  const script = readFileSync(path.join(viewerFolder, "viewer.min.js"), "utf8");
  const names = [...script.matchAll(/(?:from|import)\s*["'`]([^"'`]+)["'`]/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !/^\.\/[a-z0-9-]+-[a-z0-9]{8}\.js$/.test(name))).toEqual([]);
});
