/**
 * Templates in references: `{{ name }}` stands for the value of a template. The format is based on Jinja; expressions,
 * functions and filters are Unsupported, by name.
 * Spec: https://fsspec.github.io/kerchunk/spec.html
 */

import { limitExceeded, unsupported, type ZarrError } from "../../util/errors.js";
import { shorten } from "../parquet/fields.js";

export type TemplateValues = ReadonlyMap<string, string>;

/** Maximum length of a result: far longer than any URL. */
const maxRendered = 2 ** 16;

/**
 * Replaces every `{{ name }}`.
 * @throws Unsupported ("unsupported-reference") for expressions, unknown names and nested templates;
 *   LimitExceeded for a result that is longer than any URL.
 */
export function render(text: string, values: TemplateValues): string {
  let rendered = "";
  let at = 0;
  for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", start + 2);
    if (end < 0) break;
    const value = values.get(text.slice(start + 2, end).trim());
    if (value === undefined || value.includes("{{")) throw refusal(text.slice(start, end + 2));
    rendered += text.slice(at, start) + value;
    if (rendered.length > maxRendered)
      throw limitExceeded(`templates expand "${shorten(text)}" to more than ${maxRendered} characters`);
    at = end + 2;
  }
  return rendered + text.slice(at);
}

function refusal(template: string): ZarrError {
  return unsupported(
    `the template ${shorten(template)} is not supported: only names of templates with plain values are`,
    { code: "unsupported-reference" },
  );
}
