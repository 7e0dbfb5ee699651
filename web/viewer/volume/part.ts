/** Everything that a volume needs, loaded on first use. */
export { volumeLayers } from "./space.js";
export { VolumeView } from "./volume-view.js";
