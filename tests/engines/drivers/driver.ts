/** Common interface of the tested browsers. */

export const engineNames = ["chromium", "firefox", "webkit"] as const;
export type EngineName = (typeof engineNames)[number];

/** A browser that only opens pages. */
export interface Pages {
  open(url: string): Promise<void>;
  close(): Promise<void>;
}

export interface Driver extends Pages {
  /** The value of an expression in the page, which must be serialisable as JSON. */
  evaluate<T>(expression: string): Promise<T>;
  click(selector: string): Promise<void>;
  /** Replaces the text of a field by typing, and presses Enter. */
  enter(selector: string, text: string): Promise<void>;
  /** Focuses an element and presses a key on it. */
  press(selector: string, key: Key): Promise<void>;
  /** Chooses an option of a select element by its text. */
  choose(selector: string, option: string): Promise<void>;
  /** A PNG of the visible page. */
  screenshot(): Promise<Uint8Array>;
}

export type Key = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Enter" | "Home" | "End";

/** An element as an expression. */
export const elementAt = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;

/** Initial viewport of all drivers. */
export const viewport = { width: 1280, height: 860 };

export async function startDriver(engine: EngineName, temporary: string): Promise<Driver> {
  // Imported on demand: two of the three are needed only by test:browsers.
  switch (engine) {
    case "chromium":
      return (await import("./chromium.js")).startChromium();
    case "firefox":
      return (await import("./firefox.js")).startFirefox(temporary);
    case "webkit":
      return (await import("./webkit.js")).startWebKit();
  }
}
