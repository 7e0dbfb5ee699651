// What npm test counts in Vitest's reports.
import { expect, it } from "vitest";
import { failuresIn } from "../../scripts/lib/reports.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

it("counts a failing test once, however many blocks are around it", () => {
  const testResults = [file("failed", "failed", "passed"), file("passed", "passed")];
  expect(failuresIn({ numFailedTests: 1, numFailedTestSuites: 4, testResults })).toBe(1);
});

it.each([
  ["that could not be loaded", file("failed")],
  ["whose tests were not run", file("failed", "skipped", "skipped")],
  ["that failed after its tests", file("failed", "passed")],
])("counts a file %s", (_, failed) => {
  const testResults = [failed, file("failed", "failed", "failed")];
  expect(failuresIn({ numFailedTests: 2, numFailedTestSuites: 3, testResults })).toBe(3);
});

it("counts nothing where nothing failed, and in no report", () => {
  const testResults = [file("passed", "passed", "skipped")];
  expect(failuresIn({ numFailedTests: 0, numFailedTestSuites: 0, testResults })).toBe(0);
  expect(failuresIn({})).toBe(0);
});
