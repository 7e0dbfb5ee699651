// Preloaded into processes of tests (--import): locks of destinations go stale soon.
import { lockTimes } from "#src/cli/lock/object.js";

Object.assign(lockTimes, { folder: 50, http: 50 });
