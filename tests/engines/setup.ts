/** Global setup of the engine tests: the data, the viewer's stores, and the suite's bundles. */
import { writeStores } from "../shared/viewer-stores.js";
import { buildBundles } from "./bundles.js";
import { viewerStores } from "./places.js";
import { writeData } from "./stores.js";

export default async function setup(): Promise<void> {
  writeStores(viewerStores);
  await Promise.all([writeData(), buildBundles()]);
}
