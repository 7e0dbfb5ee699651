/** Test fixtures: a server with the strict policy, a viewer page, and a recorder of page errors. */
import { test as base, expect, type Page } from "@playwright/test";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import {
  embedFolder,
  groupsFolder,
  layersFolder,
  packageMounts,
  pagesFolder,
  storesFolder,
} from "../shared/places.js";
import { ViewerPage } from "./viewer-page.js";

/** Documents probed on opening: most are missing, which browsers report as errors. */
const probe =
  /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata|meta|repo|refs\/branch\.main\/ref\.json)$/;

/** Errors and warnings of a page. */
export class Problems {
  readonly all: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Browsers report failed requests as errors, even if a test provokes them. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  get unexpected(): string[] {
    return this.all.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }

  async watch(page: Page): Promise<void> {
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      // Reported without a GPU when pictures are read back.
      if (/GL Driver Message .* GPU stall/.test(message.text())) return;
      if (!probe.test(message.location().url)) this.all.push(message.text());
    });
    page.on("pageerror", (error) => this.all.push(`uncaught: ${error.message}`));
    await page.exposeFunction("reportViolation", (text: string) => this.all.push(`policy: ${text}`));
    // WebGL2 is tested even without a GPU, however slow.
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
  /** Fails a test whose page had unexpected problems. */
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
          "/layers/": layersFolder,
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
