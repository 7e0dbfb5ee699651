/**
 * Firefox without a driver, for pages that send reports on their own. In Firefox 153, `new Worker` in a
 * worker hangs now and then: often during a WebDriver BiDi session, rarely without one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findFirefox } from "../../../scripts/lib/system.mjs";
import type { Pages } from "./driver.js";

/** No prompts, no start pages, no telemetry. */
const preferences = {
  "app.normandy.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.homepage_override.mstone": "ignore",
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "toolkit.telemetry.reportingpolicy.firstRun": false,
};

export function startFirefoxPages(temporary: string): Pages {
  let running: ChildProcess | undefined;
  const close = async () => {
    if (running) await stop(running);
    running = undefined;
  };
  return {
    open: async (url) => {
      await close();
      // Each page gets a new Firefox with a new profile, without state from earlier pages.
      const profile = mkdtempSync(path.join(temporary, "firefox-"));
      const lines = Object.entries(preferences).map(
        ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
      );
      writeFileSync(path.join(profile, "user.js"), lines.join(""));
      running = spawn(findFirefox()!, ["--headless", "--no-remote", "--profile", profile, url], {
        stdio: "ignore",
        env: { ...process.env, HOME: profile, TMPDIR: temporary },
      });
    },
    close,
  };
}

/** Asks a browser to exit, and kills it if it does not. */
function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill();
  });
}
