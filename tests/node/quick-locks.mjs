// Preloaded into processes of tests (--import): locks of destinations go stale soon.
import { lockTimes } from "../../dist/cli/lock/object.js";

Object.assign(lockTimes, { folder: 50, http: 50 });
