/** A page that embeds the viewer as a component. */
import { mountViewer } from "../../../dist/viewer/viewer.js";

Object.assign(globalThis, { mountViewer });
