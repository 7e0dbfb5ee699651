/** Applies axe-core's rules. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** Violations of WCAG 2.2 up to AA, and of best practices; parts without a name, and ids that are used twice. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    type Axe = { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations: found } = await (globalThis as unknown as Axe).axe.run();
    const parts = [...document.querySelectorAll("[role=application], progress")];
    const unnamed = parts.filter((part) => !part.hasAttribute("aria-label"));
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    const doubles = ids.filter((id, i) => ids.indexOf(id) < i);
    const others = [...unnamed.map(({ outerHTML }) => `no name: ${outerHTML.slice(0, 80)}`), ...doubles];
    const broken = found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary}`),
    );
    return [...broken, ...others];
  });
}
