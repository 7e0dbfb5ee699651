// For `node --import`: replaces the registry and the CDN that Observable Framework uses for `npm:` imports by the files
// in tests/frameworks/node_modules.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folderOf = (name) => path.join(root, "tests/frameworks/node_modules", name);

/** Packages that are not installed only need a name: the page does not use them. */
function versionOf(name) {
  const list = path.join(folderOf(name), "package.json");
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")).version : "0.0.0";
}
const type = { "content-type": "application/javascript" };

globalThis.fetch = async (address) => {
  const { hostname, pathname } = new URL(address);
  if (hostname === "registry.npmjs.org") {
    const name = pathname.slice(1).replace(/\/[^/@]*$/, "");
    return Response.json({ name, version: versionOf(name) });
  }
  const found = /^\/npm\/((?:@[^/]+\/)?[^@/]+)@([^/]+)\/(.+)$/.exec(pathname);
  if (hostname !== "cdn.jsdelivr.net" || !found) throw new Error(`nothing stands in for ${address}`);
  const [, name, , file] = found;
  if (file !== "+esm") return new Response(readFileSync(path.join(folderOf(name), file)), { headers: type });
  const { outputFiles } = await build({
    entryPoints: [folderOf(name)],
    bundle: true,
    format: "esm",
    write: false,
  });
  return new Response(outputFiles[0].text, { headers: type });
};
