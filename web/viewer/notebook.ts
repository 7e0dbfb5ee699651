/** `anywidget.min.js`: the anywidget module for notebooks. */
import { useForeignWorkers } from "./foreign-workers.js";

useForeignWorkers();

export { default } from "./anywidget.js";
