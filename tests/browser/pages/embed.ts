/** What a page does that uses the viewer as a component. */
import { mountViewer } from "../../../dist/viewer/viewer.js";

Object.assign(globalThis, { mountViewer });
