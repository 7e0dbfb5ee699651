/** Opening a page in the user's browser. */
import { spawn } from "node:child_process";

/** The program that opens an address; `BROWSER` names one, as on other systems' command lines. */
function opener(): readonly [program: string, ...args: string[]] {
  const { BROWSER } = process.env;
  if (BROWSER) return [BROWSER];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}

/** Starts it and does not wait; no shell reads the address. */
export function openInBrowser(url: string, onFailure: (why: string) => void): void {
  const [program, ...args] = opener();
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.once("error", ({ message }) =>
    onFailure(`no browser could be opened (${message}): open the link yourself`),
  );
  child.unref();
}
