// docs/errors.md compared with the code: the core's list of statuses, the tags, and the error codes in the sources.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { instantiate } from "#src/engine/engine.js";
import { textAt } from "#src/engine/session.js";
import { kebab } from "#src/util/errors.js";
import { errorTags } from "#src/workers/messages.js";

const root = new URL("../../../", import.meta.url);
const page = readFileSync(new URL("docs/errors.md", root), "utf8");

/** Names in backticks in a string. */
const namesIn = (text: string) => [...text.matchAll(/`([a-z][a-z0-9-]*)`/g)].map(([, name]) => name!);

/** The codes of each tag's row of the table. */
const rows = new Map(
  [...page.matchAll(/^\| `([A-Z]\w+)` \|[^|]*\|([^|]*)\|$/gm)].map(([, tag, codes]) => [
    tag!,
    namesIn(codes!),
  ]),
);
const documented = new Set(namesIn(page));

/** The codes in the sources: `code: "…"`. */
function codesInSources(): Map<string, string> {
  const found = new Map<string, string>();
  const literal = /\bcode: "([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"/g;
  for (const folder of ["web/src/", "web/cli/"]) {
    for (const file of readdirSync(new URL(folder, root), { recursive: true }) as string[]) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(new URL(folder + file, root), "utf8");
      for (const [, code] of text.matchAll(literal)) found.set(code!, file);
    }
  }
  return found;
}

/** The core's statuses that callers can see, with their tags. */
async function statuses(): Promise<[code: string, tag: string][]> {
  const core = await instantiate("full");
  const list: [string, string][] = [];
  for (let id = 1; textAt(core, core.statusName(id)) !== ""; id++) {
    const name = textAt(core, core.statusName(id));
    const tag = textAt(core, core.statusTag(id));
    // Callers cannot tell the causes of metadata that only the core rejects apart.
    if (name !== "NeedsFullModule") list.push([kebab(tag === "InvalidMetadata" ? tag : name), tag]);
  }
  return list;
}

describe("docs/errors.md", () => {
  it("has a row for every tag, with the tag's own code", () => {
    expect([...rows.keys()]).toEqual([...errorTags]);
    for (const [tag, codes] of rows) expect(codes).toContain(kebab(tag));
  });

  it("has the codes of each tag's type, and no others", () => {
    const types = readFileSync(new URL("web/src/util/error-codes.ts", root), "utf8");
    const fields = types.slice(types.indexOf("interface ErrorCodes"), types.indexOf("\n}"));
    const typed = new Map(
      [...fields.matchAll(/^ {2}([A-Z]\w+):([^;]*);/gm)].map(([, tag, union]) => [
        tag!,
        [...union!.matchAll(/"([a-z][a-z0-9-]*)"/g)].map(([, code]) => code!),
      ]),
    );
    expect([...typed.keys()]).toEqual([...rows.keys()]);
    for (const [tag, codes] of typed) expect(rows.get(tag), tag).toEqual(expect.arrayContaining(codes));
    const all = new Set([...typed].flatMap(([tag, codes]) => [kebab(tag), ...codes]));
    const untyped = [...rows.values()].flat().filter((code) => !all.has(code));
    expect(untyped).toEqual([]);
  });

  it("has every status of the core in the row of its tag", async () => {
    const list = await statuses();
    expect(list.length).toBeGreaterThan(20);
    for (const [code, tag] of list) expect(rows.get(tag), `${code} of ${tag}`).toContain(code);
  });

  it("has every code that the sources name", () => {
    const codes = codesInSources();
    expect(codes.size).toBeGreaterThan(60);
    expect([...codes].filter(([code]) => !documented.has(code))).toEqual([]);
  });

  it("has no unused code", async () => {
    const given = new Set([...codesInSources().keys(), ...(await statuses()).map(([code]) => code)]);
    for (const tag of errorTags) given.add(kebab(tag));
    const codes = [...rows.values()].flat();
    expect(codes.filter((code) => !given.has(code))).toEqual([]);
  });
});
