// Before a worker's script, which looks at its globals when it is loaded.
import { beWorker } from "./main.mjs";

beWorker();
