/** Keeps data that have been read on this device, for later visits and without a connection. */
import { PersistentCache } from "zarr-wasm";

/** Readers of metadata: called when some turn out to be outdated. */
export const readers = new Set<{ reload(): unknown }>();

/** For all viewers of an origin. Pictures of the stored data are shown while requests confirm their metadata. */
export const keptData = new PersistentCache({
  name: "zarr-viewer",
  onOutdated: () => {
    for (const reader of readers) reader.reload();
  },
});

/** In the local storage if it is switched off. */
const setting = "zarr-viewer: keep data";

try {
  keptData.enabled = localStorage.getItem(setting) !== "no";
} catch {
  keptData.enabled = false; // pages without storage
}

/** Switches keeping on or off; off also removes the data. */
export function keepData(isOn: boolean): void {
  keptData.enabled = isOn;
  try {
    if (isOn) localStorage.removeItem(setting);
    else localStorage.setItem(setting, "no");
  } catch {
    // Applies to this page only.
  }
  if (!isOn) keptData.clear().catch(() => {});
}
