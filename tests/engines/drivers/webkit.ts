/** WebKitGTK's MiniBrowser, driven by WebKitWebDriver, on a virtual screen. */
import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import type { Readable } from "node:stream";
import { Builder, By, Capabilities, Key as Keys, type WebDriver } from "selenium-webdriver";
import { findMiniBrowser, findWebKitDriver } from "../../../scripts/lib/system.mjs";
import { type Driver, elementAt, type Key, viewport } from "./driver.js";

const keys: Record<Key, string> = {
  ArrowLeft: Keys.ARROW_LEFT,
  ArrowRight: Keys.ARROW_RIGHT,
  ArrowUp: Keys.ARROW_UP,
  ArrowDown: Keys.ARROW_DOWN,
  Enter: Keys.ENTER,
  Home: Keys.HOME,
  End: Keys.END,
};

export async function startWebKit(): Promise<Driver> {
  const screen = await startScreen();
  const { server, url } = await startServer(screen.display);
  const driver = await new Builder().usingServer(url).withCapabilities(capabilities()).build();
  await driver.manage().window().setRect(viewport);
  const find = (selector: string) => driver.findElement(By.css(selector));
  return {
    open: (address) => driver.get(address),
    // In a microtask: between the statements of the script itself WebKit runs microtasks, unlike in scripts of pages.
    evaluate: <T>(expression: string) =>
      driver.executeScript<T>(`return Promise.resolve().then(() => (${expression}))`),
    click: (selector) => find(selector).click(),
    // Not clear(): it fires "change", and the page may show the old text again before the keys arrive.
    enter: async (selector, text) => {
      await driver.executeScript(`${elementAt(selector)}.focus(); ${elementAt(selector)}.select()`);
      await find(selector).sendKeys(text, Keys.ENTER);
    },
    press: (selector, key) => find(selector).sendKeys(keys[key]),
    choose: (selector, option) => chooseOption(driver, selector, option),
    screenshot: async () => Buffer.from(await driver.takeScreenshot(), "base64"),
    close: async () => {
      await driver.quit().catch(() => {}); // fails after a crash
      server.kill();
      screen.process.kill();
    },
  };
}

function capabilities(): Capabilities {
  return new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary: findMiniBrowser(), args: ["--automation"] },
  });
}

async function chooseOption(driver: WebDriver, selector: string, option: string): Promise<void> {
  const options = await driver.findElements(By.css(`${selector} option`));
  for (const element of options) {
    if ((await element.getText()) === option) return element.click();
  }
  throw new Error(`${selector} has no option "${option}"`);
}

/** A virtual screen; the server chooses a free display and reports its number. */
async function startScreen(): Promise<{ process: ChildProcess; display: string }> {
  const size = `${viewport.width + 100}x${viewport.height + 100}x24`;
  const child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const number = await firstWord(child, child.stdio[3] as Readable, "Xvfb");
  return { process: child, display: `:${number}` };
}

function firstWord(child: ChildProcess, stream: Readable, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
    stream.once("data", (text) => resolve(String(text).trim()));
  });
}

async function startServer(display: string): Promise<{ server: ChildProcess; url: string }> {
  const port = await freePort();
  const server = spawn(findWebKitDriver()!, [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: ["ignore", "ignore", "ignore"],
    env: {
      ...process.env,
      DISPLAY: display,
      // Its sandbox needs user namespaces, which are often unavailable in containers and to root.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
      LIBGL_ALWAYS_SOFTWARE: "1",
      NO_AT_BRIDGE: "1",
    },
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const isReady = await fetch(`${url}/status`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isReady) return { server, url };
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  server.kill();
  throw new Error("WebKitWebDriver did not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
