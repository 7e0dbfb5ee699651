// Preloaded into processes of tests (--import): locks of destinations go stale soon.
import { transferTimes } from "#internal";

Object.assign(transferTimes, { folder: 50, http: 50 });
