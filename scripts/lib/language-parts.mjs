// Divides the English texts into sections, so that lazy parts bring their own texts (web/viewer/language/text.ts).
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "rolldown/parseAst";
import { viewerModules } from "./paths.mjs";

const english = path.join(viewerModules, "language/en.js");
const texts = path.join(viewerModules, "language/text.js");
const prefix = "english-texts:";

/** Makes `text.section.key` refer to a module with the texts of the section. */
export function languageParts() {
  const code = readFileSync(english, "utf8");
  const { body } = parseAst(code);
  const slice = ({ start, end }) => code.slice(start, end);
  const imports = body.filter(({ type }) => type === "ImportDeclaration").map(slice);
  const { declaration } = body.find(({ type }) => type === "ExportNamedDeclaration");
  const { properties } = declaration.declarations[0].init;
  const sections = new Map(properties.map(({ key, value }) => [key.name, value]));
  const keys = (name) => sections.get(name).properties.map(({ key }) => key.name ?? key.value);
  const uses = [...sections.keys()].map((name) => `${name}(?=\\.(?:${keys(name).join("|")})\\b|[^\\w.(])`);
  return {
    name: "language-parts",
    resolveId: (id) => (id.startsWith(prefix) ? id : null),
    load(id) {
      if (id === english) return "export const english = {};";
      if (!id.startsWith(prefix)) return null;
      const name = id.slice(prefix.length);
      const from = imports.map((line) => line.replace("./", `${path.dirname(english)}/`));
      return `${from.join("\n")}
        import { addSection } from ${JSON.stringify(texts)};
        export default addSection("${name}", ${slice(sections.get(name))});`;
    },
    transform: {
      filter: { id: /\/build\/viewer\// },
      handler(module, id) {
        if (id === texts)
          return `${module}
            export const addSection = (name, texts) => (english[name] = Object.assign(texts, translation?.[name]));`;
        const line = /^import \{.*\btext\b(?: as (?<name>\w+))?.*\} from ".*\/language\/text\.js";$/m.exec(
          module,
        );
        if (!line) return null;
        const use = new RegExp(`\\b${line.groups.name ?? "text"}\\.(${uses.join("|")})`, "g");
        const used = new Set();
        const changed = module.replace(use, (_, name) => {
          used.add(name);
          return `text_${name}`;
        });
        const lines = [...used].map((name) => `import text_${name} from "${prefix}${name}";\n`);
        return lines.join("") + changed;
      },
    },
  };
}
