/** `anywidget.min.js`: the anywidget module for notebooks, with its worker script beside it. */
import { useWorkersFrom } from "./element/zarr-viewer.js";

useWorkersFrom(new URL("worker.js", import.meta.url));

export { default } from "./anywidget.js";
