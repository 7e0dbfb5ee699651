import type { Translation } from "./text.js";

const spanish: Translation = {};
export default spanish;
