/**
 * The library in every engine and every script context, under the strict policy, with and without
 * cross-origin isolation. The suite itself (suite/) runs there; this file collects its results.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../node/support/amounts.js";
import { skipNow } from "../shared/skips.js";
import type { SuiteReport } from "./contexts/host.js";
import type { Pages } from "./drivers/driver.js";
import { engines, startPages } from "./engines.js";
import { documented, noteContext } from "./matrix.js";
import { type Site, startSite } from "./site.js";
import "./suite/all.js";
import { cases } from "./suite/registry.js";

const contexts = [
  "page",
  "module worker",
  "shared worker",
  "service worker, classic",
  "service worker, module",
];

/** Both kinds of page, and pages, workers and service workers; all of each with ZARR_WASM_WHOLE=1. */
const sampled: Record<string, readonly string[]> = {
  isolated: ["page", "module worker"],
  "not isolated": ["page", "service worker, classic"],
};
const contextsOf = (isolation: string) => (isWhole ? contexts : sampled[isolation]!);

/** Violations that the suite provokes: compiling code from strings, and requests to another server. */
const expectedViolations = /^script-src (eval)?$|^connect-src http:\/\/127\.0\.0\.2/;

describe.each(engines)("%s", (engine) => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await startPages(engine);
  });
  afterAll(() => pages?.close());

  describe.each(["not isolated", "isolated"] as const)("%s", (isolation) => {
    let site: Site;
    beforeAll(async () => {
      site = await startSite(isolation === "isolated");
    });
    afterAll(() => site?.close());

    describe.each(contextsOf(isolation))("%s", (context) => {
      let report: SuiteReport;
      beforeAll(async () => {
        const coming = site.nextReport<SuiteReport>();
        await pages.open(`${site.url}/pages/suite.html?context=${encodeURIComponent(context)}`);
        report = await coming;
        noteContext(engine, isolation, context, report);
      });

      it("exists if documented", () => {
        const promised = documented(engine, isolation, context);
        if (promised) expect(report.facts, report.missing).toMatchObject(promised);
      });

      it.for([...cases.keys()])("%s", (name, context) => {
        // The context is missing; one that ended early has failed.
        if (!report.facts) skipNow(context, report.missing ?? `there is no ${engine} here`);
        const outcome = report.outcomes[name] ?? {
          status: "failed",
          message: report.missing ?? "it did not run",
        };
        if (outcome.status === "skipped") skipNow(context, outcome.reason);
        if (outcome.status === "failed") throw new Error(outcome.message);
      });
    });

    it("only the provoked requests violated the policy", () => {
      expect(site.violations.filter((violation) => !expectedViolations.test(violation))).toEqual([]);
    });

    it("a policy that forbids WebAssembly is a clear error, in a page and in a worker", async () => {
      const coming = site.nextReport<Record<string, string>>();
      await pages.open(`${site.url}/no-wasm/pages/forbidden.html`);
      const report = await coming;
      for (const text of [report["page"], report["worker"]])
        expect(text).toMatch(/^EngineFailed: decode\.wasm could not be (loaded|started): /);
    });
  });
});
