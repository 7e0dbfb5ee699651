/** The Worker: handles requests. */
import { addressed, fresh, preflight, refused } from "./answers.js";
import { Blocks } from "./blocks.js";
import { paletteOf } from "./colours.js";
import { Datasets } from "./datasets.js";
import { Refusal, refusalOf } from "./failures.js";
import { infoOf } from "./info.js";
import { page } from "./page.js";
import { encodePng } from "./png.js";
import { canonical, type InfoRoute, parseRoute, type Route, type TileRoute } from "./route.js";
import { type Scope, untilAnswered } from "./scope.js";
import { type Env, readSettings, type Settings } from "./settings.js";
import { rangeOf, shade } from "./shade.js";
import { readTile } from "./tile.js";
import { encodeWebp } from "./webp.js";

/** State shared by all requests of an isolate. */
interface Shared {
  readonly settings: Settings;
  readonly datasets: Datasets;
  readonly blocks: Blocks;
}

let shared: Shared | undefined;

function sharedOf(env: Env): Shared {
  if (shared) return shared;
  const settings = readSettings(env);
  const datasets = new Datasets(env, settings);
  shared = { settings, datasets, blocks: new Blocks(settings, datasets) };
  return shared;
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    let all: Shared;
    try {
      all = sharedOf(env);
    } catch (error) {
      return refused(new Refusal(500, `this Worker is not set up: ${(error as Error).message}`));
    }
    const { settings } = all;
    if (request.method === "OPTIONS") return preflight(request, settings);
    try {
      if (request.method !== "GET" && request.method !== "HEAD") throw new Refusal(405, "only GET and HEAD are served");
      const url = new URL(request.url);
      const file = page(url.pathname);
      if (file) return addressed(file, request, settings);
      const route = parseRoute(url, settings);
      const key = new URL(canonical(route), url.origin);
      const [answer, source] = await cached(key, all, route, request.signal, context);
      return addressed(answer, request, settings, source);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.status >= 500 && !request.signal.aborted) console.error(String(error));
      return addressed(refused(refusal), request, settings);
    }
  },
};

/** Returns a response from the data centre's cache, or creates and stores it. Without such a cache, creates it. */
async function cached(
  key: URL,
  all: Shared,
  route: Route,
  client: AbortSignal,
  context: ExecutionContext,
): Promise<[answer: Response, source: string]> {
  const found = await caches.default.match(key).catch(() => undefined);
  if (found) return [found, "hit"];
  const keepGoing = (work: Promise<unknown>) => context.waitUntil(work);
  const made = await untilAnswered(client, keepGoing, (scope) =>
    route.kind === "tile" ? tileAnswer(route, all, scope) : infoAnswer(route, all, key, scope),
  );
  keepGoing(caches.default.put(key, made.clone()).catch(() => {}));
  return [made, "miss"];
}

async function infoAnswer(route: InfoRoute, { settings, datasets }: Shared, { origin }: URL, scope: Scope) {
  const dataset = await datasets.get(route.dataset, route.choice, scope);
  const text = JSON.stringify(infoOf(dataset, route, origin, settings.tileSize));
  return fresh(text, "application/json", settings.cacheControl);
}

async function tileAnswer(route: TileRoute, all: Shared, scope: Scope): Promise<Response> {
  const { settings, datasets, blocks } = all;
  const dataset = await datasets.get(route.dataset, route.choice, scope);
  try {
    const tile = await readTile(dataset, route, blocks, settings.tileSize, scope);
    if (route.format === "raw") {
      const { data, height, width } = tile;
      const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
      const type = data.constructor.name.replace("Array", "").replace("Big", "").toLowerCase();
      const headers = { "x-tile-shape": `${height},${width}`, "x-tile-type": type };
      return fresh(bytes, "application/octet-stream", settings.cacheControl, headers);
    }
    const range = rangeOf(dataset, route.style, route.choice.indices);
    const shaded = shade(tile, range, route.style.nodata, settings.tileSize);
    const palette = paletteOf(route.style.map);
    return route.format === "png"
      ? fresh(await encodePng(shaded, palette), "image/png", settings.cacheControl)
      : fresh(await encodeWebp(shaded, palette), "image/webp", settings.cacheControl);
  } catch (error) {
    // Later requests must not wait for reads of a store that does not respond.
    if (error instanceof Refusal && error.status === 504) datasets.forget(dataset);
    throw error;
  }
}
