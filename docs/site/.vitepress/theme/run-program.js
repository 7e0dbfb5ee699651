/**
 * Runs a module's source in the page. Imports of the package resolve to the built library on the site; `site` is the
 * site's URL, `output` the element for pictures, and `log` receives the arguments of `console.log`. Ends when the
 * module has been evaluated; throws its errors.
 */
export async function runProgram(text, { base, output, log }) {
  const site = new URL(base, location.href).href;
  const names = {
    "zarr-wasm": "lib/index.js",
    "zarr-wasm/codecs": "lib/codecs.js",
    "zarr-wasm/zarrita": "lib/zarrita.js",
    "zarr-wasm/numcodecs": "lib/numcodecs.js",
    "zarr-wasm-viewer/element": "lib/viewer/viewer.min.js",
  };
  const program = text.replace(/(\bfrom\s*|\bimport\s*\(?\s*)"(zarr-wasm[\w/.-]*)"/g, (_, start, name) => {
    if (!names[name]) throw new Error(`${name} is not served here`);
    return `${start}${JSON.stringify(new URL(names[name], site).href)}`;
  });
  const key = `zarrWasmLive${Math.random().toString(36).slice(2)}`;
  globalThis[key] = {
    site,
    output,
    console: { ...console, log: (...values) => log(values.map(shown).join(" ")) },
  };
  const head = `const { site, output, console } = globalThis[${JSON.stringify(key)}];\n`;
  const url = URL.createObjectURL(new Blob([head, program], { type: "text/javascript" }));
  try {
    await import(/* @vite-ignore */ url);
  } finally {
    URL.revokeObjectURL(url);
    delete globalThis[key];
  }
}

const maxShown = 12;

/** A value formatted approximately as by a console. */
export function shown(value) {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (ArrayBuffer.isView(value) && "length" in value)
    return `${value.constructor.name}(${value.length}) [${[...value.slice(0, maxShown)].map(shown).join(", ")}${value.length > maxShown ? ", …" : ""}]`;
  if (Array.isArray(value))
    return `[${value.slice(0, maxShown).map(shown).join(", ")}${value.length > maxShown ? ", …" : ""}]`;
  if (value && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${key}: ${shown(item)}`)
      .join(", ")} }`;
  return String(value);
}
