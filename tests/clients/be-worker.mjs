// Runs before a worker's script, which reads its globals when it is loaded.
import { beWorker } from "./main.mjs";

beWorker();
