/** The whole suite: importing it registers all cases. */
import "./policy.js";
import "./loading.js";
import "./golden.js";
import "./chains.js";
import "./reading.js";
import "./computing.js";
import "./requests.js";
import "./writing.js";
import "./types.js";
import "./errors.js";
import "./aborts.js";
import "./pool.js";
import "./memory.js";
