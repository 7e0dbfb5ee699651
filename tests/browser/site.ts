/** Test fixtures: a server with the strict policy, a viewer page, and a recorder of page errors. */
import { test as base, expect, type Page } from "@playwright/test";
import { publicData } from "../../build/viewer/source/public-data.js";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import {
  embedFolder,
  groupsFolder,
  layersFolder,
  looksFolder,
  packageMounts,
  pagesFolder,
  storesFolder,
} from "../shared/places.js";
import { pretendGpu, ViewerPage } from "./viewer-page.js";

/** Documents probed on opening: most are missing, which browsers report as errors. */
const probe =
  /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata|meta|repo|refs\/branch\.main\/ref\.json)$/;

/** Thumbnails of the start page that the policy of the tests does not allow. */
const thumbnails = new Set(
  Object.values(publicData)
    .flat()
    .map(({ source }) => new URL(source).origin),
);

/** Errors and warnings of a page. */
export class Problems {
  readonly all: string[] = [];
  readonly #expected: RegExp[] = [];

  /** Browsers report failed requests as errors, even if a test provokes them. */
  expect(...patterns: RegExp[]): void {
    this.#expected.push(...patterns);
  }

  get unexpected(): string[] {
    const isThumbnail = (text: string) =>
      /policy/i.test(text) && [...thumbnails].some((origin) => text.includes(origin));
    const isExpected = (text: string) => this.#expected.some((pattern) => pattern.test(text));
    return this.all.filter((text) => !isThumbnail(text) && !isExpected(text));
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
    await page.addInitScript(() => {
      const { reportViolation } = globalThis as unknown as { reportViolation(text: string): void };
      document.addEventListener("securitypolicyviolation", (event) => {
        reportViolation(`${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }
}

interface WorkerFixtures {
  /** Folder of the gallery's samples. */
  samples: string;
  /** Address of the server. */
  site: string;
}

/** Shows the panels of all tabs at once, unfolded, so that tests of controls need not open them. */
const unfoldPanels = (page: Page) =>
  page.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      ".zw-tab-panel { display: block !important } .zw-card > details::details-content, .zw-gene-more::details-content { content-visibility: visible; block-size: auto }",
    );
    document.adoptedStyleSheets.push(sheet);
  });

interface TestFixtures {
  /** Whether all panels are visible. Default: true; tests of the layout see what users see. */
  unfolded: boolean;
  /** Whether planes are drawn by WebGL. Default: false, a 2-D context, which is faster without a GPU. */
  webgl: boolean;
  /** Fails a test whose page had unexpected problems. */
  problems: Problems;
  viewer: ViewerPage;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  samples: [looksFolder, { scope: "worker", option: true }],
  site: [
    async ({ samples }, use) => {
      const server = await startServer({
        policy: strictPolicy,
        mounts: {
          ...packageMounts,
          "/samples/": { root: samples, isData: true },
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
  webgl: [false, { option: true }],
  unfolded: [true, { option: true }],
  problems: [
    async ({ page, site, webgl, unfolded }, use) => {
      // Of the tests before: stored responses, private files, limits of storage.
      const session = await page.context().newCDPSession(page);
      await session.send("Storage.clearDataForOrigin", { origin: site, storageTypes: "all" });
      await session.send("Storage.overrideQuotaForOrigin", { origin: site });
      await session.detach();
      const problems = new Problems();
      await problems.watch(page);
      await pretendGpu(page, webgl);
      if (unfolded) await unfoldPanels(page);
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
