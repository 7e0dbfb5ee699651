/** References in Parquet files. */
// What is there anyway (see base/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { readRecords } from "../store/parquet/records.js";
