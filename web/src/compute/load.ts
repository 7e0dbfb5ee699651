/** Loads the part for reductions and statistics. */

import { lazy } from "../util/lazy.js";

export const loadCompute = lazy("compute", () => import("./part.js"));
