/** A page that embeds the viewer as a component. */
import { mountViewer } from "../../../build/viewer/viewer.js";

Object.assign(globalThis, { mountViewer });
