import type { CoreFactory } from "./core.js";

declare const factory: CoreFactory;
export default factory;
