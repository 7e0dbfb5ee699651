// Failures and skipped tests that npm test and continuous integration count in each runner's report.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  count,
  failuresIn,
  failuresInGtest,
  failuresInPlaywright,
  lastInGtest,
  repeatsIn,
  runEach,
  skipsIn,
  skipsInGtest,
  skipsInPlaywright,
  summarise,
  testsInGtest,
  timesIn,
  timesInGtest,
  timesInPlaywright,
} from "../../../scripts/lib/reports.mjs";
import { skipFor, unsupportedSystem } from "../../shared/skips.js";
import { missingModule } from "../support/python-zarr.js";
import { tempFolder } from "../support/writing-tools.js";

const file = (name: string, status: string, ...tests: string[]) => ({
  name: path.resolve(name),
  status,
  assertionResults: tests.map((test, i) => ({ status: test, fullName: `block test ${i}` })),
});

it("lists a failing test once, however many blocks are around it", () => {
  const testResults = [file("a.ts", "failed", "failed", "passed"), file("b.ts", "passed", "passed")];
  expect(failuresIn({ numFailedTestSuites: 4, testResults })).toEqual(["a.ts: block test 0"]);
});

it.each([
  ["that could not be loaded", file("a.ts", "failed")],
  ["whose tests were not run", file("a.ts", "failed", "skipped", "skipped")],
  ["that failed after its tests", file("a.ts", "failed", "passed")],
])("lists a file %s", (_, failed) => {
  const testResults = [failed, file("b.ts", "failed", "failed", "failed")];
  expect(failuresIn({ testResults })).toEqual(["a.ts", "b.ts: block test 0", "b.ts: block test 1"]);
});

it("lists nothing if nothing failed or a report is missing", () => {
  const testResults = [file("a.ts", "passed", "passed", "skipped")];
  expect(failuresIn({ testResults })).toEqual([]);
  expect(failuresIn({})).toEqual([]);
});

it("lists the first line of a test's first error", () => {
  const failed = file("a.ts", "failed", "failed");
  Object.assign(failed.assertionResults[0]!, { failureMessages: ["expected 1 to be 2\n    at a.ts:1"] });
  expect(failuresIn({ testResults: [failed] })).toEqual(["a.ts: block test 0: expected 1 to be 2"]);
});

it("lists tests that passed at the second attempt, with the first error", () => {
  const passed = file("a.ts", "passed", "passed", "passed");
  Object.assign(passed.assertionResults[1]!, { meta: { firstError: "expected 1 to be 2\nat a.ts:1" } });
  expect(repeatsIn({ testResults: [passed] })).toEqual(["a.ts: block test 1: expected 1 to be 2"]);
  expect(repeatsIn({})).toEqual([]);
});

it("lists the failures of Playwright by file, title and error, apart from tests that passed when repeated", () => {
  const spec = (title: string, status: string, ...messages: string[]) => {
    const results = messages.map((message) => ({ error: { message } }));
    return { file: "a.spec.ts", title, tests: [{ status, results: [...results, {}] }] };
  };
  const two = spec("two", "unexpected", "\u001b[31mnot\u001b[39m visible\nCall log:", "not there");
  const suites = [{ specs: [spec("one", "expected")], suites: [{ specs: [two, spec("three", "flaky")] }] }];
  expect(failuresInPlaywright({ suites })).toEqual(["a.spec.ts: two: not visible"]);
  expect(failuresInPlaywright({ suites }, "flaky")).toEqual(["a.spec.ts: three"]);
  expect(failuresInPlaywright({})).toEqual([]);
});

it("counts the cases of GoogleTest, and lists the failed and skipped ones", () => {
  const head = (name: string, result: string) =>
    `<testcase name="${name}" file="a.cpp" line="1" status="run" result="${result}" time="0" classname="All/A"`;
  const xml = `<testsuites tests="4"><testsuite name="All/A">
    ${head("Passes/0", "completed")} />
    ${head("Fails/1", "completed")}>
      <failure message="a.cpp:3&#x0A;1 &lt; 2" type=""><![CDATA[a.cpp:3
1 < 2]]></failure>
    </testcase>
    ${head("Skips", "skipped")}>
      <skipped message="a.cpp:2&#x0A;no &quot;c-blosc&quot;"><![CDATA[a.cpp:2
no "c-blosc"]]></skipped>
    </testcase>
    ${head("DISABLED_Off", "suppressed")} /></testsuite></testsuites>`;
  expect(testsInGtest(xml)).toBe(4);
  expect(failuresInGtest(xml)).toEqual(["All/A.Fails/1"]);
  expect(skipsInGtest(xml)).toEqual(['no "c-blosc"', "no reason given"]);
  expect([testsInGtest(""), failuresInGtest(""), skipsInGtest("")]).toEqual([0, [], []]);
});

