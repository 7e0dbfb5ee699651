import type { Translation } from "./text.js";

const german: Translation = {};
export default german;
