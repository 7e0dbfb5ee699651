/** The tests' fixtures: a server with the strict policy, a viewer page, and a watch for trouble. */
import { test as base, expect, type Page } from "@playwright/test";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import { embedFolder, groupsFolder, packageMounts, pagesFolder, storesFolder } from "../shared/places.js";
import { ViewerPage } from "./viewer-page.js";

/** Documents that opening looks for: most of them are not there, which browsers report as errors. */
const probe =
  /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata|meta|repo|refs\/branch\.main\/ref\.json)$/;

/** What a page complained about. */
export class Problems {
  readonly all: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Browsers report failed requests as errors, even where a test makes them fail. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  get unexpected(): string[] {
    return this.all.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }

  async watch(page: Page): Promise<void> {
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      // Said where there is no graphics processor, of pictures that are read back.
      if (/GL Driver Message .* GPU stall/.test(message.text())) return;
      if (!probe.test(message.location().url)) this.all.push(message.text());
    });
    page.on("pageerror", (error) => this.all.push(`uncaught: ${error.message}`));
    await page.exposeFunction("reportViolation", (text: string) => this.all.push(`policy: ${text}`));
    // There may be no graphics processor here: WebGL2 is what is tested, however slow.
    await page.addInitScript(() => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (
        this: HTMLCanvasElement,
        kind: string,
        options = {},
      ) {
        return getContext.call(
          this,
          kind as "2d",
          { ...options, failIfMajorPerformanceCaveat: false } as object,
        );
      } as typeof getContext;
      const { getExtension } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.getExtension = function (this: WebGL2RenderingContext, name: string) {
        return name === "WEBGL_debug_renderer_info"
          ? null
          : getExtension.call(this, name as "WEBGL_multi_draw");
      } as typeof getExtension;
    });
    await page.addInitScript(() => {
      const { reportViolation } = globalThis as unknown as { reportViolation(text: string): void };
      document.addEventListener("securitypolicyviolation", (event) => {
        reportViolation(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }
}

interface WorkerFixtures {
  /** Address of the server. */
  site: string;
}

interface TestFixtures {
  /** Fails a test whose page had problems that it did not expect. */
  problems: Problems;
  viewer: ViewerPage;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures needed from the pattern
    async ({}, use) => {
      const server = await startServer({
        policy: strictPolicy,
        mounts: {
          ...packageMounts,
          "/stores/": storesFolder,
          "/groups/": groupsFolder,
          "/listed/": { root: groupsFolder, isData: true },
          "/pages/": pagesFolder,
          "/embed/": embedFolder,
        },
      });
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],
  problems: [
    async ({ page }, use) => {
      const problems = new Problems();
      await problems.watch(page);
      await use(problems);
      expect(problems.unexpected).toEqual([]);
    },
    { auto: true },
  ],
  viewer: async ({ page, site }, use) => {
    await use(new ViewerPage(page, site));
  },
});

export { expect } from "@playwright/test";