it("names the case of GoogleTest that ended its process", () => {
  const output =
    "[ RUN      ] A.Passes\n[       OK ] A.Passes (0 ms)\n[ RUN      ] All/A.Dies/1\nSegmentation fault";
  expect(lastInGtest(output)).toBe("All/A.Dies/1");
});

it("runs tests to the last, and lists those that found faults or threw", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  try {
    const test = async (name: string) => {
      if (name === "throws") throw new Error("no disk");
      return name === "fails" ? ["no fish", "no bird"] : [];
    };
    const counts = await runEach(["throws", "fails", "passes"], test);
    expect(counts).toEqual({ passed: 1, failed: 2, skipped: [], failures: ["throws", "fails"] });
    expect(log.mock.calls.flat()).toEqual(["  ✗ throws"]);
    expect(error.mock.calls.flat()).toEqual(["    no disk", "    no fish", "    no bird"]);
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
});

describe("the times of tests", () => {
  it("come from each runner's report, without tests that did not run", () => {
    const [ran, skipped] = [{ fullName: "swims", duration: 1500 }, { fullName: "floats" }];
    const testResults = [{ name: path.resolve("a.ts"), assertionResults: [ran, skipped] }];
    expect(timesIn({ testResults })).toEqual([{ title: "a.ts: swims", seconds: 1.5 }]);
    const results = [{ duration: 2000, error: { message: "not visible" } }, { duration: 500 }];
    const suites = [{ specs: [{ file: "a.spec.ts", title: "one", tests: [{ status: "flaky", results }] }] }];
    expect(timesInPlaywright({ suites })).toEqual([{ title: "a.spec.ts: one", seconds: 2.5 }]);
    const xml = `<testcase name="One" file="a.cpp" line="1" status="run" result="completed" time="0.25" timestamp="t" classname="A" />`;
    expect(timesInGtest(xml)).toEqual([{ title: "A.One", seconds: 0.25 }]);
    expect([timesIn({}), timesInPlaywright({}), timesInGtest("")]).toEqual([[], [], []]);
  });

  it("are printed for each suite and the ten slowest tests, above the counts", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      const times = Array.from({ length: 7 }, (_, i) => ({ title: `t${i}`, seconds: i + 0.04 }));
      const one = { name: "a", ...count(true, 7, 0), seconds: 61.4, times };
      summarise([one, { ...one, name: "b", times: [...times, { title: "long", seconds: 9 }] }]);
      const lines = log.mock.calls.flat();
      expect(lines.slice(1, 5)).toEqual([
        "a: 7 passed, 0 failed, 61 s",
        "b: 7 passed, 0 failed, 61 s",
        "slowest: 9.0 s, long",
        "slowest: 6.0 s, t6",
      ]);
      expect(lines.slice(3, -1)).toHaveLength(10);
      expect(lines.at(-1)).toBe("14 passed, 0 failed");
    } finally {
      log.mockRestore();
    }
  });
});

describe("skipped tests", () => {
  it("have their reasons from Vitest", () => {
    const tests = [
      { status: "passed", meta: {} },
      { status: "skipped", meta: { skipReason: "no disk" } },
      { status: "pending", meta: {} },
      { status: "failed" },
    ];
    expect(skipsIn({ testResults: [{ assertionResults: tests }] })).toEqual(["no disk", "no reason given"]);
    expect(skipsIn({})).toEqual([]);
  });

  it("have their reasons from Playwright", () => {
    const skip = { type: "skip", description: "no WebGL" };
    const spec = (...tests: object[]) => ({ specs: [{ tests }] });
    const suites = [
      {
        ...spec({ status: "expected", annotations: [skip] }),
        suites: [spec({ status: "skipped", annotations: [skip] })],
      },
      spec({ status: "skipped", annotations: [] }),
    ];
    expect(skipsInPlaywright({ suites })).toEqual(["no WebGL", "no reason given"]);
    expect(skipsInPlaywright({})).toEqual([]);
  });

  it("are counted in the last line, below their reasons and the titles of failed tests", () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      const some = [
        { name: "a", ...count(true, 5, 0, ["no fish", "no disk"]) },
        { name: "b", ...count(true, 2, 1, ["no fish"], ["b.ts: swims"], ["b.ts: floats"]) },
        { name: "c", passed: 1, failed: 0 },
      ];
      expect(summarise(some)).toBe(1);
      expect(log.mock.calls.flat()).toEqual([
        "",
        "a: 5 passed, 0 failed, 2 skipped",
        "b: 2 passed, 1 failed, 1 skipped",
        "c: 1 passed, 0 failed",
        "failed: b.ts: swims",
        "passed at the second attempt: b.ts: floats",
        "skipped 2: no fish",
        "skipped 1: no disk",
        "8 passed, 1 failed, 3 skipped",
      ]);
      log.mockClear();
      expect(summarise([{ name: "a", ...count(true, 5, 0) }])).toBe(0);
      expect(log.mock.calls.flat().at(-1)).toBe("5 passed, 0 failed");
    } finally {
      log.mockRestore();
    }
  });
});

