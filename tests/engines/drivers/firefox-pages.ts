/**
 * Firefox without a driver, for pages that report by themselves. A worker that starts workers hangs in Firefox 153
 * now and then in `new Worker`: often while a session of WebDriver BiDi lasts, hardly ever without one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findFirefox } from "../../../scripts/lib/system.mjs";
import type { Pages } from "./driver.js";

/** No questions, no pages of its own, nothing sent anywhere. */
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
      // Each page has a Firefox and a profile of its own: nothing is left of the one before.
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

/** Asks a browser to end, and ends it if it does not. */
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
