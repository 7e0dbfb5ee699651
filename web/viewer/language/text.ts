/** Texts of the interface in the language of the page. Read them when they are shown, not when a module is loaded. */
import { english, type Texts, type Translation } from "./en.js";
import { setLocale } from "./locale.js";

export type { Texts } from "./en.js";

/** Texts of the language of the page. The build divides them into sections, which lazy parts bring along. */
export const text: Texts = english;

/** The other languages. */
const languages: Readonly<Record<string, () => Promise<{ readonly default: Translation }>>> = {
  de: () => import("./de.js"),
  es: () => import("./es.js"),
};

let isChosen = false;
let loading: Promise<void> | undefined;
let translation: Readonly<Record<string, object | undefined>> | undefined;

/**
 * Chooses the language of the page: the first wanted one that exists, else English. Only the first call has an effect.
 * @param wanted "en", "de-AT" and so on
 * @returns a promise while texts are loading
 */
export function chooseLanguage(wanted: readonly string[]): Promise<void> | undefined {
  if (isChosen) return loading;
  isChosen = true;
  const tag = wanted.find((one) => /^(?:de|en|es)\b/i.test(one)) ?? "en";
  const load = languages[tag.slice(0, 2).toLowerCase()];
  if (load) loading = translate(tag, load);
  return loading;
}

/** Replaces the English texts, which remain if the file cannot be loaded. */
async function translate(tag: string, load: (typeof languages)[string]): Promise<void> {
  try {
    const loaded = (await load()).default;
    setLocale(tag);
    translation = loaded;
    for (const [name, texts] of Object.entries(english)) Object.assign(texts, translation[name]);
  } catch (error) {
    console.warn("zarr-wasm: texts in English instead of", tag, error);
  }
  loading = undefined;
}
