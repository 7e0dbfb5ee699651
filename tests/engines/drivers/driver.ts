/** What the tests need of a browser, the same for all of them. */

export const engineNames = ["chromium", "firefox", "webkit"] as const;
export type EngineName = (typeof engineNames)[number];

/** A browser that opens pages, and nothing more. */
export interface Pages {
  open(url: string): Promise<void>;
  close(): Promise<void>;
}

export interface Driver extends Pages {
  /** The value of an expression in the page, which must survive as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  click(selector: string): Promise<void>;
  /** Replaces the text of a field by typing, and presses Enter. */
  enter(selector: string, text: string): Promise<void>;
  /** Gives an element the focus and presses a key on it. */
  press(selector: string, key: Key): Promise<void>;
  /** Chooses an option of a select element by its text. */
  choose(selector: string, option: string): Promise<void>;
  /** A PNG of what is seen. */
  screenshot(): Promise<Uint8Array>;
}

export type Key = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Enter" | "Home" | "End";

/** An element as an expression. */
export const elementAt = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/** Everything that drivers start with, whatever the machine. */
export const viewport = { width: 1280, height: 860 };

export async function startDriver(engine: EngineName, temporary: string): Promise<Driver> {
  // Loaded only when asked for: two of the three are for test:browsers alone.
  switch (engine) {
    case "chromium":
      return (await import("./chromium.js")).startChromium();
    case "firefox":
      return (await import("./firefox.js")).startFirefox(temporary);
    case "webkit":
      return (await import("./webkit.js")).startWebKit();
  }
}
