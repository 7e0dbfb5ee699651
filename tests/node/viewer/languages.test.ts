// The files of languages: all have the same texts, and the viewer shows every one of them.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import german from "../../../web/viewer/language/de.js";
import { english } from "../../../web/viewer/language/en.js";
import spanish from "../../../web/viewer/language/es.js";
import { root } from "../../shared/places.js";

/** The kind of every text, by its path: a string, or a function with its number of values. */
function shape(texts: object, place = ""): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text === "function") return [`${place}${name}: ${text.length}`];
    return typeof text === "string" ? [`${place}${name}`] : shape(text as object, `${place}${name}.`);
  });
}

it.each([
  ["German", german],
  ["Spanish", spanish],
])("%s has all texts, in the same order", (_name, texts) => {
  expect(shape(texts)).toEqual(shape(english));
});

it("every text is used", () => {
  const viewer = path.join(root, "web/viewer");
  const code = readdirSync(viewer, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/^(?:dist|language|frameworks)\//.test(file))
    .map((file) => {
      const source = readFileSync(path.join(viewer, file), "utf8");
      const [, name] = /\btext as (\w+)/.exec(source) ?? [];
      return name ? source.replace(new RegExp(`\\b${name}(?=\\s*\\.)`, "g"), "text") : source;
    })
    .join("\n");
  // Some are chosen by a value, or taken from their section first.
  const uses = [...code.matchAll(/\btext\s*\.(\w+)(?:\s*\.(\w+))?/g)];
  const used = new Set(uses.map(([, section, key]) => (key === undefined ? section : `${section}.${key}`)));
  const unused = Object.entries(english).flatMap(([section, texts]) =>
    Object.keys(texts)
      .map((key) => `${section}.${key}`)
      .filter((name) => !used.has(section) && !used.has(name)),
  );
  expect(unused).toEqual([]);
});