describe(".ci/run", skipFor(unsupportedSystem(process.platform === "linux")), () => {
  const folder = tempFolder("ci");

  /** The output of .ci/run where npm prints these lines for each script. */
  function run(outputs: Record<string, readonly string[]>) {
    mkdirSync(path.join(folder, ".ci"), { recursive: true });
    mkdirSync(path.join(folder, "bin"), { recursive: true });
    cpSync(path.join(import.meta.dirname, "../../../.ci/run"), path.join(folder, ".ci/run"));
    const npm = path.join(folder, "bin/npm");
    const cases = Object.entries(outputs).map(
      ([script, lines]) => `"${script}") printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")};;`,
    );
    writeFileSync(npm, `#!/bin/sh\ncase "$3 $5" in\n${cases.join("\n")}\nesac\n`);
    chmodSync(npm, 0o755);
    const env = { ...process.env, PATH: `${path.join(folder, "bin")}:${process.env["PATH"]}` };
    const { stdout, status } = spawnSync("bash", [path.join(folder, ".ci/run")], { encoding: "utf8", env });
    return { lines: stdout.trimEnd().split("\n"), status };
  }
  const good = {
    "test ": ["skipped 2: no $(fish) [here]", "10 passed, 0 failed, 2 skipped"],
    "test:compat browsers": [
      "skipped 1: no disk",
      "skipped 3: no $(fish) [here]",
      "1 passed, 0 failed, 4 skipped",
    ],
    "test:compat bundlers": ["2 passed, 0 failed"],
    "test:compat runtimes": ["2 passed, 0 failed"],
  };

  it("ends with the sums, below the reasons of all skipped tests", () => {
    const { lines, status } = run(good);
    expect(lines.slice(-3)).toEqual([
      "skipped 5: no $(fish) [here]",
      "skipped 1: no disk",
      "15 passed, 0 failed, 6 skipped",
    ]);
    expect(status).toBe(0);
  });

  it("ends with two sums if no test is skipped", () => {
    const none = {
      ...good,
      "test ": ["10 passed, 0 failed"],
      "test:compat browsers": ["1 passed, 0 failed"],
    };
    const { lines, status } = run(none);
    expect([lines.at(-1), status]).toEqual(["15 passed, 0 failed", 0]);
  });

  it("fails for a script that fails, or does not count", () => {
    const title = "failed: a.ts: $(fish) [here]";
    const failed = run({ ...good, "test:compat bundlers": [title, "2 passed, 1 failed, 1 skipped"] });
    expect([failed.lines.at(-1), failed.status]).toEqual(["15 passed, 1 failed, 7 skipped", 1]);
    expect(failed.lines.at(-4)).toBe(title);
    const silent = run({ ...good, "test:compat bundlers": ["nothing"] });
    expect([silent.lines.at(-1), silent.status]).toEqual(["13 passed, 1 failed, 6 skipped", 1]);
  });
});

const noPython =
  spawnSync("/usr/bin/python3", ["-c", ""]).status === 0 ? undefined : "/usr/bin/python3 is not installed";
it("a module of Python that cannot be imported is a reason", skipFor(noPython), () => {
  const folder = tempFolder("modules");
  writeFileSync(path.join(folder, "json.py"), 'raise ImportError("hidden")');
  const before = process.env["PYTHONPATH"];
  expect(missingModule("json")).toBeUndefined();
  process.env["PYTHONPATH"] = folder;
  try {
    expect(missingModule("json")).toBe("the module json is not installed for /usr/bin/python3");
    expect(missingModule("no_such_module")).toContain("no_such_module");
  } finally {
    if (before === undefined) delete process.env["PYTHONPATH"];
    else process.env["PYTHONPATH"] = before;
  }
});
